/**
 * Permission waits: a region of the open session, beside its turns.
 *
 * THEORY OF OPERATION. Questions (`session/request_permission`) stand in the context of the session, each with the turn
 * that it was asked in (0: outside any turn). Both regions see the same events. While the region is *deciding*, a
 * question waits for the word of the policy; while the turn is being stopped it is *refusing*: what is open was answered
 * `cancelled`, and so is whatever comes. The end of a turn answers the questions of that turn; those asked outside
 * stay. Every question is answered by exactly one effect, and `answerSelected` is reached by `user.decide` alone.
 */
import { assign } from 'xstate';
import { ofTurn, outsideTurn, requests, without } from './questions.js';
import { sessionSetup } from './sessionSetup.js';

export const permissionsRegion = sessionSetup.createStateConfig({
  initial: 'deciding',
  exit: {
    type: 'answerCancelled',
    params: ({ context }) => ({ requests: requests(context.questions), cause: 'closed' }),
  },
  states: {
    deciding: {
      description: 'Questions are put to the policy as they come.',
      meta: { wire: 'session/request_permission' },
      on: {
        'agent.permission': {
          actions: [
            assign({
              questions: ({ context, event }) => [...context.questions, { request: event.request, turn: context.turn }],
            }),
            {
              type: 'askPolicy',
              params: ({ context, event }) => ({
                session: context.session,
                request: event.request,
                turn: context.turn,
              }),
            },
          ],
        },
        'user.decide': {
          guard: { type: 'isAsked', params: ({ event }) => ({ request: event.request }) },
          actions: [
            { type: 'answerSelected', params: ({ event }) => ({ request: event.request, option: event.option }) },
            assign({ questions: ({ context, event }) => without(context.questions, event.request) }),
          ],
        },
        'user.dismiss': {
          guard: { type: 'isAsked', params: ({ event }) => ({ request: event.request }) },
          actions: [
            { type: 'answerCancelled', params: ({ event }) => ({ requests: [event.request], cause: event.cause }) },
            assign({ questions: ({ context, event }) => without(context.questions, event.request) }),
          ],
        },
        'agent.withdraw': {
          guard: { type: 'isAsked', params: ({ event }) => ({ request: event.request }) },
          actions: [
            { type: 'answerCancelled', params: ({ event }) => ({ requests: [event.request], cause: 'withdrawn' }) },
            assign({ questions: ({ context, event }) => without(context.questions, event.request) }),
          ],
        },
        'xstate.done.actor.turn': {
          description: 'A question ends with the turn that it was asked in.',
          actions: [
            {
              type: 'answerCancelled',
              params: ({ context, event }) => ({
                requests: ofTurn(context.questions, event.output.turn),
                cause: 'closed',
              }),
            },
            assign({ questions: ({ context, event }) => outsideTurn(context.questions, event.output.turn) }),
          ],
        },
        'user.cancel': {
          guard: 'inTurn',
          target: 'refusing',
          actions: [
            {
              type: 'answerCancelled',
              params: ({ context }) => ({ requests: requests(context.questions), cause: 'cancel' }),
            },
            assign({ questions: [] }),
          ],
        },
        'clock.bound': {
          guard: 'inTurn',
          target: 'refusing',
          actions: [
            {
              type: 'answerCancelled',
              params: ({ context }) => ({ requests: requests(context.questions), cause: 'bound' }),
            },
            assign({ questions: [] }),
          ],
        },
        'user.close': {
          guard: 'inTurn',
          target: 'refusing',
          actions: [
            {
              type: 'answerCancelled',
              params: ({ context }) => ({ requests: requests(context.questions), cause: 'closed' }),
            },
            assign({ questions: [] }),
          ],
        },
      },
    },
    refusing: {
      description: 'The turn is being stopped: every question is answered `cancelled` as it comes.',
      on: {
        'agent.permission': {
          actions: {
            type: 'answerCancelled',
            params: ({ event }) => ({ requests: [event.request], cause: 'cancel' }),
          },
        },
        'xstate.done.actor.turn': 'deciding',
      },
    },
  },
});
