/**
 * A consumer that takes one update per millisecond, of an agent that streams as fast as it can. At the end the turn is
 * cancelled where the driver can; then a second one, just as slow, is given a bound.
 */
const SAMPLE_MS = 50;
const BOUND_MS = 1_000;
const pause = () => new Promise((resolve) => setTimeout(resolve, 1));

export async function measure(driver, agent, { streamMs }) {
  let taken = 0;
  let asked = 0;
  const permissions = driver.permissions?.(() => (asked += 1));
  const peer = await driver.open({
    ...agent,
    ...(permissions ? { permissions, cancelGraceMs: streamMs } : {}),
    onText: () => {
      taken += 1;
      return pause();
    },
  });
  const sessionId = await peer.newSession();
  const start = process.memoryUsage().rss;
  let peak = start;
  const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), SAMPLE_MS);
  const turn = peer.prompt(sessionId, 'go');
  turn.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, streamMs));
  const result = { taken, grownMB: 0 };
  if (peer.cancel) {
    const began = performance.now();
    await peer.cancel(sessionId);
    result.outcome = (await turn).outcome;
    result.cancelMs = performance.now() - began;
    result.permissions = asked;
    const bounded = await peer.prompt(sessionId, 'again', { budget: { absoluteMs: BOUND_MS } }).catch((error) => error);
    result.bound = bounded.kind;
  }
  result.grownMB = (peak - start) / 2 ** 20;
  clearInterval(sampler);
  if (!peer.cancel) process.kill(peer.pid, 'SIGKILL');
  else await peer.close();
  return result;
}
