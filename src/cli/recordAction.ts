/** What `record` does: the file, the proxy, the signals, and an end like the agent's own. */
import { closeSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { systemClock } from '../framing/clock.js';
import { recorder, type Recorder } from '../inspect/recorder.js';
import type { Observer } from '../inspect/observer.js';
import type { EndSignal } from '../process/group.js';
import { byteReadable, byteWritable } from '../process/streams.js';
import { type Proxy, startProxy } from '../replay/proxy.js';
import { agentOf } from './agentOptions.js';
import { EXIT } from './exitCodes.js';
import type { RecordFlags } from './flags.js';
import type { Invocation } from './invocation.js';
import { fileTrouble } from './fileTrouble.js';
import type { Output } from './output.js';
import { spawnTrouble } from './spawnTrouble.js';

const FORWARDED: readonly EndSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];
/** So that whoever started us sees the agent's end; any other is told by its number, as shells do. */
const RAISED: ReadonlySet<string> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL']);
/** Whoever presses Ctrl-C so often means it. */
const PATIENCE = 3;
const SIGNAL_BASE = 128;

const newName = (): string =>
  `acp-${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}-${process.pid}.jsonl`;

function fileOf(typed: string | undefined): string {
  if (typed === undefined) return newName();
  return statSync(typed, { throwIfNoEntry: false })?.isDirectory() ? join(typed, newName()) : typed;
}

export async function record(flags: RecordFlags, command: Command, { agent, output }: Invocation): Promise<number> {
  const program = agentOf(command, agent);
  const file = fileOf(flags.output);
  let recording: Recorder;
  try {
    recording = recorder(file, { withText: flags.withText });
  } catch (error) {
    return command.error(
      `error: the recording cannot be written: ${fileTrouble(file, error)}\n  Choose another file with -o.`,
    );
  }
  if (file !== flags.output) output.note(`recording to ${file}`);
  const proxy = startProxy({
    ...program,
    input: byteReadable(process.stdin),
    output: closingStdout(),
    observer: watched(recording, output),
    clock: systemClock,
  });
  const stopForwarding = forwardSignals(proxy);
  const { exit, spawnErrorCode } = await proxy.left;
  stopForwarding();
  if (spawnErrorCode !== undefined) {
    output.note(`${output.errColors.red('error:')} ${spawnTrouble(program.command, process.cwd())}`);
    return EXIT.agent;
  }
  if (exit?.signal) {
    if (RAISED.has(exit.signal)) process.kill(process.pid, exit.signal);
    return SIGNAL_BASE + constants.signals[exit.signal];
  }
  return exit?.code ?? EXIT.agent;
}

/** The recorder, and one word on stderr when it had to stop. */
function watched(recording: Recorder, output: Output): Observer {
  let told = false;
  const look = (): void => {
    if (told || recording.failure === undefined) return;
    told = true;
    output.note(`acp-turnstile: the recording has stopped (${recording.failure}); the agent goes on`);
  };
  return {
    frame: (seen) => {
      recording.frame?.(seen);
      look();
    },
    skipped: (seen) => {
      recording.skipped?.(seen);
      look();
    },
    closed: (seen) => recording.closed?.(seen),
  };
}

/** Node never closes stdout, and the client waits for its end when the agent has closed its own. */
function closingStdout(): ReturnType<typeof byteWritable> {
  const { stdout } = process;
  stdout.once('finish', () => {
    if (stdout.isTTY) return;
    try {
      closeSync(stdout.fd);
    } catch {
      // Closed already.
    }
  });
  return byteWritable(stdout);
}

function forwardSignals(proxy: Proxy): () => void {
  let interrupted = 0;
  const listeners = FORWARDED.map((signal) => {
    const listener = (): void => {
      proxy.signal(signal);
      if (signal === 'SIGINT') interrupted += 1;
      // An agent that does not heed it must not be left behind when whoever sent it loses patience with us.
      if (signal === 'SIGTERM' || signal === 'SIGHUP' || interrupted >= PATIENCE) proxy.close();
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return () => {
    for (const { signal, listener } of listeners) process.removeListener(signal, listener);
  };
}
