/** The vocabulary of the connection chart: its facts, its events, the effects it asks for. The states are in connection.ts. */
import { setup } from 'xstate';
import type { Bound, Loss } from './facts.js';
import { processMachine, type ProcessOutput } from './process.js';
import { sessionMachine } from './session.js';
import type { SessionOutput } from './sessionSetup.js';

export interface ConnectionInput {
  /** Protocol versions that may be offered, newest first. */
  versions: readonly number[];
  /** Whether a new process can be started for a second offer; not so over a caller's own streams. */
  canStartAgain: boolean;
  /** How long the agent may take to leave after its stdin was closed, in ms. */
  closeGraceMs: number;
  /** How long a turn may take to confirm a stop, in ms. */
  cancelGraceMs: number;
}

export interface ConnectionContext extends ConnectionInput {
  /** The version that is offered now. */
  offer: number;
  /** A second offer was made: there is no third. */
  offeredAgain: boolean;
  /** Slots of the sessions that live: the ids of the children are `session.<slot>`, and slots are used again. */
  slots: readonly number[];
  /** Why the connection is over, once it is. */
  reason: Loss | undefined;
}

export type ConnectionEvent =
  /** The process runs: frames may flow. */
  | { type: 'process.running' }
  /** The process exited, and others of its group are left. */
  | { type: 'process.died' }
  /** An `initialize` result that both sides can speak. */
  | { type: 'agent.initialized' }
  /** `initialize` refused by -32600, -32602 or -32603, or answered in the shape of a lower version. */
  | { type: 'agent.offerRefused'; reason: Loss }
  /** `initialize` refused by -32022 with the versions that the agent speaks. */
  | { type: 'agent.versionUnsupported'; speaks: readonly number[] }
  /** `initialize` refused for another reason, or with no readable result. */
  | { type: 'agent.initializeError'; reason: Loss }
  /** Some call was refused by -32000. */
  | { type: 'agent.authRequired' }
  /** The result of `authenticate` (v2 `auth/login`). */
  | { type: 'agent.authenticated' }
  /** Its error. */
  | { type: 'agent.authError' }
  /** `session`: the join's number of it. */
  | { type: 'user.openSession'; session: number; replays: boolean }
  | { type: 'user.authenticate' }
  | { type: 'user.close' }
  /** The bound of the handshake, or of `authenticate`, fired. */
  | { type: 'clock.bound'; bound: Bound }
  /** The wire is past using. */
  | { type: 'transport.fatal'; reason: Loss }
  | { type: 'xstate.done.actor.process'; output: ProcessOutput }
  | { type: `xstate.done.actor.session.${number}`; output: SessionOutput; actorId: string }
  | { type: `xstate.error.actor.session.${number}`; error: unknown; actorId: string };

export interface ConnectionOutput {
  reason: Loss;
}

/** The newest version that is lower than the offer, among those that the agent names (undefined: it named none). */
export const nextOffer = (context: ConnectionContext, speaks: readonly number[] | undefined): number | undefined =>
  context.offeredAgain
    ? undefined
    : context.versions.find((v) => v !== context.offer && (speaks ? speaks.includes(v) : v < context.offer));

export const lowestFreeSlot = (slots: readonly number[]): number => {
  let slot = 1;
  while (slots.includes(slot)) slot += 1;
  return slot;
};

/** `session.3` is in slot 3. */
export const slotOf = (actorId: string): number => Number(actorId.slice('session.'.length));

export const connectionSetup = setup({
  types: {
    context: {} as ConnectionContext,
    events: {} as ConnectionEvent,
    input: {} as ConnectionInput,
    output: {} as ConnectionOutput,
    tags: {} as 'connecting' | 'ready' | 'closing' | 'closed',
    meta: {} as { wire?: string },
  },
  actors: { process: processMachine, session: sessionMachine },
  actions: {
    /** Write `initialize`. */
    sendInitialize: (_, _params: { version: number }) => {},
    /** `connect()` is over. */
    settleConnect: (_, _params: { reason: Loss | undefined }) => {},
    sendAuthenticate: () => {},
    settleAuthenticate: (_, _params: { loss: Loss | undefined }) => {},
    /** Tell every session that the connection is gone. */
    loseSessions: (_, _params: { reason: Loss }) => {},
    /** Everything that still waits is told. */
    settleClosed: (_, _params: { reason: Loss }) => {},
  },
  guards: {
    lowerOfferLeft: ({ context }) => nextOffer(context, undefined) !== undefined,
    mayStartAgain: ({ context }) => context.canStartAgain && nextOffer(context, undefined) !== undefined,
    commonOfferLeft: ({ context }, params: { speaks: readonly number[] }) =>
      nextOffer(context, params.speaks) !== undefined,
    leavesWedged: (_, params: { leaves: SessionOutput['leaves'] }) => params.leaves === 'wedged',
  },
});
