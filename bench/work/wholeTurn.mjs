/** Prompt, three updates, a permission decided by a function, the result; the agent answers at once, in this process. */
import { cpuSince } from './cpu.mjs';
import { turnstileInMemory } from './inMemory.mjs';

export async function measure(_driver, _agent, { turns }) {
  const { agent, session } = await turnstileInMemory();
  const turn = async () => {
    const running = session.prompt('go');
    let updates = 0;
    for await (const update of running) updates += update.kind === 'text' ? 1 : 0;
    const { outcome, permissions } = await running.result;
    if (updates !== 3 || outcome !== 'completed' || permissions[0].optionId !== 'yes') throw new Error('a bad turn');
  };
  for (let i = 0; i < turns / 2; i += 1) await turn();
  const cpu = process.cpuUsage();
  for (let i = 0; i < turns; i += 1) await turn();
  const cpuUs = cpuSince(cpu) / turns;
  await agent.close();
  return { cpuUs };
}
