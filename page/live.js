/** The stream of what happens now. It mends itself: after a break the server goes on where the page stopped. */

const MOST_FAILURES = 3;

/**
 * @param {{
 *   reset(base: unknown[], missing: number): void,
 *   lines(lines: unknown[]): void,
 *   tick(tick: import('./types.js').Tick): void,
 *   link(state: 'open' | 'lost' | 'ended'): void,
 * }} on
 */
export function listen(on) {
  const source = new EventSource('events');
  let failures = 0;
  /** @param {string} name @param {(data: any) => void} take */
  const take = (name, take) =>
    source.addEventListener(name, (event) => take(JSON.parse(/** @type {MessageEvent<string>} */ (event).data)));
  source.addEventListener('open', () => {
    failures = 0;
    on.link('open');
  });
  source.addEventListener('error', () => {
    failures += 1;
    if (failures >= MOST_FAILURES) source.close();
    on.link(source.readyState === EventSource.CLOSED ? 'ended' : 'lost');
  });
  take('reset', ({ base, missing }) => on.reset(base, missing));
  take('lines', (lines) => on.lines(lines));
  take('tick', (tick) => on.tick(tick));
  take('bye', () => {
    source.close();
    on.link('ended');
  });
}
