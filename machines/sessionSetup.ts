/** The vocabulary of the session chart: its facts, its events, the effects it asks for. The states are in session.ts. */
import { setup } from 'xstate';
import type { Bound, Leaves, Loss } from './facts.js';
import { isAsked, type Dismissal, type Question } from './questions.js';
import { turnMachine, type TurnOutput } from './turn.js';

export interface SessionInput {
  /** The join's number of this session; effects carry it. */
  session: number;
  /** A history may be replayed: load, or resume with replay. */
  replays: boolean;
  /** How long a turn may take to confirm a stop, in ms. */
  cancelGraceMs: number;
}

export interface SessionContext extends SessionInput {
  /** The turn that runs; 0: none. */
  turn: number;
  /** Open questions in order of arrival. */
  questions: readonly Question[];
  /** v2: the agent said that it works while the session was being opened. */
  works: boolean;
  /** Whether closing is asked of the agent (`session/close`), or the session is only forgotten. */
  asksToClose: boolean;
  /** Why the connection went, once it did. */
  loss: Loss | undefined;
}

export type SessionEvent =
  /** The result of `session/new`, `session/load`, `session/resume` or `session/fork`. */
  | { type: 'agent.opened' }
  /** Its error, or no readable result. */
  | { type: 'agent.openError' }
  /** Replay has been quiet long enough. */
  | { type: 'clock.replayQuiet' }
  /** `session/request_permission`. */
  | { type: 'agent.permission'; request: number }
  /** `$/cancel_request` for it. */
  | { type: 'agent.withdraw'; request: number }
  /** v2: `state_update` with any state but idle, while no turn runs. */
  | { type: 'agent.working' }
  /** v2: `state_update` idle, while no turn runs. */
  | { type: 'agent.idle' }
  /** The answer, of whatever kind, to `session/close`. */
  | { type: 'agent.sessionClosed' }
  | { type: 'user.prompt'; turn: number }
  | { type: 'user.cancel' }
  /** The embedding program chose an offered option. */
  | { type: 'user.decide'; request: number; option: string }
  /** It chose none, or could not be asked. */
  | { type: 'user.dismiss'; request: number; cause: Dismissal }
  /** `asks`: by `session/close`; else the session is only forgotten. */
  | { type: 'user.close'; asks: boolean }
  /** A bound of what is waited for: opening, the turn, closing. */
  | { type: 'clock.bound'; bound: Bound }
  /** The connection is gone. */
  | { type: 'transport.closed'; reason: Loss }
  | { type: 'xstate.done.actor.turn'; output: TurnOutput };

export interface SessionOutput {
  session: number;
  leaves: Leaves;
}

export const sessionSetup = setup({
  types: {
    context: {} as SessionContext,
    events: {} as SessionEvent,
    input: {} as SessionInput,
    output: {} as SessionOutput,
    tags: {} as 'opening' | 'replaying' | 'open' | 'busy' | 'cancelling' | 'background' | 'closing',
    meta: {} as { wire?: string },
  },
  actors: { turn: turnMachine },
  actions: {
    /** Write the request that opens the session and wait for its answer. */
    sendOpen: (_, _params: { session: number }) => {},
    /** Wait until replay has been quiet. */
    awaitQuiet: (_, _params: { session: number }) => {},
    /** Tell the caller who opens it. `loss`: why it did not come about; undefined: the agent's own answer says. */
    settleOpen: (_, _params: { session: number; opened: boolean; loss: Loss | undefined }) => {},
    /** Write `session/prompt`. */
    sendPrompt: (_, _params: { session: number; turn: number }) => {},
    /** Write `session/cancel`. */
    writeCancel: (_, _params: { session: number }) => {},
    /** Put a question to the policy; it comes back as `user.decide` or `user.dismiss`. */
    askPolicy: (_, _params: { session: number; request: number; turn: number }) => {},
    /** Write `selected`. */
    answerSelected: (_, _params: { request: number; option: string }) => {},
    /** Write `cancelled` for each. */
    answerCancelled: (_, _params: { requests: readonly number[]; cause: Dismissal }) => {},
    /** Write `session/close`. */
    sendClose: (_, _params: { session: number }) => {},
    /** Tell the caller who closes it, if any. */
    settleClose: (_, _params: { session: number; loss: Loss | undefined }) => {},
    /** The next prompt that waits may go. */
    reportIdle: (_, _params: { session: number }) => {},
  },
  guards: {
    replays: ({ context }) => context.replays,
    worksAlready: ({ context }) => context.works,
    inTurn: ({ context }) => context.turn !== 0,
    asks: (_, params: { asks: boolean }) => params.asks,
    isAsked: ({ context }, params: { request: number }) => isAsked(context.questions, params.request),
    leavesUsable: (_, params: { leaves: Leaves }) => params.leaves === 'usable',
    leavesUsableAndAsks: ({ context }, params: { leaves: Leaves }) => params.leaves === 'usable' && context.asksToClose,
    leavesNothing: (_, params: { leaves: Leaves }) => params.leaves === 'gone',
  },
});
