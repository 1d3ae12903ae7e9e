/**
 * Nothing that was spawned outlives the program that embeds us.
 *
 * `process.on('exit')` covers a return of the event loop, `process.exit` and an uncaught exception. It does not fire when SIGINT,
 * SIGTERM or SIGHUP end the program by their default action, so while agents live there is a listener for each of these three.
 * A listener replaces the default action, and libraries that mean well (ours is one) step back when they see another one: two of
 * them would swallow the signal between them. Hence the rule: **ours is registered exactly while nobody else's is.** When another
 * is added ours leaves; when the last other one is removed (a `once` that has fired, a library about to raise the signal again)
 * ours returns at once. When ours is called it is therefore alone, kills the groups, and raises the signal again: the program ends
 * by that signal as if we were not there. A program that listens itself decides; if it exits, 'exit' does the rest.
 *
 * Beyond reach: SIGKILL, a crash of the runtime, `process.abort()`. The agent then sees the end of its stdin.
 */
interface Guarded {
  signal(signal: 'SIGKILL'): boolean;
}

type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';
const ENDING_SIGNALS: readonly EndingSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const guarded = new Set<Guarded>();
let armed = false;

/** Has `group` killed when the program ends, until `release`. */
export function guard(group: Guarded): void {
  guarded.add(group);
  if (!armed) arm();
}

export function release(group: Guarded): void {
  guarded.delete(group);
  if (guarded.size === 0) disarm();
}

function arm(): void {
  armed = true;
  process.on('exit', killAll);
  // The kernel drops signals without a handler for the first process of a container: no default action that we could stand in for.
  if (process.pid === 1) return;
  for (const signal of ENDING_SIGNALS) yieldOrReturn(signal);
  process.on('newListener', onListenerAdded);
  process.on('removeListener', onListenerRemoved);
}

function disarm(): void {
  armed = false;
  process.removeListener('exit', killAll);
  process.removeListener('newListener', onListenerAdded);
  process.removeListener('removeListener', onListenerRemoved);
  for (const signal of ENDING_SIGNALS) process.removeListener(signal, onSignal);
}

function killAll(): void {
  for (const group of guarded) group.signal('SIGKILL');
}

function onSignal(signal: NodeJS.Signals): void {
  disarm();
  killAll();
  process.kill(process.pid, signal);
}

function onListenerAdded(event: string | symbol, listener: unknown): void {
  const signal = ENDING_SIGNALS.find((name) => name === event);
  // Told before it is added, and Node lets go of a signal that has no listener: ours leaves once the other is there.
  if (signal && listener !== onSignal) process.nextTick(yieldOrReturn, signal);
}

function onListenerRemoved(event: string | symbol): void {
  const signal = ENDING_SIGNALS.find((name) => name === event);
  // Not a tick later: whoever left may raise the signal in its next statement.
  if (signal) yieldOrReturn(signal);
}

function yieldOrReturn(signal: EndingSignal): void {
  const listeners = process.listeners(signal);
  const present = listeners.includes(onSignal);
  const others = listeners.length > (present ? 1 : 0);
  if (others && present) process.removeListener(signal, onSignal);
  else if (armed && !others && !present) process.on(signal, onSignal);
}
