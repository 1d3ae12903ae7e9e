/**
 * One prompt turn, from the written `session/prompt` to the answer that ends it.
 *
 * THEORY OF OPERATION. A session invokes one of these per prompt and sends it what concerns the turn: the agent's
 * answer (v1: the result that carries a stop reason; v2: an acknowledgement, then state updates), the caller's cancel,
 * a bound that fired, the loss of the connection. There is one end rule and no version: a result with a stop reason
 * ends a turn; an idle state ends it once the turn has *begun* (the prompt was accepted, or the agent was seen working),
 * since an idle seen before is a stale snapshot. While we are stopping, an idle with a stop reason ends it too.
 *
 * A turn that hits a bound tells its caller at once (`settleTurn`) but goes on owing the answer: the session stays busy
 * until the agent confirms, or until the one grace period, which starts with the first stop and is never restarted, is
 * over. Then the agent is past trusting (`wedged`) and the connection will be closed. `settleTurn` is asked for exactly
 * once on every path. The turn writes nothing: what must leave the pipe in a given order is written by the session.
 */
import { assign, setup } from 'xstate';
import type { Bound, Leaves, Loss, TurnFailure } from './facts.js';

export interface TurnInput {
  /** The join's number of the session; effects carry it. */
  session: number;
  /** The join's number of this turn. */
  turn: number;
  /** How long the agent may take to confirm a stop. */
  cancelGraceMs: number;
}

export interface TurnContext extends TurnInput {
  /** The prompt was accepted or the agent was seen working: an idle now means an end. */
  begun: boolean;
  /** The caller asked to cancel. */
  cancelRequested: boolean;
  /** The caller has been told how the turn ended. */
  settled: boolean;
}

export type TurnEvent =
  /** v2: the result of `session/prompt` without a stop reason. */
  | { type: 'agent.promptAccepted' }
  /** The result of `session/prompt` with a stop reason. */
  | { type: 'agent.promptResult'; stopReason: string }
  /** An error, or no readable result, for `session/prompt`. */
  | { type: 'agent.promptError'; failure: TurnFailure }
  /** v2: `state_update` with any state but idle. */
  | { type: 'agent.working' }
  /** v2: `state_update` idle; `failed`: with the stop reason `error`. */
  | { type: 'agent.idle'; stopReason: string | undefined; failed: boolean }
  /** The session has written `session/cancel` for the caller. */
  | { type: 'user.cancel' }
  /** A bound of the turn's budget fired; the session has written `session/cancel`. */
  | { type: 'clock.bound'; bound: Bound }
  /** The connection is gone. */
  | { type: 'transport.closed'; reason: Loss };

/** How a turn ended, for its caller: a stop reason (undefined: an idle state without one), or a failure. */
export interface Settlement {
  session: number;
  turn: number;
  stopReason: string | undefined;
  failure: TurnFailure | undefined;
  cancelRequested: boolean;
}

export interface TurnOutput {
  turn: number;
  leaves: Leaves;
}

const settlement = (
  context: TurnContext,
  end: { stopReason?: string | undefined; failure?: TurnFailure },
): Settlement => ({
  session: context.session,
  turn: context.turn,
  stopReason: end.stopReason,
  failure: end.failure,
  cancelRequested: context.cancelRequested,
});

type Args<E> = { context: TurnContext; event: E };
const settleWithReason = {
  type: 'settleTurn',
  params: ({ context, event }: Args<{ stopReason: string | undefined }>) =>
    settlement(context, { stopReason: event.stopReason }),
} as const;
const settleCancelled = {
  type: 'settleTurn',
  params: ({ context }: Args<object>) => settlement(context, { stopReason: 'cancelled' }),
} as const;
const settleBound = {
  type: 'settleTurn',
  params: ({ context, event }: Args<{ bound: Bound }>) => settlement(context, { failure: event.bound }),
} as const;
const settleLoss = {
  type: 'settleTurn',
  params: ({ context, event }: Args<{ reason: Loss }>) => settlement(context, { failure: event.reason }),
} as const;
const failWith = (failure: TurnFailure) =>
  ({ type: 'settleTurn', params: ({ context }: Args<object>) => settlement(context, { failure }) }) as const;

const over = { type: 'final', tags: 'settled' } as const;

