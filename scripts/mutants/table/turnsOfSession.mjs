/** Mutants of the turns of a session. */
import { row } from '../row.mjs';

const TURNS = 'machines/sessionTurns.ts';

export const turnsOfSessionMutants = [
  row(
    TURNS,
    'a cancel writes no session/cancel',
    `            'user.cancel': {\n              target: 'cancelling',\n              actions: [\n                { type: 'writeCancel', params: ({ context }) => ({ session: context.session }) },`,
    `            'user.cancel': {\n              target: 'cancelling',\n              actions: [`,
  ),
  row(
    TURNS,
    'a cancel writes session/cancel twice',
    `            'user.cancel': {\n              target: 'cancelling',\n              actions: [`,
    `            'user.cancel': {\n              target: 'cancelling',\n              actions: [\n                { type: 'writeCancel', params: ({ context }) => ({ session: context.session }) },`,
  ),
  row(
    TURNS,
    'a bound writes no session/cancel',
    `            'clock.bound': {\n              target: 'cancelling',\n              actions: [\n                { type: 'writeCancel', params: ({ context }) => ({ session: context.session }) },`,
    `            'clock.bound': {\n              target: 'cancelling',\n              actions: [`,
  ),
  row(
    TURNS,
    'a bound while cancelling writes a second session/cancel',
    `        'clock.bound': { actions: sendTo('turn', ({ event }) => event) },`,
    `        'clock.bound': { actions: [{ type: 'writeCancel', params: ({ context }) => ({ session: context.session }) }, sendTo('turn', ({ event }) => event)] },`,
  ),
  row(
    TURNS,
    'a bound while cancelling is not passed on',
    `        'clock.bound': { actions: sendTo('turn', ({ event }) => event) },\n`,
    '',
  ),
  row(
    TURNS,
    'the turn is not told of a cancel',
    `                { type: 'writeCancel', params: ({ context }) => ({ session: context.session }) },\n                sendTo('turn', { type: 'user.cancel' }),\n              ],\n            },\n            'clock.bound'`,
    `                { type: 'writeCancel', params: ({ context }) => ({ session: context.session }) },\n              ],\n            },\n            'clock.bound'`,
  ),
  row(
    TURNS,
    'closing a session cancels no turn',
    `                assign({ asksToClose: ({ event }) => event.asks }),\n                { type: 'writeCancel', params: ({ context }) => ({ session: context.session }) },\n                sendTo`,
    `                assign({ asksToClose: ({ event }) => event.asks }),\n                sendTo`,
  ),
  row(
    TURNS,
    'closing does not wait for the turn',
    `            'user.close': {\n              target: 'closeWanted',\n              actions: [\n                assign`,
    `            'user.close': {\n              target: '#session.closing',\n              actions: [\n                assign`,
  ),
  row(
    TURNS,
    'a closed session is idle after its turn',
    `                target: '#session.closing',\n              },\n              {\n                guard: { type: 'leavesUsable'`,
    `                target: '#session.open',\n              },\n              {\n                guard: { type: 'leavesUsable'`,
  ),
  row(
    TURNS,
    'a session that is to be forgotten is closed at the agent',
    `assign({ asksToClose: ({ event }) => event.asks }),\n                { type`,
    `assign({ asksToClose: true }),\n                { type`,
  ),
  row(TURNS, 'an agent that works by itself can be prompted', `        'agent.working': 'background',\n`, ''),
  row(
    TURNS,
    'an agent that worked while it opened can be prompted',
    `      always: { guard: 'worksAlready', target: 'background' },\n`,
    '',
  ),
  row(TURNS, 'own work of the agent never ends', `        'agent.idle': 'idle',\n`, ''),
  row(
    TURNS,
    'a wedged turn leaves a usable session',
    `          { target: '#session.wedged' },\n        ],\n        onError`,
    `          { target: 'idle', actions: assign({ turn: 0 }) },\n        ],\n        onError`,
  ),
  row(TURNS, 'a broken turn is not heard of', `        onError: '#session.wedged',\n`, ''),
  row(
    TURNS,
    'a turn is not told that its connection is gone',
    `          actions: [assign({ loss: ({ event }) => event.reason }), sendTo('turn', ({ event }) => event)],`,
    `          actions: assign({ loss: ({ event }) => event.reason }),`,
  ),
];
