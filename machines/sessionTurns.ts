/**
 * The turns of an open session: one at a time.
 *
 * THEORY OF OPERATION. `prompting` invokes the turn chart and is left only when that is done, so that nothing is ever
 * sent to a turn that is not there; what the turn leaves behind says where the session goes. `session/cancel` is
 * written here, as an action of the transition, so that it leaves before the other region answers the open questions.
 */
import { assign, sendTo } from 'xstate';
import { sessionSetup } from './sessionSetup.js';

export const turnsRegion = sessionSetup.createStateConfig({
  initial: 'idle',
  states: {
    idle: {
      description: 'No turn runs.',
      entry: { type: 'reportIdle', params: ({ context }) => ({ session: context.session }) },
      always: { guard: 'worksAlready', target: 'background' },
      on: {
        'user.prompt': { target: 'prompting', actions: assign({ turn: ({ event }) => event.turn }) },
        'agent.working': 'background',
        'user.close': [
          { guard: { type: 'asks', params: ({ event }) => ({ asks: event.asks }) }, target: '#session.closing' },
          { target: '#session.closed' },
        ],
        'transport.closed': { target: '#session.lost', actions: assign({ loss: ({ event }) => event.reason }) },
      },
    },
    background: {
      description: 'v2: the agent works without a prompt of ours; a turn is not legal until it is idle.',
      tags: ['busy', 'background'],
      meta: { wire: 'state_update' },
      entry: assign({ works: false }),
      on: {
        'agent.idle': 'idle',
        'user.close': [
          { guard: { type: 'asks', params: ({ event }) => ({ asks: event.asks }) }, target: '#session.closing' },
          { target: '#session.closed' },
        ],
        'transport.closed': { target: '#session.lost', actions: assign({ loss: ({ event }) => event.reason }) },
      },
    },
    prompting: {
      description: 'One turn runs. Its answers go to it directly; what the caller does comes here.',
      tags: 'busy',
      initial: 'turning',
      invoke: {
        id: 'turn',
        src: 'turn',
        input: ({ context }) => ({
          session: context.session,
          turn: context.turn,
          cancelGraceMs: context.cancelGraceMs,
        }),
        onDone: [
          {
            guard: { type: 'leavesUsable', params: ({ event }) => ({ leaves: event.output.leaves }) },
            target: 'idle',
            actions: assign({ turn: 0 }),
          },
          {
            guard: { type: 'leavesNothing', params: ({ event }) => ({ leaves: event.output.leaves }) },
            target: '#session.lost',
          },
          { target: '#session.wedged' },
        ],
        onError: '#session.wedged',
      },
      on: {
        'clock.bound': { actions: sendTo('turn', ({ event }) => event) },
        'transport.closed': {
          actions: [assign({ loss: ({ event }) => event.reason }), sendTo('turn', ({ event }) => event)],
        },
      },
      states: {
        turning: {
          description: '`session/prompt` is on the wire.',
          meta: { wire: 'session/prompt' },
          entry: {
            type: 'sendPrompt',
            params: ({ context }) => ({ session: context.session, turn: context.turn }),
          },
          on: {
            'user.cancel': {
              target: 'cancelling',
              actions: [
                { type: 'writeCancel', params: ({ context }) => ({ session: context.session }) },
                sendTo('turn', { type: 'user.cancel' }),
              ],
            },
            'clock.bound': {
              target: 'cancelling',
              actions: [
                { type: 'writeCancel', params: ({ context }) => ({ session: context.session }) },
                sendTo('turn', ({ event }) => event),
              ],
            },
            'user.close': {
              target: 'closeWanted',
              actions: [
                assign({ asksToClose: ({ event }) => event.asks }),
                { type: 'writeCancel', params: ({ context }) => ({ session: context.session }) },
                sendTo('turn', { type: 'user.cancel' }),
              ],
            },
          },
        },
        cancelling: {
          description: '`session/cancel` was written, once. The turn says when it is over.',
          tags: 'cancelling',
          meta: { wire: 'session/cancel' },
          on: {
            'user.close': {
              target: 'closeWanted',
              actions: assign({ asksToClose: ({ event }) => event.asks }),
            },
          },
        },
        closeWanted: {
          description: 'The session closes as soon as the cancelled turn is over.',
          tags: ['cancelling', 'closing'],
          on: {
            'xstate.done.actor.turn': [
              {
                guard: {
                  type: 'leavesUsableAndAsks',
                  params: ({ event }) => ({ leaves: event.output.leaves }),
                },
                target: '#session.closing',
              },
              {
                guard: { type: 'leavesUsable', params: ({ event }) => ({ leaves: event.output.leaves }) },
                target: '#session.closed',
              },
            ],
          },
        },
      },
    },
  },
});
