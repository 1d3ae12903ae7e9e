/** Turn after turn on one session: nothing may be left of them. The ledger is filled before, for it keeps a thousand. */
import { getEventListeners } from 'node:events';
import { heapBytes } from './cpu.mjs';
import { countingClock, turnstileInMemory } from './inMemory.mjs';

const LEDGER = 1_000;

export async function measure(_driver, _agent, { turns }) {
  const { clock, open } = countingClock();
  const { signal } = new AbortController();
  const { agent, session } = await turnstileInMemory({ clock });
  const turn = async () => {
    const running = session.prompt('go', { signal });
    for await (const update of running) void update;
    await running.result;
  };
  const listeners = () =>
    getEventListeners(signal, 'abort').length +
    process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  for (let i = 0; i < LEDGER + turns; i += 1) await turn();
  const before = { heap: await heapBytes(), timers: open.size, listeners: listeners() };
  for (let i = 0; i < turns; i += 1) await turn();
  const grown = (await heapBytes()) - before.heap;
  const result = {
    heapBytesPerTurn: grown / turns,
    timers: open.size - before.timers,
    listeners: listeners() - before.listeners,
  };
  await agent.close();
  return result;
}
