/** What must hold of every replay, whatever the agent, or the way from it to us, does. Judged by the agent's own books. */
import { isDeepStrictEqual } from 'node:util';
import { AcpError } from '../../../src/index.js';
import type { Call } from './caller.js';
import { LONGEST_WAIT_MS, type Replay } from './replay.js';

const KINDS: ReadonlySet<string> = new Set([
  ...['spawn-failed', 'io', 'frame-too-large', 'protocol', 'version-unsupported', 'auth-required', 'capability-absent'],
  ...['idle', 'absolute', 'request-limit', 'write-timeout', 'cancel-unconfirmed', 'agent-exited', 'agent-error'],
  ...['scope-mismatch', 'busy', 'illegal-transition', 'closed', 'invalid-argument'],
]);
/** How time ends a wait for a silent agent. */
const BOUNDS: ReadonlySet<string> = new Set(['idle', 'absolute', 'request-limit', 'cancel-unconfirmed']);

const kindOf = ({ end }: Call): string | undefined => (end?.error instanceof AcpError ? end.error.kind : undefined);

/** Everything that is wrong with it, in words; empty if nothing is. */
export function faultsOf(replayed: Replay): string[] {
  const { caller, resting, left } = replayed;
  const { agent, calls } = caller;
  const stats = agent?.stats;
  // Behind a bound the grace of a cancel runs, behind a refused handshake that of the end of stdin.
  const waits = agent === undefined || calls.some((call) => BOUNDS.has(kindOf(call) ?? ''));
  return [
    ...calls.flatMap(faultsOfCall),
    ...faultsOfAnswers(replayed),
    ...(waits || resting === 0 ? [] : [`${resting} timers run on when no call waits`]),
    ...(left === undefined ? ['close() never settled'] : []),
    ...(left === undefined || left === 0 ? [] : [`${left} timers are left behind`]),
    ...(agent === undefined || agent.state === 'closed' ? [] : [`the agent is ${agent.state} after close()`]),
    ...(stats && stats.listenerErrors + stats.slowListeners > 0 ? ['a listener failed'] : []),
  ];
}

function faultsOfCall(call: Call): string[] {
  const { label, end, began } = call;
  if (end === undefined) return [`${label} never settled`];
  const waited = end.at - began.at;
  const typed = end.error === undefined || KINDS.has(kindOf(call) ?? '');
  return [
    ...(typed ? [] : [`${label} failed with ${String(end.error)}`]),
    ...(waited <= LONGEST_WAIT_MS ? [] : [`${label} took ${waited} ms`]),
  ];
}

/** No request of the agent is answered twice, and `selected` is the embedding program's own choice. */
function faultsOfAnswers({ caller, peer }: Replay): string[] {
  const answers = peer.script.received.filter(({ method }) => method === undefined);
  return answers.flatMap(({ id, result }, index) => {
    const { outcome } = (result ?? {}) as { outcome?: { outcome?: string; optionId?: string } };
    const twice = answers.findIndex((other) => other.id === id) !== index;
    const chosen = outcome?.outcome !== 'selected' || outcome.optionId === caller.chosen.get(id as number | string);
    return [
      ...(twice ? [`request ${String(id)} was answered twice`] : []),
      ...(chosen ? [] : [`nobody chose ${String(outcome?.optionId)}`]),
    ];
  });
}

/** The requests that the agent made and nobody answered. */
export function unanswered({ peer }: Replay): string[] {
  const answered = new Set(peer.script.received.filter(({ method }) => method === undefined).map(({ id }) => id));
  return [...peer.said]
    .filter(({ message }) => message.method !== undefined && message.id !== undefined)
    .filter(({ message }) => !answered.has(message.id as number | string))
    .map(({ message }) => `request ${String(message.id)} was never answered`);
}

/**
 * Of a replay whose agent was cut off or fell silent after `frames` of its lines: what had come to an end by then is as it
 * was in the whole one, and what had not says by its kind what happened.
 */
export function faultsOfBroken(broken: Replay, whole: Replay): string[] {
  const { frames, how } = broken.fault.after!;
  const { overAt = 0, said } = broken.peer;
  const owed = how === 'stall' ? unanswered(broken) : [];
  const wrongs = broken.caller.calls.flatMap((call) => {
    const { label, end, began, answer, sent } = call;
    if (end === undefined) return [];
    const before = whole.caller.calls.find(({ entry }) => entry === call.entry);
    if (how === 'cut' && end.at > Math.max(began.at, overAt)) return [`${label} outlived the stream`];
    if (before && endedWithin(before, frames)) {
      const same = isDeepStrictEqual(end.told, before.end?.told);
      return same ? [] : [`${label} ended as ${String(end.told)}, not as ${String(before.end?.told)}`];
    }
    const { error } = end;
    if (error === undefined) return sent && answer && !said.has(answer) ? [`${label} needed no answer`] : [];
    const fits = kindOf(call) === kindOf(before ?? call) || (error instanceof AcpError && fitting(how, error));
    return fits ? [] : [`${label} failed as ${kindOf(call) ?? 'no AcpError'}`];
  });
  return [...owed, ...wrongs];
}

/** By a line of the agent among the first `frames`, and not by time after it: loading ends when replay was quiet. */
function endedWithin(call: Call, frames: number): boolean {
  const { began, end, label } = call;
  if (end === undefined || BOUNDS.has(kindOf(call) ?? '')) return false;
  if (label === 'session/load' || label === 'session/resume') return end.frames < frames;
  return end.frames < frames || (began.frames < end.frames && end.frames === frames);
}

function fitting(how: 'cut' | 'stall', error: AcpError): boolean {
  if (error.kind === 'closed') return true;
  if (how === 'cut') return error.kind === 'agent-exited';
  // A turn that hit its bound keeps the session until the agent, which says nothing, has had its time to confirm.
  return BOUNDS.has(error.kind) || (error.kind === 'busy' && error.state === 'draining');
}
