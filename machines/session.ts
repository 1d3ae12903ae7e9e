/**
 * One session, from the request that opens it to its end.
 *
 * THEORY OF OPERATION. A connection spawns one of these per `session/new`, load, resume or fork. While *opening*, all
 * traffic of the session is replay, never live text; some agents replay after their answer, so a session with replay
 * waits until it has been quiet (`clock.replayQuiet`). An *open* session has two regions, which see the same events:
 * `turns` (sessionTurns.ts) runs one turn at a time, `permissions` (sessionPermissions.ts) holds the open questions.
 * The caller's actions, permissions and bounds are sent here; the agent's answers to a prompt go to the turn.
 * Conflicts: what ends the session while a turn runs is passed to the turn, and the session follows when it is done.
 */
import { assign } from 'xstate';
import type { Leaves } from './facts.js';
import { permissionsRegion } from './sessionPermissions.js';
import { sessionSetup } from './sessionSetup.js';
import { turnsRegion } from './sessionTurns.js';

export const sessionMachine = sessionSetup.createMachine({
  id: 'session',
  context: ({ input }) => ({
    ...input,
    turn: 0,
    questions: [],
    works: false,
    asksToClose: false,
    loss: undefined,
  }),
  initial: 'opening',
  states: {
    opening: {
      description: 'The request that opens the session is on the wire; whatever the agent tells of it is replay.',
      tags: ['opening', 'replaying'],
      meta: { wire: 'session/new' },
      initial: 'asked',
      on: {
        'agent.permission': {
          description: 'Nobody can be asked about a session that nobody holds yet.',
          actions: {
            type: 'answerCancelled',
            params: ({ event }) => ({ requests: [event.request], cause: 'closed' }),
          },
        },
        'agent.working': { actions: assign({ works: true }) },
        'agent.idle': { actions: assign({ works: false }) },
        'clock.bound': {
          target: 'failed',
          actions: {
            type: 'settleOpen',
            params: ({ context, event }) => ({ session: context.session, opened: false, loss: event.bound }),
          },
        },
        'user.close': {
          target: 'failed',
          actions: {
            type: 'settleOpen',
            params: ({ context }) => ({ session: context.session, opened: false, loss: 'closed' }),
          },
        },
        'transport.closed': {
          target: 'lost',
          actions: [
            {
              type: 'settleOpen',
              params: ({ context, event }) => ({ session: context.session, opened: false, loss: event.reason }),
            },
            assign({ loss: ({ event }) => event.reason }),
          ],
        },
      },
      states: {
        asked: {
          description: 'The agent has not answered yet.',
          entry: { type: 'sendOpen', params: ({ context }) => ({ session: context.session }) },
          on: {
            'agent.opened': [
              { guard: 'replays', target: 'quieting' },
              {
                target: '#session.open',
                actions: {
                  type: 'settleOpen',
                  params: ({ context }) => ({ session: context.session, opened: true, loss: undefined }),
                },
              },
            ],
            'agent.openError': {
              target: '#session.failed',
              actions: {
                type: 'settleOpen',
                params: ({ context }) => ({ session: context.session, opened: false, loss: undefined }),
              },
            },
          },
        },
        quieting: {
          description: 'Answered; what is replayed after the answer is waited out.',
          entry: { type: 'awaitQuiet', params: ({ context }) => ({ session: context.session }) },
          on: {
            'clock.replayQuiet': {
              target: '#session.open',
              actions: {
                type: 'settleOpen',
                params: ({ context }) => ({ session: context.session, opened: true, loss: undefined }),
              },
            },
          },
        },
      },
    },
    open: {
      description: 'The session can be prompted.',
      tags: 'open',
      type: 'parallel',
      states: { turns: turnsRegion, permissions: permissionsRegion },
    },
    closing: {
      description: '`session/close` is on the wire.',
      tags: 'closing',
      meta: { wire: 'session/close' },
      entry: { type: 'sendClose', params: ({ context }) => ({ session: context.session }) },
      on: {
        'agent.permission': {
          actions: {
            type: 'answerCancelled',
            params: ({ event }) => ({ requests: [event.request], cause: 'closed' }),
          },
        },
        'agent.sessionClosed': 'closed',
        'clock.bound': {
          description: 'The caller is told; for us the session is closed all the same.',
          target: 'closed',
          actions: assign({ loss: ({ event }) => event.bound }),
        },
        'transport.closed': { target: 'lost', actions: assign({ loss: ({ event }) => event.reason }) },
      },
    },
    closed: {
      description: 'Closed by us, or forgotten.',
      type: 'final',
      tags: 'closing',
      entry: {
        type: 'settleClose',
        params: ({ context }) => ({ session: context.session, loss: context.loss }),
      },
      output: { leaves: 'usable' },
    },
    failed: {
      description: 'It never came to be.',
      type: 'final',
      tags: 'closing',
      output: { leaves: 'usable' },
    },
    wedged: {
      description: 'A stopped turn was never answered: the agent is past trusting.',
      type: 'final',
      tags: 'closing',
      entry: {
        type: 'settleClose',
        params: ({ context }) => ({ session: context.session, loss: 'cancel-unconfirmed' }),
      },
      output: { leaves: 'wedged' },
    },
    lost: {
      description: 'The connection ended under it.',
      type: 'final',
      tags: 'closing',
      entry: {
        type: 'settleClose',
        params: ({ context }) => ({ session: context.session, loss: context.loss }),
      },
      output: { leaves: 'gone' },
    },
  },
  output: ({ context, event }) => ({
    session: context.session,
    leaves: (event.output as { leaves: Leaves }).leaves,
  }),
});
