/** What frames the page: who is watched and how that stands above, the place in the history below. */
import { byId, say } from './dom.js';
import { clockTime, count } from './format.js';

/** @typedef {import('./model.js').Model} Model */

/** @param {Model} now @param {string} link @returns {[kind: string, text: string]} */
function liveState(now, link) {
  if (now.closed !== undefined) {
    const gone = link === 'ended' ? '; the inspector has ended, the history stays here' : '';
    return ['over', `the connection is over: ${now.closed}${gone}`];
  }
  if (link === 'ended') return ['over', 'the connection is over: the inspector has ended, the history stays here'];
  if (link === 'lost') return ['lost', 'no word from the inspector, trying again'];
  if (link === 'waiting') return ['waiting', 'connecting to the inspector'];
  const root = now.actors.get('connection');
  if (!root) return ['waiting', 'waiting for a connection'];
  return ['live', 'live'];
}

/** @param {Model} now @param {{ link: string, paused: boolean, recording: string | undefined, trouble: string }} how */
export function showHeader(now, { link, paused, recording, trouble }) {
  const { agent, header } = now;
  const parts = agent ? [agent.name, agent.version, agent.protocol && `ACP ${agent.protocol}`] : [];
  if (header) parts.push(header.text ? 'with text' : 'without text');
  say(byId('who'), parts.filter((part) => part && !part.startsWith('[')).join('  ·  '));
  const [kind, text] = trouble
    ? ['lost', trouble]
    : recording !== undefined
      ? ['recording', `recording ${recording}${now.full ? ', cut at its cap' : ''}`]
      : liveState(now, link);
  const status = byId('status');
  status.dataset['kind'] = paused && kind === 'live' ? 'paused' : kind;
  say(status, paused && kind === 'live' ? 'paused' : text);
  byId('back').hidden = recording === undefined && !trouble;
}

/**
 * @param {import('./history.js').History} history
 * @param {{ paused: boolean, recording: boolean, listed: (entry: import('./types.js').Entry) => boolean }} how
 */
export function showTimeline({ entries, cursor, missing }, { paused, recording }) {
  const scrub = /** @type {HTMLInputElement} */ (byId('scrub'));
  scrub.max = String(entries.length);
  scrub.value = String(cursor);
  scrub.style.setProperty('--at', `${entries.length === 0 ? 100 : (100 * cursor) / entries.length}%`);
  const pause = /** @type {HTMLButtonElement} */ (byId('pause'));
  pause.disabled = recording;
  const behind = entries.length - cursor;
  say(pause, !paused || recording ? 'Pause' : behind > 0 ? `Go on (+${count(behind)})` : 'Go on');
  pause.ariaPressed = String(paused);
  const at = entries[Math.max(0, cursor - 1)];
  say(
    byId('where'),
    at ? `${count(missing + cursor)} of ${count(missing + entries.length)}, ${clockTime(at.t)} s` : '',
  );
}
