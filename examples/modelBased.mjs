/**
 * A model-based test of your own agent: `node modelBased.mjs [COMMAND [ARGS...]]`, without a command of the demo agent.
 *
 * The chart of a turn says what can happen in it. xstate/graph walks it and finds every way in which we, the client, can go
 * through a turn: let it end, cancel it, run out of time, lose the connection, one after the other. Each is played on the agent,
 * and the chart says where it may end. Then it is told which edges of the chart this agent was seen to take.
 */
import assert from 'node:assert/strict';
import { AcpError, connect } from 'acp-turnstile';
import { turnMachine } from 'acp-turnstile/machines';
import { getSimplePaths } from 'xstate/graph';
import { demoAgent } from './demoAgent.mjs';

const [command, ...args] = process.argv.slice(2);
const source = command === undefined ? demoAgent : { command, args };
/** What makes it answer soon, and what keeps it at work long enough to be stopped. */
const SHORT = 'hello';
const LONG = 'slow';

/** How long it may take to confirm that it has stopped. */
const GRACE_MS = 2_000;

const AGENT = [
  { type: 'agent.promptAccepted' },
  { type: 'agent.working' },
  { type: 'agent.promptResult', stopReason: 'end_turn' },
  { type: 'agent.idle', stopReason: 'end_turn', failed: false },
];
const CLIENT = [
  { type: 'user.cancel' },
  { type: 'clock.bound', bound: 'absolute' },
  { type: 'transport.closed', reason: 'agent-exited' },
];

/** Our part of each way through the chart, and the states that it may end in. */
const ways = new Map();
for (const { state, steps } of getSimplePaths(turnMachine, {
  events: [...AGENT, ...CLIENT],
  input: { session: 1, turn: 1, cancelGraceMs: GRACE_MS },
  toState: ({ status }) => status === 'done',
})) {
  const ours = steps.map(({ event }) => event.type).filter((type) => CLIENT.some((event) => event.type === type));
  const key = ours.join(' ');
  ways.set(key, (ways.get(key) ?? new Set()).add(state.value));
}
/** An agent may have ended the turn before the next thing that we do. */
const mayEndIn = (ours) =>
  new Set(
    ours.reduce((all, _, at) => [...all, ...(ways.get(ours.slice(0, at + 1).join(' ')) ?? [])], [...ways.get('')]),
  );

const FINAL = new Set(Object.values(turnMachine.states).flatMap(({ type, id }) => (type === 'final' ? id : [])));
const edges = new Set();

async function play(ours) {
  const seen = [];
  let outcome;
  const agent = await connect({
    ...source,
    client: { name: 'model-based', version: '1.0.0' },
    cancelGraceMs: GRACE_MS,
    recorder: {
      transition({ chart, from, event, states }) {
        if (chart !== 'turn') return;
        seen.push(...states);
        edges.add(`${from.join()} --${event}--> ${states.join()}`);
      },
    },
  });
  try {
    const session = await agent.newSession();
    const bounded = ours.includes('clock.bound');
    const budget = bounded ? { absoluteMs: 150 } : { absoluteMs: 20_000 };
    const turn = session.prompt(ours.length === 0 ? SHORT : LONG, { budget });
    const ended = turn.result.then(
      ({ outcome }) => outcome,
      (error) => (error instanceof AcpError ? error.kind : error),
    );
    await turn.sent;
    for (const event of ours) {
      if (event === 'user.cancel') await turn.cancel();
      if (event === 'clock.bound') await ended;
      if (event === 'transport.closed') process.kill(-agent.pid, 'SIGKILL');
    }
    outcome = await ended;
    if (!ours.includes('transport.closed') && !seen.includes('turn.wedged')) {
      // What is owed after a bound is still to come, and then the session is free for the next turn.
      const next = await session.prompt(SHORT, { queue: true }).result;
      assert.equal(next.outcome, 'completed');
      assert.equal(agent.stats.strayResponses, 0);
    }
  } finally {
    await agent.close();
  }
  return { outcome, final: seen.find((state) => FINAL.has(state)) };
}

for (const key of [...ways.keys()].sort((a, b) => a.length - b.length)) {
  const ours = key === '' ? [] : key.split(' ');
  const { outcome, final } = await play(ours);
  const legal = [...mayEndIn(ours)].map((state) => `turn.${state}`);
  console.log(`${(key || 'nothing but the prompt').padEnd(44)} ${outcome}, in ${final}`);
  assert.ok(legal.includes(final), `${final} is not among ${legal.join(', ')}`);
}
console.log(`\n${ways.size} ways through a turn, ${edges.size} edges of its chart seen:`);
for (const edge of [...edges].sort()) console.log(`  ${edge}`);
