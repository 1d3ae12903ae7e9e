/** The process, or the caller's own streams in its place: what the process chart asks for, and what it is told. */
import { arm } from '../framing/alarm.js';
import type { ByteReadable, ByteWritable } from '../framing/streams.js';
import { spawnAgent } from '../process/agentProcess.js';
import { Connection } from '../rpc/connection.js';
import type { ConnectionEnd, ConnectionHandlers } from '../rpc/messages.js';
import type { Link } from './link.js';
import type { ProcessActor, ProcessPorts } from './ports.js';

/** An exit is reported by the system a moment after the end of stdout, or after a write that broke. */
const EXIT_FOLLOWS_MS = 250;
/** The exit of the agent ends the reading of its pipe when this long no byte came: a grandchild may hold it open. */
const QUIET_MS = 50;

export class ProcessPort implements ProcessPorts {
  #actor: ProcessActor | undefined;
  #stops: (() => void)[] = [];
  /** The last stage was reached: what survives it cannot be waited for. */
  #killed = false;

  constructor(
    readonly link: Link,
    readonly handlers: Omit<ConnectionHandlers, 'end'>,
  ) {}

  spawn(actor: ProcessActor): void {
    const { link } = this;
    const { source, clock } = link.settings;
    this.#retire();
    this.#actor = actor;
    if (source.kind === 'transport') {
      this.#open(source.readable, source.writable);
      // In its own turn, as a process would answer: the handshake never runs inside of connect().
      queueMicrotask(() => actor.send({ type: 'process.spawned' }));
      return;
    }
    link.exit = undefined;
    this.#killed = false;
    link.process = spawnAgent({
      command: source.command,
      args: source.args,
      cwd: source.cwd,
      env: source.env,
      clock,
      onSpawned: () => actor.send({ type: 'process.spawned' }),
      onSpawnFailed: () => actor.send({ type: 'process.spawnFailed' }),
      onExit: (exit) => {
        link.exit = exit;
        link.listeners.emit('exit', exit);
        void this.#exited(actor);
      },
      onStderr: (text) => link.listeners.emit('stderr', text),
    });
    this.#open(link.process.readable, link.process.writable);
  }

  #open(readable: ByteReadable, writable: ByteWritable): void {
    const { link, handlers } = this;
    const { clock, maxFrameBytes, writeTimeoutMs } = link.settings;
    const wire: Connection = new Connection({
      readable,
      writable,
      maxFrameBytes,
      writeTimeoutMs,
      clock,
      stats: link.stats,
      tap: link.observing.tap,
      onHold: (held) => link.hold(held),
      handlers: {
        notification: handlers.notification,
        request: handlers.request,
        skipped: handlers.skipped,
        end: (end) => this.#ended(wire, end),
      },
    });
    link.wire = wire;
  }

  reportRunning(): void {
    this.link.wire?.start();
    this.link.root.send({ type: 'process.running' });
  }

  reportDeath(): void {
    this.link.root.send({ type: 'process.died' });
  }

  /** The leader is gone. What it wrote is read before anybody is told. */
  async #exited(actor: ProcessActor): Promise<void> {
    const { process, wire } = this.link;
    await wire?.drain(QUIET_MS, Infinity);
    if (actor !== this.#actor || !process) return;
    const groupGone = !process.groupAlive();
    actor.send({ type: 'process.exited', groupGone });
    if (!groupGone) this.#stops.push(process.whenGroupGone(() => actor.send({ type: 'process.gone' })));
  }

  /** The wire ended by itself. The exit of the process, if it follows, says more and is waited for a moment. */
  #ended(wire: Connection, end: ConnectionEnd): void {
    const { link } = this;
    if (wire !== link.wire) return;
    if (link.settings.source.kind === 'transport' && end.kind === 'ended') {
      this.#actor?.send({ type: 'process.exited', groupGone: true });
      return;
    }
    const reason = end.kind === 'ended' ? 'agent-exited' : end.kind;
    const tell = (): void => {
      if (wire === link.wire) link.tell({ type: 'transport.fatal', reason });
    };
    const exitMayFollow = link.process && (end.kind === 'ended' || end.kind === 'io');
    if (!exitMayFollow) return tell();
    if (!link.exit) this.#stops.push(arm(link.clock, EXIT_FOLLOWS_MS, () => (link.exit ? undefined : tell())));
  }

  closeInput(): void {
    void this.link.wire?.endInput();
  }

  signalGroup(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { process, wire } = this.link;
    if (process) {
      this.#killed ||= signal === 'SIGKILL';
      process.signalGroup(signal);
      return;
    }
    // Nobody to signal over a caller's own streams: they are let go, and that is the end of it.
    void wire?.close(0);
    this.#actor?.send({ type: 'process.exited', groupGone: true });
  }

  /** Nothing of the process that ran is left behind: no handle, no listener, no timer. */
  #retire(): void {
    for (const stop of this.#stops.splice(0)) stop();
    const { process, wire } = this.link;
    // Whoever should have read what still waits is gone: a write that hangs would hold a timer for its whole bound.
    void wire?.close(0);
    // A chart that broke has not gone through the stages.
    if (!this.#killed && process?.groupAlive()) process.signalGroup('SIGKILL');
    process?.dispose();
  }

  dispose(): void {
    this.#retire();
    this.#actor = undefined;
  }
}
