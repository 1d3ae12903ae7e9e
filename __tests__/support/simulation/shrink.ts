/** Cuts a failing script down to what it takes: delta debugging over its actions. */
import { replay, type Report } from './run.js';
import type { Script, Setup } from './script.js';

/** Numbers in a violation change with the script; the words say which one it is. */
const named = (violation: string | undefined): string | undefined => violation?.replaceAll(/[\d.,]+/g, '#');

/** The smallest script found that fails in the same words. `tries` bounds the runs. */
export async function shrink(failed: Report, tries = 2000): Promise<Report> {
  const wanted = named(failed.violation);
  let best = failed;
  let left = tries;
  const attempt = async (script: Script): Promise<boolean> => {
    if (left-- <= 0) return false;
    const report = await replay(script);
    if (named(report.violation) !== wanted) return false;
    best = report;
    return true;
  };
  for (let size = Math.ceil(best.script.actions.length / 2); size >= 1 && left > 0;) {
    let cut = false;
    for (let from = 0; from < best.script.actions.length && left > 0;) {
      const { setup, actions } = best.script;
      const fewer = [...actions.slice(0, from), ...actions.slice(from + size)];
      if (await attempt({ setup, actions: fewer })) cut = true;
      else from += size;
    }
    if (!cut || size > 1) size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  for (const plain of [
    { listener: 'none', policy: 'cancel', scope: 'route', handshake: 'plain', handlers: false },
    { listener: 'none' },
    { scope: 'route' },
    { policy: 'cancel' },
    { policy: 'ask' },
    { handshake: 'plain' },
    { handlers: false },
    { ending: 'close' },
  ] as Partial<Setup>[]) {
    await attempt({ setup: { ...best.script.setup, ...plain }, actions: best.script.actions });
  }
  // Without what is joined, cut and held where that makes no difference.
  for (let i = 0; i < best.script.actions.length; i += 1) {
    const { actions } = best.script;
    const { join, cut, hold, ...bare } = actions[i] as { join?: true; cut?: number; hold?: number; do: string };
    if (join === undefined && cut === undefined && hold === undefined) continue;
    await attempt({ setup: best.script.setup, actions: actions.with(i, bare as (typeof actions)[number]) });
  }
  return best;
}