export const turnMachine = setup({
  types: {
    context: {} as TurnContext,
    events: {} as TurnEvent,
    input: {} as TurnInput,
    output: {} as TurnOutput,
    tags: {} as 'acceptsUpdates' | 'cancelling' | 'settled',
    meta: {} as { wire?: string },
  },
  actions: {
    /** Tell the caller; the last thing that a turn says to it. */
    settleTurn: (_, _params: Settlement) => {},
  },
  guards: {
    hasBegun: ({ context }) => context.begun,
    begunAndFailed: ({ context }, params: { failed: boolean }) => context.begun && params.failed,
    endsTheStop: ({ context }, params: { stopReason: string | undefined }) =>
      context.begun || params.stopReason !== undefined,
    alreadySettled: ({ context }) => context.settled,
  },
  delays: {
    cancelGrace: ({ context }) => context.cancelGraceMs,
  },
}).createMachine({
  id: 'turn',
  context: ({ input }) => ({ ...input, begun: false, cancelRequested: false, settled: false }),
  initial: 'running',
  states: {
    running: {
      description: '`session/prompt` is on the wire; the agent streams `session/update`.',
      tags: 'acceptsUpdates',
      meta: { wire: 'session/prompt' },
      on: {
        'agent.promptAccepted': { actions: assign({ begun: true }) },
        'agent.working': { actions: assign({ begun: true }) },
        'agent.promptResult': { target: 'ended', actions: settleWithReason },
        'agent.promptError': {
          target: 'ended',
          actions: {
            type: 'settleTurn',
            params: ({ context, event }) => settlement(context, { failure: event.failure }),
          },
        },
        'agent.idle': [
          {
            guard: { type: 'begunAndFailed', params: ({ event }) => ({ failed: event.failed }) },
            target: 'ended',
            actions: failWith('agent-error'),
          },
          { guard: 'hasBegun', target: 'ended', actions: settleWithReason },
        ],
        'user.cancel': { target: 'stopping', actions: assign({ cancelRequested: true }) },
        'clock.bound': { target: 'stopping.owed', actions: [settleBound, assign({ settled: true })] },
        'transport.closed': { target: 'gone', actions: settleLoss },
      },
    },
    stopping: {
      description: '`session/cancel` was written. The one grace period runs, whatever else happens.',
      tags: 'cancelling',
      meta: { wire: 'session/cancel' },
      initial: 'confirming',
      after: {
        cancelGrace: [
          { guard: 'alreadySettled', target: 'wedged' },
          { target: 'wedged', actions: failWith('cancel-unconfirmed') },
        ],
      },
      on: {
        'agent.promptAccepted': { actions: assign({ begun: true }) },
        'agent.working': { actions: assign({ begun: true }) },
      },
      states: {
        confirming: {
          description: 'The caller waits for the agent to confirm; any end of the turn does.',
          tags: 'acceptsUpdates',
          on: {
            'agent.promptResult': { target: '#turn.ended', actions: settleWithReason },
            'agent.promptError': {
              description: 'Agents that turn an aborted call into an error mean the same: cancelled.',
              target: '#turn.ended',
              actions: settleCancelled,
            },
            'agent.idle': [
              {
                guard: { type: 'begunAndFailed', params: ({ event }) => ({ failed: event.failed }) },
                target: '#turn.ended',
                actions: settleCancelled,
              },
              {
                guard: { type: 'endsTheStop', params: ({ event }) => ({ stopReason: event.stopReason }) },
                target: '#turn.ended',
                actions: settleWithReason,
              },
            ],
            'clock.bound': { target: 'owed', actions: [settleBound, assign({ settled: true })] },
            'transport.closed': { target: '#turn.gone', actions: settleLoss },
          },
        },
        owed: {
          description: 'The caller has been told of the bound; the agent still owes the end of the turn.',
          tags: 'settled',
          on: {
            'agent.promptResult': '#turn.released',
            'agent.promptError': '#turn.released',
            'agent.idle': {
              guard: { type: 'endsTheStop', params: ({ event }) => ({ stopReason: event.stopReason }) },
              target: '#turn.released',
            },
            'transport.closed': '#turn.gone',
          },
        },
      },
    },
    ended: { ...over, description: 'The agent ended the turn and the caller knows.', output: { leaves: 'usable' } },
    released: { ...over, description: 'The answer that was owed has come.', output: { leaves: 'usable' } },
    wedged: { ...over, description: 'The grace is over without an answer.', output: { leaves: 'wedged' } },
    gone: { ...over, description: 'The connection ended first.', output: { leaves: 'gone' } },
  },
  output: ({ context, event }) => ({ turn: context.turn, leaves: (event.output as { leaves: Leaves }).leaves }),
});
