/** Requests one after another, each awaited. */
import { cpuSince } from './cpu.mjs';

export async function measure(driver, agent, { trips }) {
  const peer = await driver.open({ ...agent, onText: () => {} });
  const sessionId = await peer.newSession();
  const trip = (modeId) => peer.request('session/set_mode', { sessionId, modeId });
  for (let i = 0; i < trips / 2; i += 1) await trip('code');
  const took = new Float64Array(trips);
  const cpu = process.cpuUsage();
  for (let i = 0; i < trips; i += 1) {
    const began = performance.now();
    await trip(i % 2 === 0 ? 'ask' : 'code');
    took[i] = performance.now() - began;
  }
  const cpuUs = cpuSince(cpu);
  await peer.close();
  took.sort();
  return { p50Us: took[trips / 2] * 1000, p99Us: took[Math.floor(trips * 0.99)] * 1000, cpuUs: cpuUs / trips };
}
