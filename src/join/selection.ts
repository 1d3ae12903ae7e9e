/** Setting what a session offers: the store says how, the agent says what is in effect. */
import { SELECTABLE, type Plan, type Selectable } from '../session/options.js';
import { ask, type CallOptions } from './calls.js';
import type { Link } from './link.js';
import type { Seat } from './seat.js';

export type Selection = { [K in Selectable]?: string | undefined };

/** Model, effort, mode, in this order; stops at the first failure. Gives what the agent says is in effect. */
export async function select(
  link: Link,
  seat: Seat,
  wanted: Selection,
  options: CallOptions | undefined,
): Promise<Selection> {
  const selected: Selection = {};
  for (const what of SELECTABLE) {
    const value = wanted[what];
    if (value === undefined) continue;
    await carryOut(link, seat, seat.options.plan(what, value), options);
    const current = seat.options.current(what);
    if (current !== undefined) selected[what] = current;
  }
  return selected;
}

/** One config option, by its id and exactly as advertised. */
export async function setConfigOption(
  link: Link,
  seat: Seat,
  id: string,
  value: string | boolean,
  options: CallOptions | undefined,
): Promise<string | boolean | undefined> {
  await carryOut(link, seat, seat.options.planConfig(id, value), options);
  return seat.options.currentConfig(id);
}

function carryOut(link: Link, seat: Seat, plan: Plan, options: CallOptions | undefined): Promise<true> {
  const sessionId = seat.id ?? '';
  const store = seat.options;
  const asking = { phase: 'request', options, sessionId } as const;
  if (seat.over) return Promise.reject(link.error({ kind: 'closed', phase: 'request', sessionId, reason: 'closed' }));
  if ('refused' in plan) {
    const { refused, ...facts } = plan;
    return Promise.reject(link.error({ kind: refused, phase: 'request', sessionId, ...facts }));
  }
  // Read in order of arrival: an update that comes after the answer is newer than it.
  const confirmed = (apply: () => void): true => {
    apply();
    seat.changes.tell();
    return true;
  };
  if (plan.via === 'setMode') {
    const read = (): true => confirmed(() => store.modeIs(plan.modeId));
    return ask(link, link.dialect.setMode(sessionId, plan.modeId), { ...asking, read });
  }
  if (plan.via === 'setModel') {
    const read = (): true => confirmed(() => store.modelIs(plan.modelId));
    return ask(link, link.dialect.setModel(sessionId, plan.modelId), { ...asking, read });
  }
  const read = (result: unknown): true =>
    confirmed(() => {
      const config = link.dialect.readConfig(result);
      if (config) store.configReplaced(config);
      else store.configConfirmed(plan.configId, plan.value);
    });
  return ask(link, link.dialect.setConfig(sessionId, plan.configId, plan.value), { ...asking, read });
}
