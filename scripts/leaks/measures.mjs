/** What can be left behind, measured by other means than the library's own. */
import { getEventListeners } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The library's clock, which knows what is armed. */
export function countingClock() {
  const armed = new Set();
  return {
    now: () => performance.now(),
    setTimeout: (fn, ms) => {
      const timer = setTimeout(() => {
        armed.delete(timer);
        fn();
      }, ms);
      armed.add(timer);
      return timer;
    },
    clearTimeout: (timer) => {
      armed.delete(timer);
      clearTimeout(timer);
    },
    pending: () => armed.size,
  };
}

/** Objects that must be garbage in the end. */
export function watchList() {
  let refs = [];
  let made = 0;
  return {
    add: (object) => {
      made += 1;
      refs.push(new WeakRef(object));
      return object;
    },
    /** Those that are gone are forgotten, or this list would be the leak. */
    alive: () => {
      refs = refs.filter((ref) => ref.deref() !== undefined);
      return refs.length;
    },
    made: () => made,
  };
}

/** A weak reference that was made or read in this turn of the loop is still a strong one: hence the turns between. */
export async function collect() {
  for (let i = 0; i < 4; i++) {
    await nextTurn();
    globalThis.gc();
  }
  await nextTurn();
}

const MARK = 'ACP_TURNSTILE_LEAKS';
/** An environment by which whatever a round starts, at any remove and in any group, is found again. */
export const marked = (mark) => ({ ...process.env, [MARK]: `${process.pid}.${mark}.` });

function read(file) {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return ''; // it went away since it was listed, or is another user's
  }
}

const listed = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name));
/** Whoever ran before we began is none of ours, and there may be many. */
const strangers = new Set(listed());
const pids = () => listed().filter((pid) => !strangers.has(pid));

/** Processes with this mark, or with any mark of this run, that are alive. A zombie has no environment. */
export const alive = (mark) => {
  const wanted = `${MARK}=${process.pid}.${mark === undefined ? '' : `${mark}.`}`;
  return pids().filter((pid) => read(`/proc/${pid}/environ`).includes(wanted));
};

/** Children of ours, dead ones that nobody waited for included. */
const children = () =>
  pids().filter((pid) => {
    const stat = read(`/proc/${pid}/stat`);
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === process.pid;
  });

const countListeners = () => process.eventNames().reduce((sum, name) => sum + process.listeners(name).length, 0);

/** Everything that is compared before and after. `signals` are those that every call is given. */
export function census(signals) {
  return {
    processes: alive().length,
    children: children().length,
    resources: process.getActiveResourcesInfo().filter((type) => type !== 'Immediate').length,
    descriptors: readdirSync('/proc/self/fd').length,
    processListeners: countListeners(),
    signalListeners: signals.reduce((sum, signal) => sum + getEventListeners(signal, 'abort').length, 0),
  };
}

/** Growth per round by least squares over [round, bytes]. */
export function growth(points) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(points.map(([round]) => round));
  const y = mean(points.map(([, bytes]) => bytes));
  const covariance = points.reduce((sum, [round, bytes]) => sum + (round - x) * (bytes - y), 0);
  const variance = points.reduce((sum, [round]) => sum + (round - x) ** 2, 0);
  return variance === 0 ? 0 : covariance / variance;
}
