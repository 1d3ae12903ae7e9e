/** Mutants of the turn chart. */
import { row } from '../row.mjs';

const TURN = 'machines/turn.ts';

export const turnMutants = [
  row(
    TURN,
    'the grace timer is removed',
    `        cancelGrace: [\n          { guard: 'alreadySettled', target: 'wedged' },\n          { target: 'wedged', actions: failWith('cancel-unconfirmed') },\n        ],`,
    '',
  ),
  row(
    TURN,
    'the grace tells nobody',
    `{ target: 'wedged', actions: failWith('cancel-unconfirmed') }`,
    `{ target: 'wedged' }`,
  ),
  row(TURN, 'the grace tells a caller twice', `{ guard: 'alreadySettled', target: 'wedged' },`, ''),
  row(
    TURN,
    'the grace starts anew with a bound',
    `      after: {\n        cancelGrace: [\n          { guard: 'alreadySettled', target: 'wedged' },\n          { target: 'wedged', actions: failWith('cancel-unconfirmed') },\n        ],\n      },\n`,
    '',
    `        confirming: {\n`,
    `        confirming: {\n          after: { cancelGrace: { target: '#turn.wedged', actions: failWith('cancel-unconfirmed') } },\n`,
    `        owed: {\n`,
    `        owed: {\n          after: { cancelGrace: '#turn.wedged' },\n`,
  ),
  row(
    TURN,
    'the grace ends well',
    `{ target: 'wedged', actions: failWith('cancel-unconfirmed') }`,
    `{ target: 'ended', actions: failWith('cancel-unconfirmed') }`,
  ),
  row(
    TURN,
    'a cancel is the end',
    `'user.cancel': { target: 'stopping', actions: assign({ cancelRequested: true }) },`,
    `'user.cancel': { target: 'ended', actions: [assign({ cancelRequested: true }), settleCancelled] },`,
  ),
  row(
    TURN,
    'a bound is the end: nothing is owed',
    `'clock.bound': { target: 'stopping.owed', actions: [settleBound, assign({ settled: true })] },`,
    `'clock.bound': { target: 'ended', actions: settleBound },`,
  ),
  row(
    TURN,
    'a bound does not tell the caller',
    `'clock.bound': { target: 'stopping.owed', actions: [settleBound, assign({ settled: true })] },`,
    `'clock.bound': { target: 'stopping.owed', actions: assign({ settled: true }) },`,
  ),
  row(
    TURN,
    'an idle before any work is an end',
    `          { guard: 'hasBegun', target: 'ended', actions: settleWithReason },`,
    `          { target: 'ended', actions: settleWithReason },`,
  ),
  row(
    TURN,
    'an acceptance is no beginning',
    `      on: {\n        'agent.promptAccepted': { actions: assign({ begun: true }) },\n        'agent.working': { actions: assign({ begun: true }) },\n        'agent.promptResult': {`,
    `      on: {\n        'agent.working': { actions: assign({ begun: true }) },\n        'agent.promptResult': {`,
  ),
  row(
    TURN,
    'a failed idle is a success',
    `          {\n            guard: { type: 'begunAndFailed', params: ({ event }) => ({ failed: event.failed }) },\n            target: 'ended',\n            actions: failWith('agent-error'),\n          },\n`,
    '',
  ),
  row(
    TURN,
    'an error after a cancel is a failure',
    `              target: '#turn.ended',\n              actions: settleCancelled,\n            },\n            'agent.idle'`,
    `              target: '#turn.ended',\n              actions: failWith('agent-error'),\n            },\n            'agent.idle'`,
  ),
  row(TURN, 'an owed error is not taken', `            'agent.promptError': '#turn.released',\n`, ''),
  row(
    TURN,
    'an owed result leaves the agent past trusting',
    `            'agent.promptResult': '#turn.released',`,
    `            'agent.promptResult': '#turn.wedged',`,
  ),
  row(
    TURN,
    'the loss of the connection tells no caller',
    `        'transport.closed': { target: 'gone', actions: settleLoss },`,
    `        'transport.closed': { target: 'gone' },`,
  ),
  row(
    TURN,
    'late updates belong to the turn',
    `          description: 'The caller has been told of the bound; the agent still owes the end of the turn.',\n          tags: 'settled',`,
    `          description: 'The caller has been told of the bound; the agent still owes the end of the turn.',\n          tags: ['settled', 'acceptsUpdates'],`,
  ),
  row(
    TURN,
    'updates after a cancel are not delivered',
    `          description: 'The caller waits for the agent to confirm; any end of the turn does.',\n          tags: 'acceptsUpdates',`,
    `          description: 'The caller waits for the agent to confirm; any end of the turn does.',`,
  ),
];
