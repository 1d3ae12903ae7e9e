/** Mutants of the session chart. */
import { row } from '../row.mjs';

const SESSION = 'machines/session.ts';

export const sessionMutants = [
  row(
    SESSION,
    'a bound while opening tells nobody',
    `            params: ({ context, event }) => ({ session: context.session, opened: false, loss: event.bound }),\n          },\n        },\n        'user.close'`,
    `            params: ({ context, event }) => ({ session: context.session, opened: true, loss: event.bound }),\n          },\n        },\n        'user.close'`,
  ),
  row(
    SESSION,
    'a loaded session does not wait out its replay',
    `              { guard: 'replays', target: 'quieting' },\n`,
    '',
  ),
  row(
    SESSION,
    'a failed opening opens',
    `              target: '#session.failed',\n              actions: {`,
    `              target: '#session.open',\n              actions: {`,
  ),
  row(
    SESSION,
    'a loss while opening tells nobody',
    `          target: 'lost',\n          actions: [\n            {\n              type: 'settleOpen',\n              params: ({ context, event }) => ({ session: context.session, opened: false, loss: event.reason }),\n            },\n            assign`,
    `          target: 'lost',\n          actions: [\n            assign`,
  ),
  row(
    SESSION,
    'what opens is asked before it is held',
    `          description: 'Nobody can be asked about a session that nobody holds yet.',\n          actions: {\n            type: 'answerCancelled',\n            params: ({ event }) => ({ requests: [event.request], cause: 'closed' }),\n          },`,
    `          actions: { type: 'askPolicy', params: ({ context, event }) => ({ session: context.session, request: event.request, turn: 0 }) },`,
  ),
  row(
    SESSION,
    'a close that is never answered waits for ever',
    `        'clock.bound': {\n          description: 'The caller is told; for us the session is closed all the same.',\n          target: 'closed',\n          actions: assign({ loss: ({ event }) => event.bound }),\n        },\n`,
    '',
  ),
  row(
    SESSION,
    'a closed session tells nobody',
    `      entry: {\n        type: 'settleClose',\n        params: ({ context }) => ({ session: context.session, loss: context.loss }),\n      },\n      output: { leaves: 'usable' },`,
    `      output: { leaves: 'usable' },`,
  ),
  row(
    SESSION,
    'a wedged session is no reason to end the connection',
    `      output: { leaves: 'wedged' },`,
    `      output: { leaves: 'usable' },`,
  ),
];
