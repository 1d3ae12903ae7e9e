/** Writes what happens on a connection to a file: redacted by construction, bounded, valid up to the last full line. */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import type { Decision } from '../policy/permission.js';
import type { Observer } from './observer.js';
import { RECORDING_VERSION, recordedTransition, type RecordedLine } from './recording.js';
import { redact, shown } from './redact.js';

export interface RecorderOptions {
  /** Keep the text of prompts, messages, files and tools too. Default: only ids, kinds and sizes. */
  withText?: boolean | undefined;
  /** The file grows no larger than this. Default 64 MiB. */
  maxBytes?: number | undefined;
}

const MIB = 1024 * 1024;
const DEFAULT_MAX_BYTES = 64 * MIB;

/** An observer that can be ended. It writes nothing after `close`, which the end of the connection calls too. */
export interface Recorder extends Observer {
  readonly file: string;
  /** Bytes written. */
  readonly bytes: number;
  /** Why it stopped before its end, as the system's code (`ENOSPC`, …). What was recorded until then is whole. */
  readonly failure: string | undefined;
  close(): void;
}

/** Ids are in the ledger's entries; the labels that a person saw never are. */
export function decided(decision: Decision): Record<string, unknown> {
  const { requestId, sessionId, childId, toolCallId, outcome, optionId, optionKind, policy, cause, latencyMs } =
    decision;
  const ids = Object.entries({ requestId, sessionId, childId, toolCallId, outcome, optionId, optionKind });
  return { ...Object.fromEntries(ids.map(([name, id]) => [name, shown(id)])), policy, cause, latencyMs };
}

/** A pipe would block the program while nobody reads it, and a folder is none. */
function opened(file: string): number {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NONBLOCK } = constants;
  const handle = openSync(file, O_WRONLY | O_CREAT | O_TRUNC | (O_NONBLOCK ?? 0), 0o600);
  const kind = fstatSync(handle);
  if (kind.isFile() || kind.isCharacterDevice()) return handle;
  closeSync(handle);
  throw Object.assign(new Error(`ENOTSUP: not a file: ${file}`), { code: 'ENOTSUP' });
}

/**
 * Records one connection: `connect({ recorder: recorder('run.jsonl') })`. Each line is written when it happens, so that a
 * crash loses at most the last one. A disk that fills up ends the recording and nothing else: see `failure`. Throws what
 * opening the file throws.
 */
export function recorder(file: string, options: RecorderOptions = {}): Recorder {
  const { withText = false, maxBytes = DEFAULT_MAX_BYTES } = options;
  let handle: number | undefined = opened(file);
  let start: number | undefined;
  let bytes = 0;
  let failure: string | undefined;

  const close = (): void => {
    if (handle === undefined) return;
    const open = handle;
    handle = undefined;
    try {
      closeSync(open);
    } catch (error) {
      failure ??= codeOf(error);
    }
  };
  /** All of the line, or nothing of it: a piece would make one garbage of it and of what follows. */
  const put = (line: Buffer): void => {
    if (handle === undefined) return;
    try {
      for (let at = 0; at < line.length;) at += writeSync(handle, line, at);
      bytes += line.length;
    } catch (error) {
      failure = codeOf(error);
      try {
        ftruncateSync(handle, bytes);
      } catch {
        // Then its last line is cut, which readers bear.
      }
      close();
    }
  };
  const write = (at: number, make: (t: number) => RecordedLine): void => {
    if (handle === undefined) return;
    start ??= at;
    const t = Math.round((at - start) * 10) / 10;
    const line = lineOf(make(t));
    if (bytes + line.length <= maxBytes) return put(line);
    put(lineOf({ t, full: true }));
    close();
  };
  const startedAt = new Date().toISOString();
  put(lineOf({ t: 0, recording: RECORDING_VERSION, startedAt, text: withText }));
  if (failure !== undefined) throw Object.assign(new Error(`${failure}: ${file} cannot be written`), { code: failure });

  return {
    file,
    get bytes() {
      return bytes;
    },
    get failure() {
      return failure;
    },
    close,
    frame: ({ at, direction, message, bytes: b }) =>
      write(at, (t) => ({ t, d: direction, b, m: withText ? message : redact(message) })),
    skipped: ({ at, line, direction }) =>
      write(at, (t) => ({
        t,
        ...(direction ? { d: direction } : {}),
        skipped: line.length,
        ...(withText ? { line } : {}),
      })),
    transition: (seen) => write(seen.at, (t) => recordedTransition(seen, t)),
    decision: ({ at, decision }) => write(at, (t) => ({ t, decision: decided(decision) })),
    closed: ({ at, reason }) => {
      write(at, (t) => ({ t, closed: reason }));
      close();
    },
  };
}

const lineOf = (line: RecordedLine): Buffer => Buffer.from(`${JSON.stringify(line)}\n`);
const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'EIO';
