/** Setting what a session offers: the store says how, the agent says what is in effect. */
import { SELECTABLE, type Plan, type Selectable } from '../session/options.js';
import { ask, type CallOptions } from './calls.js';
import type { Link } from './link.js';
import type { Seat } from './seat.js';
import type { Call } from '../wire/normal.js';

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

/** What is sent for a plan, what the agent must have served before, and how its answer is taken. */
function stepsOf(link: Link, seat: Seat, plan: Exclude<Plan, { refused: string }>): Steps {
  const { dialect } = link;
  const id = seat.id ?? '';
  const store = seat.options;
  switch (plan.via) {
    case 'setMode':
      return { call: dialect.setMode(id, plan.modeId), capability: 'modes', take: () => store.modeIs(plan.modeId) };
    case 'setModel':
      return {
        call: dialect.setModel(id, plan.modelId),
        capability: 'models',
        take: () => store.modelIs(plan.modelId),
      };
    case 'config':
      return {
        call: dialect.setConfig(id, plan.configId, plan.value),
        capability: 'configOptions',
        take: (result) => {
          const config = dialect.readConfig(result);
          if (config) store.configReplaced(config);
          else store.configConfirmed(plan.configId, plan.value);
        },
      };
  }
}
interface Steps {
  call: Call;
  capability: string;
  take: (result: unknown) => void;
}

function carryOut(link: Link, seat: Seat, plan: Plan, options: CallOptions | undefined): Promise<true> {
  const sessionId = seat.id ?? '';
  const asking = { phase: 'request', options, sessionId } as const;
  if (seat.over) return Promise.reject(link.error({ kind: 'closed', phase: 'request', sessionId, reason: 'closed' }));
  if ('refused' in plan) {
    const { refused, ...facts } = plan;
    return Promise.reject(link.error({ kind: refused, phase: 'request', sessionId, ...facts }));
  }
  const { call, capability, take } = stepsOf(link, seat, plan);
  if (link.missing.has(call.method)) {
    return Promise.reject(link.error({ kind: 'capability-absent', phase: 'request', sessionId, capability }));
  }
  // Read in order of arrival: an update that comes after the answer is newer than it.
  const read = (result: unknown): true => {
    take(result);
    seat.changes.tell();
    return true;
  };
  return ask(link, call, { ...asking, read });
}
