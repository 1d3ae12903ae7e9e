/** Mutants of the questions of a session. */
import { row } from '../row.mjs';

const SESSION = 'machines/session.ts';
const PERMISSIONS = 'machines/sessionPermissions.ts';

export const questionsMutants = [
  row(
    PERMISSIONS,
    'a cancel leaves questions open',
    `          actions: [\n            {\n              type: 'answerCancelled',\n              params: ({ context }) => ({ requests: requests(context.questions), cause: 'cancel' }),\n            },\n            assign({ questions: [] }),\n          ],`,
    `          actions: assign({ questions: [] }),`,
  ),
  row(
    PERMISSIONS,
    'a bound leaves questions open',
    `          actions: [\n            {\n              type: 'answerCancelled',\n              params: ({ context }) => ({ requests: requests(context.questions), cause: 'bound' }),\n            },\n            assign({ questions: [] }),\n          ],`,
    `          actions: assign({ questions: [] }),`,
  ),
  row(
    PERMISSIONS,
    'the end of a turn leaves its questions open',
    `          actions: [\n            {\n              type: 'answerCancelled',\n              params: ({ context, event }) => ({\n                requests: ofTurn(context.questions, event.output.turn),\n                cause: 'closed',\n              }),\n            },\n            assign`,
    `          actions: [\n            assign`,
  ),
  row(
    PERMISSIONS,
    'the end of a turn takes the questions of no turn with it',
    `                requests: ofTurn(context.questions, event.output.turn),`,
    `                requests: requests(context.questions),`,
  ),
  row(
    PERMISSIONS,
    'a question that ended can be decided',
    `        'user.decide': {\n          guard: { type: 'isAsked', params: ({ event }) => ({ request: event.request }) },`,
    `        'user.decide': {`,
  ),
  row(
    PERMISSIONS,
    'a dismissal is an approval',
    `            { type: 'answerCancelled', params: ({ event }) => ({ requests: [event.request], cause: event.cause }) },`,
    `            { type: 'answerSelected', params: ({ event }) => ({ request: event.request, option: 'o-0-allow_once' }) },`,
  ),
  row(
    PERMISSIONS,
    'a decision is a dismissal',
    `            { type: 'answerSelected', params: ({ event }) => ({ request: event.request, option: event.option }) },`,
    `            { type: 'answerCancelled', params: ({ event }) => ({ requests: [event.request], cause: 'answer' }) },`,
  ),
  row(
    PERMISSIONS,
    'what is asked while stopping is not answered',
    `          actions: {\n            type: 'answerCancelled',\n            params: ({ event }) => ({ requests: [event.request], cause: 'cancel' }),\n          },\n        },\n        'xstate.done`,
    `          actions: { type: 'askPolicy', params: ({ context, event }) => ({ session: context.session, request: event.request, turn: context.turn }) },\n        },\n        'xstate.done`,
  ),
  row(
    PERMISSIONS,
    'a withdrawn question stays open',
    `            { type: 'answerCancelled', params: ({ event }) => ({ requests: [event.request], cause: 'withdrawn' }) },\n`,
    '',
  ),
  row(
    PERMISSIONS,
    'the end of the session leaves questions open',
    `  exit: {\n    type: 'answerCancelled',\n    params: ({ context }) => ({ requests: requests(context.questions), cause: 'closed' }),\n  },\n`,
    '',
  ),
  row(PERMISSIONS, 'a session refuses for ever after a stop', `        'xstate.done.actor.turn': 'deciding',\n`, ''),
  row(
    SESSION,
    'the answers leave before session/cancel',
    `states: { turns: turnsRegion, permissions: permissionsRegion }`,
    `states: { permissions: permissionsRegion, turns: turnsRegion }`,
  ),
];
