/**
 * How the named effects of the charts are carried out.
 *
 * The whole tree is provided once per process (a provided machine costs tens of kilobytes); an effect finds the ports of
 * its own connection by the actor system that it runs in. Ports never throw: a failed write comes back as an event.
 */
import { createActor, type ActorOptions, type ActorRefFrom, type AnyActorRef } from 'xstate';
import { connectionMachine, processMachine, sessionMachine, turnMachine } from '../../machines/index.js';
import type { ConnectionInput, Dismissal, Loss, Settlement } from '../../machines/index.js';

export type ConnectionActor = ActorRefFrom<typeof connectionMachine>;
export type SessionActor = ActorRefFrom<typeof sessionMachine>;
export type ProcessActor = ActorRefFrom<typeof processMachine>;
export type TurnActor = ActorRefFrom<typeof turnMachine>;

export interface ProcessPorts {
  spawn(actor: ProcessActor): void;
  reportRunning(): void;
  reportDeath(): void;
  closeInput(): void;
  signalGroup(signal: 'SIGTERM' | 'SIGKILL'): void;
}

export interface HandshakePorts {
  sendInitialize(version: number): void;
  settleConnect(reason: Loss | undefined): void;
  sendAuthenticate(): void;
  settleAuthenticate(loss: Loss | undefined): void;
}

export interface ConnectionPorts {
  loseSessions(reason: Loss): void;
  settleClosed(reason: Loss): void;
}

export interface OpeningPorts {
  sendOpen(session: number, actor: SessionActor): void;
  awaitQuiet(session: number): void;
  settleOpen(session: number, opened: boolean, loss: Loss | undefined): void;
}

export interface ClosingPorts {
  sendClose(session: number): void;
  settleClose(session: number, loss: Loss | undefined): void;
}

export interface TurnPorts {
  sendPrompt(session: number, turn: number): void;
  writeCancel(session: number): void;
  settleTurn(settlement: Settlement): void;
  reportIdle(session: number): void;
}

export interface QuestionPorts {
  askPolicy(request: number, turn: number): void;
  answerSelected(request: number, option: string): void;
  answerCancelled(requests: readonly number[], cause: Dismissal): void;
}

export interface Ports {
  process: ProcessPorts;
  handshake: HandshakePorts;
  connection: ConnectionPorts;
  openings: OpeningPorts;
  closings: ClosingPorts;
  turns: TurnPorts;
  questions: QuestionPorts;
}

const portsOf = new WeakMap<object, Ports>();

function ports(scope: { system: object }): Ports {
  const found = portsOf.get(scope.system);
  if (!found) throw new Error('an actor runs outside of a connection');
  return found;
}

const turn = turnMachine.provide({
  actions: { settleTurn: (scope, settlement) => ports(scope).turns.settleTurn(settlement) },
});

const session = sessionMachine.provide({
  actors: { turn },
  actions: {
    sendOpen: (scope, p) => ports(scope).openings.sendOpen(p.session, scope.self as SessionActor),
    awaitQuiet: (scope, p) => ports(scope).openings.awaitQuiet(p.session),
    settleOpen: (scope, p) => ports(scope).openings.settleOpen(p.session, p.opened, p.loss),
    sendPrompt: (scope, p) => ports(scope).turns.sendPrompt(p.session, p.turn),
    writeCancel: (scope, p) => ports(scope).turns.writeCancel(p.session),
    askPolicy: (scope, p) => ports(scope).questions.askPolicy(p.request, p.turn),
    answerSelected: (scope, p) => ports(scope).questions.answerSelected(p.request, p.option),
    answerCancelled: (scope, p) => ports(scope).questions.answerCancelled(p.requests, p.cause),
    sendClose: (scope, p) => ports(scope).closings.sendClose(p.session),
    settleClose: (scope, p) => ports(scope).closings.settleClose(p.session, p.loss),
    reportIdle: (scope, p) => ports(scope).turns.reportIdle(p.session),
  },
});

const process = processMachine.provide({
  actions: {
    spawn: (scope) => ports(scope).process.spawn(scope.self as ProcessActor),
    reportRunning: (scope) => ports(scope).process.reportRunning(),
    reportDeath: (scope) => ports(scope).process.reportDeath(),
    closeInput: (scope) => ports(scope).process.closeInput(),
    signalGroup: (scope, p) => ports(scope).process.signalGroup(p.signal),
  },
});

const connection = connectionMachine.provide({
  actors: { session, process },
  actions: {
    sendInitialize: (scope, p) => ports(scope).handshake.sendInitialize(p.version),
    settleConnect: (scope, p) => ports(scope).handshake.settleConnect(p.reason),
    sendAuthenticate: (scope) => ports(scope).handshake.sendAuthenticate(),
    settleAuthenticate: (scope, p) => ports(scope).handshake.settleAuthenticate(p.loss),
    loseSessions: (scope, p) => ports(scope).connection.loseSessions(p.reason),
    settleClosed: (scope, p) => ports(scope).connection.settleClosed(p.reason),
  },
});

export interface RootOptions {
  input: ConnectionInput;
  clock: NonNullable<ActorOptions<typeof connectionMachine>['clock']>;
  inspect: ActorOptions<typeof connectionMachine>['inspect'];
}

/** The root actor of one connection, with its ports, not started yet. */
export function createRoot(o: RootOptions, theirs: Ports): ConnectionActor {
  const root = createActor(connection, {
    input: o.input,
    clock: o.clock,
    ...(o.inspect ? { inspect: o.inspect } : {}),
  });
  portsOf.set(root.system, theirs);
  return root;
}

/** The turn that a session runs, if any. Tags do not cross actors, so whoever asks for them asks here. */
export function turnOf(actor: SessionActor): TurnActor | undefined {
  const children: Record<string, AnyActorRef | undefined> = actor.getSnapshot().children;
  return children['turn'] as TurnActor | undefined;
}
