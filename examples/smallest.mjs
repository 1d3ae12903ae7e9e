/** The smallest embed: one agent, one session, one turn. Nothing is approved, since nobody here decides. */
import { connect } from 'acp-turnstile';
import { demoAgent } from './demoAgent.mjs';

const agent = await connect({ ...demoAgent, client: { name: 'smallest', version: '1.0.0' } });
try {
  const session = await agent.newSession();
  const turn = session.prompt('Say what you can do.');
  for await (const update of turn) {
    if (update.kind === 'text') process.stdout.write(update.text);
  }
  const { outcome } = await turn.result;
  console.log(`\n${outcome}`);
} finally {
  await agent.close();
}
