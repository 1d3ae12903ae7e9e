/** Connections with a session each, all open at once: what one of them holds. */
import { heapBytes } from './cpu.mjs';

export async function measure(driver, agent, { connections }) {
  const one = async () => {
    const peer = await driver.open({ ...agent, onText: () => {} });
    await peer.newSession();
    return peer;
  };
  await (await one()).close();
  const before = await heapBytes();
  const began = performance.now();
  const peers = await Promise.all(Array.from({ length: connections }, one));
  const openMs = performance.now() - began;
  const heapKB = ((await heapBytes()) - before) / 1024 / connections;
  for (const peer of peers) process.kill(peer.pid, 'SIGKILL');
  return { openMs, heapKB };
}
