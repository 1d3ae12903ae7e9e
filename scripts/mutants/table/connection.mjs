/** Mutants of the connection chart. */
import { row } from '../row.mjs';

const CONNECTION = 'machines/connection.ts';

export const connectionMutants = [
  row(
    CONNECTION,
    'a wedged session leaves the connection open',
    `                guard: { type: 'leavesWedged', params: ({ event }) => ({ leaves: event.output.leaves }) },\n                target: 'closing',`,
    `                guard: { type: 'leavesWedged', params: ({ event }) => ({ leaves: event.output.leaves }) },`,
  ),
  row(
    CONNECTION,
    'a handshake has no bound',
    `            'agent.initializeError': { target: 'closing', actions: assign({ reason: ({ event }) => event.reason }) },\n            'clock.bound': { target: 'closing', actions: assign({ reason: ({ event }) => event.bound }) },`,
    `            'agent.initializeError': { target: 'closing', actions: assign({ reason: ({ event }) => event.reason }) },`,
  ),
  row(
    CONNECTION,
    'a refused offer is made again',
    `                guard: 'lowerOfferLeft',\n                target: 'initializing',\n                reenter: true,\n                actions: assign({\n                  offer: ({ context }) => nextOffer(context, undefined) ?? context.offer,`,
    `                guard: 'lowerOfferLeft',\n                target: 'initializing',\n                reenter: true,\n                actions: assign({\n                  offer: ({ context }) => context.offer,`,
  ),
  row(
    'machines/connectionSetup.ts',
    'there is always one more offer',
    `  context.offeredAgain\n    ? undefined\n    : context.versions`,
    `  false\n    ? undefined\n    : context.versions`,
  ),
  row(
    CONNECTION,
    'an agent that died of the offer gets no second chance',
    `                guard: 'mayStartAgain',\n                target: '#connection.live',\n                reenter: true,`,
    `                guard: 'mayStartAgain',\n                target: '#connection.closed',`,
  ),
  row(
    CONNECTION,
    'the last reason is the reason',
    `          on: { 'user.close': {}, 'transport.fatal': {}, 'process.died': {} },`,
    '',
  ),
  row(
    CONNECTION,
    'closing does not tell the sessions',
    `            { type: 'loseSessions', params: ({ context }) => ({ reason: context.reason ?? 'closed' }) },\n            sendTo('process'`,
    `            sendTo('process'`,
  ),
  row(CONNECTION, 'closing does not end the process', `            sendTo('process', { type: 'user.close' }),\n`, ''),
  row(
    CONNECTION,
    'a failed login is a success',
    `                'agent.authError': {\n                  target: 'authRequired',`,
    `                'agent.authError': {\n                  target: 'open',`,
  ),
  row(
    CONNECTION,
    'a login has no bound',
    `                'clock.bound': {\n                  target: 'authRequired',\n                  actions: { type: 'settleAuthenticate', params: ({ event }) => ({ loss: event.bound }) },\n                },\n`,
    '',
  ),
  row(
    CONNECTION,
    'the slot of a session is never free again',
    `              {\n                actions: [\n                  assign({\n                    slots: ({ context, event }) => context.slots.filter((slot) => slot !== slotOf(event.actorId)),\n                  }),`,
    `              {\n                actions: [`,
  ),
];
