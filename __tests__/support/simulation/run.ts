/** Runs one world to its end, from a seed or from a script. */
import { Drawing } from './draw.js';
import { prng } from './prng.js';
import type { Action, Script } from './script.js';
import { setupOf } from './setup.js';
import { World } from './world.js';

export interface Report {
  script: Script;
  /** What must not happen and did; undefined: nothing. */
  violation: string | undefined;
  /** Actions that were done; timers that an advance fired are not counted. */
  steps: number;
  /** How calls, turns and the connection ended, with how often. */
  outcomes: Map<string, number>;
  world: World;
}

/** After the connection is over, so many actions more. */
const AFTER_THE_END = 8;

async function play(world: World, next: () => Action | undefined): Promise<Report> {
  const { warn } = console;
  const { emitWarning } = process;
  // The development build of XState warns of events that are sent to stopped actors.
  console.warn = (text: unknown) => world.fail(`warned: ${String(text)}`);
  // A listener of a world throws on purpose, and the library warns of it once per connection.
  process.emitWarning = () => {};
  try {
    return await played(world, next);
  } finally {
    console.warn = warn;
    process.emitWarning = emitWarning;
  }
}

async function played(world: World, next: () => Action | undefined): Promise<Report> {
  const actions: Action[] = [];
  let steps = 0;
  let after = 0;
  world.start();
  await world.quiet();
  for (let action = next(); action && !world.broken; action = next()) {
    actions.push(action);
    if (await world.step(action)) steps += 1;
    const over = world.handle ? world.handle.state === 'closed' : world.connectFailed;
    if (over && ++after > AFTER_THE_END) break;
  }
  if (!world.broken) await finish(world);
  const { broken: violation, setup } = world;
  return { script: { setup, actions }, violation, steps, outcomes: world.checks.outcomes, world };
}

/** However a world stood: time alone settles every wait, and the close leaves nothing. */
async function finish(world: World): Promise<void> {
  const { setup, agentSide, caller, handle } = world;
  const { turnAbsoluteMs, cancelGraceMs, requestLimitMs, closeGraceMs } = setup.limits;
  await world.quiet();
  switch (setup.ending) {
    case 'time':
      await world.advance(turnAbsoluteMs + cancelGraceMs + 20 * requestLimitMs + 10_000);
      if (world.broken) return;
      world.checks.timeEndsAll();
      break;
    case 'exit':
      agentSide.end();
      await world.quiet();
      break;
    case 'fail':
      agentSide.failReads();
      await world.quiet();
      break;
    case 'close':
      break;
  }
  if (world.broken) return;
  if (handle) caller.act({ do: 'close', as: 0 });
  else caller.act({ do: 'abort-connect' });
  await world.quiet();
  const until = world.clock.now() + closeGraceMs + 4000;
  while (!world.broken && !world.checks.over && world.clock.fireNext(until)) await world.quiet();
  // What is due now is no wait.
  await world.advance(handle ? 0 : until - world.clock.now());
  for (const { finish: done } of caller.works.splice(0)) done();
  await world.quiet();
  if (!world.broken) world.checks.finally();
}

export async function runSeed(seed: number, steps: number): Promise<Report> {
  const world = new World(setupOf(seed));
  const drawing = new Drawing(world, prng(seed));
  let left = steps;
  return play(world, () => (left-- > 0 ? drawing.next() : undefined));
}

export async function replay({ setup, actions }: Script): Promise<Report> {
  let at = 0;
  return play(new World(setup), () => actions[at++]);
}
