/** CPU per piece of work as the work grows; all in memory, so that only our own part of it is seen. */
import { lineOf, updateLine } from '../memoryAgent.mjs';
import { cpuSince, heapBytes } from './cpu.mjs';
import { overMemory } from './inMemory.mjs';

const LINES_A_CHUNK = 320;
const ROUNDS = 3;
/** In a round: enough that the collector's share of it is always about the same. */
const REQUESTS = 10_000;

const lowest = (values) => Math.min(...values);

async function timed(work) {
  await heapBytes();
  const cpu = process.cpuUsage();
  await work();
  return cpuSince(cpu);
}

/** µs per update of one turn that streams `count` of them to a reader. */
async function updates(count) {
  const line = updateLine('sess_1', 'The quick brown fox edits src/index.ts; ');
  const answer = ({ id, method }, push) => {
    if (method !== 'session/prompt') return;
    const chunk = Buffer.from(line.repeat(LINES_A_CHUNK));
    for (let left = count; left > 0; left -= LINES_A_CHUNK) {
      push(left >= LINES_A_CHUNK ? chunk : line.repeat(left));
    }
    push(lineOf({ id, result: { stopReason: 'end_turn' } }));
  };
  const agent = await overMemory(answer);
  const session = await agent.newSession({ cwd: '/' });
  let seen = 0;
  const turn = async () => {
    const running = session.prompt('go');
    for await (const update of running) seen += update.kind === 'text' ? 1 : 0;
    await running.result;
  };
  await turn();
  const took = [];
  for (let round = 0; round < ROUNDS; round += 1) took.push(await timed(turn));
  await agent.close();
  if (seen !== count * (ROUNDS + 1)) throw new Error('updates are missing');
  return lowest(took) / count;
}

/** µs per request, of `count` that are all sent before the first is answered. */
async function pending(count) {
  const owed = [];
  const answer = ({ id, method }, push) => {
    if (method !== 'session/set_mode') return;
    owed.push(id);
    if (owed.length < count) return;
    push(owed.map((one) => lineOf({ id: one, result: {} })).join(''));
    owed.length = 0;
  };
  const agent = await overMemory(answer);
  const all = () =>
    Promise.all(Array.from({ length: count }, () => agent.awaitResponse(agent.sendRequest('session/set_mode', {}))));
  const repeats = Math.ceil(REQUESTS / count);
  const work = async () => {
    for (let i = 0; i < repeats; i += 1) await all();
  };
  await work();
  const took = [];
  for (let round = 0; round < ROUNDS; round += 1) took.push(await timed(work));
  await agent.close();
  return lowest(took) / count / repeats;
}

/** Of `count` sessions on one connection: µs to open one, and µs of a turn with all of them open. */
async function sessions(count) {
  const answer = ({ id, method, params }, push) => {
    if (method !== 'session/prompt') return;
    push(updateLine(params.sessionId, 'text') + lineOf({ id, result: { stopReason: 'end_turn' } }));
  };
  const opened = [];
  const turned = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const agents = [];
    const repeats = Math.ceil(200 / count);
    for (let i = 0; i < repeats; i += 1) agents.push(await overMemory(answer));
    const open = [];
    const openAll = async () => {
      for (const agent of agents) for (let i = 0; i < count; i += 1) open.push(await agent.newSession({ cwd: '/' }));
    };
    opened.push((await timed(openAll)) / count / repeats);
    const promptAll = async () => {
      for (const session of open) await session.prompt('go').result;
    };
    await promptAll();
    turned.push((await timed(promptAll)) / count / repeats);
    for (const agent of agents) await agent.close();
  }
  return { open: lowest(opened), turn: lowest(turned) };
}

export async function measure(_driver, _agent, { counts }) {
  // Once for the compiler.
  await updates(5_000);
  await pending(100);
  await sessions(20);
  const of = async (measureOne, list) => {
    const rows = [];
    for (const count of list) rows.push({ count, us: await measureOne(count) });
    return rows;
  };
  const perSession = await of(sessions, counts.sessions);
  return {
    updates: await of(updates, counts.updates),
    pending: await of(pending, counts.pending),
    opened: perSession.map(({ count, us }) => ({ count, us: us.open })),
    turns: perSession.map(({ count, us }) => ({ count, us: us.turn })),
  };
}
