/** Writes what happens on a connection to a file: redacted by construction, bounded, valid up to the last full line. */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Decision } from '../policy/permission.js';
import type { Observer } from './observer.js';
import { RECORDING_VERSION, recordedTransition, type RecordedLine } from './recording.js';
import { redact } from './redact.js';

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
  close(): void;
}

/** Ids are in the ledger's entries; the labels that a person saw never are. */
function decided(decision: Decision): Partial<Decision> {
  const { policy, cause, latencyMs } = decision;
  return { ...(redact(decision) as Partial<Decision>), policy, cause, latencyMs };
}

/**
 * Records one connection: `connect({ recorder: recorder('run.jsonl') })`. Each line is written when it happens, so that a
 * crash loses at most the last one. Throws what opening the file throws.
 */
export function recorder(file: string, options: RecorderOptions = {}): Recorder {
  const { withText = false, maxBytes = DEFAULT_MAX_BYTES } = options;
  let handle: number | undefined = openSync(file, 'w', 0o600);
  let start: number | undefined;
  let bytes = 0;

  const close = (): void => {
    if (handle === undefined) return;
    closeSync(handle);
    handle = undefined;
  };
  const write = (at: number, make: (t: number) => RecordedLine): void => {
    if (handle === undefined) return;
    start ??= at;
    const t = Math.round((at - start) * 10) / 10;
    const line = `${JSON.stringify(make(t))}\n`;
    const size = Buffer.byteLength(line);
    if (bytes + size > maxBytes) {
      bytes += writeSync(handle, `${JSON.stringify({ t, full: true })}\n`);
      close();
      return;
    }
    bytes += writeSync(handle, line);
  };
  const startedAt = new Date().toISOString();
  bytes += writeSync(handle, `${JSON.stringify({ t: 0, recording: RECORDING_VERSION, startedAt, text: withText })}\n`);

  return {
    file,
    get bytes() {
      return bytes;
    },
    close,
    frame: ({ at, direction, message, bytes: b }) =>
      write(at, (t) => ({ t, d: direction, b, m: withText ? message : redact(message) })),
    skipped: ({ at, line }) => write(at, (t) => ({ t, skipped: line.length })),
    transition: (seen) => write(seen.at, (t) => recordedTransition(seen, t)),
    decision: ({ at, decision }) => write(at, (t) => ({ t, decision: decided(decision) })),
    closed: ({ at, reason }) => {
      write(at, (t) => ({ t, closed: reason }));
      close();
    },
  };
}
