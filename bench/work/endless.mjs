/** A line that never ends, at the cap that is there by default. */
const GIVE_UP_MS = 20_000;
const GONE_WITHIN_MS = 8_000;

function runs(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function measure(driver, agent) {
  const peer = await driver.open({ ...agent, onText: () => {} });
  const sessionId = await peer.newSession();
  const began = performance.now();
  const ended = await Promise.race([
    peer.prompt(sessionId, 'go').then(
      () => 'resolved',
      (error) => error.kind ?? error.name,
    ),
    new Promise((resolve) => setTimeout(resolve, GIVE_UP_MS, 'never')),
  ]);
  const wallMs = performance.now() - began;
  const until = performance.now() + GONE_WITHIN_MS;
  while (runs(peer.pid) && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
  const childGone = !runs(peer.pid);
  if (!childGone) process.kill(peer.pid, 'SIGKILL');
  return { wallMs, ended, childGone };
}
