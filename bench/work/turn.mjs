/** One turn of an agent that streams; after some that are not measured, where there are enough frames to warm up. */
import { cpuSince } from './cpu.mjs';

export async function measure(driver, agent, { frames, warms, maxFrameBytes }) {
  let updates = 0;
  let characters = 0;
  const onText = (text) => {
    updates += 1;
    characters += text === undefined ? 0 : text.length;
  };
  const peer = await driver.open({ ...agent, maxFrameBytes, onText });
  const sessionId = await peer.newSession();
  for (let turn = 0; turn < (warms ?? 0); turn += 1) await peer.prompt(sessionId, 'warm up');
  updates = characters = 0;
  const before = process.resourceUsage().minorPageFault;
  const cpu = process.cpuUsage();
  const began = performance.now();
  await peer.prompt(sessionId, 'go');
  const wallMs = performance.now() - began;
  const cpuUs = cpuSince(cpu);
  const pages = process.resourceUsage().minorPageFault - before;
  await peer.close();
  return { updates, characters, wallMs, cpuUs: cpuUs / frames, pages };
}
