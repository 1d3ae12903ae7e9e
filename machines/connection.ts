/**
 * One connection to one agent: the root of the tree. Every other chart of the agent runs below it.
 *
 * THEORY OF OPERATION. `live` invokes the process; entering it again starts a new one. The handshake offers the newest
 * version and, if that is refused, once more a lower one: on the same process, or on a new one if the agent died of the
 * offer. A *ready* connection spawns a session per opening request, in the lowest free slot. Authentication is reactive:
 * only a refusal by -32000 leads to `authRequired`, and sessions stay legal there, because the agent is the judge.
 *
 * `closing` is entered once, by whatever comes first: the caller, a bound, a fatal wire, a session that was wedged. It
 * tells the sessions, then waits for the process chart, which ends in bounded time. An agent that dies by itself needs
 * no closing. The first reason stays the reason.
 */
import { assertEvent, assign, sendTo, spawnChild, stopChild } from 'xstate';
import type { Loss } from './facts.js';
import { connectionSetup, lowestFreeSlot, nextOffer, slotOf } from './connectionSetup.js';

/** The process ended by itself while nobody was closing. */
const died = (leaves: 'exited' | 'neverSpawned'): Loss => (leaves === 'exited' ? 'agent-exited' : 'spawn-failed');

export const connectionMachine = connectionSetup.createMachine({
  id: 'connection',
  context: ({ input }) => ({
    ...input,
    offer: input.versions[0] ?? 1,
    offeredAgain: false,
    slots: [],
    reason: undefined,
  }),
  initial: 'live',
  states: {
    live: {
      description: 'There is a process, or one is being started.',
      invoke: {
        id: 'process',
        src: 'process',
        input: ({ context }) => ({ closeGraceMs: context.closeGraceMs }),
        onDone: {
          target: 'closed',
          actions: assign({ reason: ({ context, event }) => context.reason ?? died(event.output.leaves) }),
        },
        onError: { target: 'closed', actions: assign({ reason: ({ context }) => context.reason ?? 'io' }) },
      },
      initial: 'spawning',
      on: {
        'user.close': { target: '.closing', actions: assign({ reason: 'closed' }) },
        'transport.fatal': { target: '.closing', actions: assign({ reason: ({ event }) => event.reason }) },
        'process.died': { target: '.closing', actions: assign({ reason: 'agent-exited' }) },
      },
      states: {
        spawning: {
          description: 'The command is being started.',
          tags: 'connecting',
          on: {
            'process.running': 'initializing',
            'clock.bound': { target: 'closing', actions: assign({ reason: ({ event }) => event.bound }) },
          },
        },
        initializing: {
          description: '`initialize` is on the wire; nothing else is.',
          tags: 'connecting',
          meta: { wire: 'initialize' },
          entry: { type: 'sendInitialize', params: ({ context }) => ({ version: context.offer }) },
          on: {
            'agent.initialized': {
              target: 'ready',
              actions: { type: 'settleConnect', params: { reason: undefined } },
            },
            'agent.offerRefused': [
              {
                guard: 'lowerOfferLeft',
                target: 'initializing',
                reenter: true,
                actions: assign({
                  offer: ({ context }) => nextOffer(context, undefined) ?? context.offer,
                  offeredAgain: true,
                }),
              },
              { target: 'closing', actions: assign({ reason: ({ event }) => event.reason }) },
            ],
            'agent.versionUnsupported': [
              {
                guard: { type: 'commonOfferLeft', params: ({ event }) => ({ speaks: event.speaks }) },
                target: 'initializing',
                reenter: true,
                actions: assign({
                  offer: ({ context, event }) => nextOffer(context, event.speaks) ?? context.offer,
                  offeredAgain: true,
                }),
              },
              { target: 'closing', actions: assign({ reason: 'version-unsupported' }) },
            ],
            'agent.initializeError': { target: 'closing', actions: assign({ reason: ({ event }) => event.reason }) },
            'clock.bound': { target: 'closing', actions: assign({ reason: ({ event }) => event.bound }) },
            'process.died': [
              {
                description: 'A new process will be started when the rest of this one is gone.',
                guard: 'mayStartAgain',
              },
              { target: 'closing', actions: assign({ reason: 'agent-exited' }) },
            ],
            'xstate.done.actor.process': [
              {
                description: 'The agent died of the offer: a new process is offered the lower version.',
                guard: 'mayStartAgain',
                target: '#connection.live',
                reenter: true,
                actions: assign({
                  offer: ({ context }) => nextOffer(context, undefined) ?? context.offer,
                  offeredAgain: true,
                }),
              },
              {
                target: '#connection.closed',
                actions: assign({ reason: ({ event }) => died(event.output.leaves) }),
              },
            ],
          },
        },
        ready: {
          description: 'The version is settled; sessions may be opened.',
          tags: 'ready',
          initial: 'open',
          on: {
            'user.openSession': {
              actions: [
                spawnChild('session', {
                  id: ({ context }) => `session.${lowestFreeSlot(context.slots)}`,
                  input: ({ context, event }) => {
                    assertEvent(event, 'user.openSession');
                    const { session, replays } = event;
                    return { session, replays, cancelGraceMs: context.cancelGraceMs };
                  },
                }),
                assign({
                  slots: ({ context }) => [...context.slots, lowestFreeSlot(context.slots)].sort((a, b) => a - b),
                }),
              ],
            },
            'xstate.done.actor.session.*': [
              {
                description: 'The agent owes an answer that will not come: nothing it says can be trusted any more.',
                guard: { type: 'leavesWedged', params: ({ event }) => ({ leaves: event.output.leaves }) },
                target: 'closing',
                actions: [
                  assign({
                    reason: 'cancel-unconfirmed',
                    slots: ({ context, event }) => context.slots.filter((slot) => slot !== slotOf(event.actorId)),
                  }),
                  stopChild(({ event }) => event.actorId),
                ],
              },
              {
                actions: [
                  assign({
                    slots: ({ context, event }) => context.slots.filter((slot) => slot !== slotOf(event.actorId)),
                  }),
                  stopChild(({ event }) => event.actorId),
                ],
              },
            ],
            'xstate.error.actor.session.*': {
              description: 'A broken chart or port. The join settles what was waited for.',
              target: 'closing',
              actions: [
                assign({
                  reason: 'io',
                  slots: ({ context, event }) => context.slots.filter((slot) => slot !== slotOf(event.actorId)),
                }),
                stopChild(({ event }) => event.actorId),
              ],
            },
          },
          states: {
            open: {
              description: 'The agent has asked for no login so far.',
              on: { 'agent.authRequired': 'authRequired', 'user.authenticate': 'authenticating' },
            },
            authRequired: {
              description: 'A call was refused by -32000. The agent stays the judge: calls are legal.',
              on: { 'user.authenticate': 'authenticating' },
            },
            authenticating: {
              description: '`authenticate` (v2 `auth/login`) is on the wire; a second one is refused.',
              meta: { wire: 'authenticate' },
              entry: 'sendAuthenticate',
              on: {
                'agent.authenticated': {
                  target: 'open',
                  actions: { type: 'settleAuthenticate', params: { loss: undefined } },
                },
                'agent.authError': {
                  target: 'authRequired',
                  actions: { type: 'settleAuthenticate', params: { loss: undefined } },
                },
                'clock.bound': {
                  target: 'authRequired',
                  actions: { type: 'settleAuthenticate', params: ({ event }) => ({ loss: event.bound }) },
                },
              },
            },
          },
        },
        closing: {
          description: 'The sessions are told; the process is ended in stages.',
          tags: 'closing',
          entry: [
            { type: 'settleConnect', params: ({ context }) => ({ reason: context.reason }) },
            { type: 'settleAuthenticate', params: ({ context }) => ({ loss: context.reason }) },
            { type: 'loseSessions', params: ({ context }) => ({ reason: context.reason ?? 'closed' }) },
            sendTo('process', { type: 'user.close' }),
          ],
          on: { 'user.close': {}, 'transport.fatal': {}, 'process.died': {} },
        },
      },
    },
    closed: {
      description: 'Nothing of the agent is left.',
      type: 'final',
      tags: 'closed',
      entry: [
        { type: 'settleConnect', params: ({ context }) => ({ reason: context.reason }) },
        { type: 'settleAuthenticate', params: ({ context }) => ({ loss: context.reason }) },
        { type: 'loseSessions', params: ({ context }) => ({ reason: context.reason ?? 'closed' }) },
        { type: 'settleClosed', params: ({ context }) => ({ reason: context.reason ?? 'closed' }) },
      ],
    },
  },
  output: ({ context }) => ({ reason: context.reason ?? 'closed' }),
});
