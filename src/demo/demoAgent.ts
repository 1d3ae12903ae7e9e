/**
 * A small agent to try the library on: no model, no network, no account. What it does is told by words of the prompt:
 * `think`, `plan`, `tool`, `write` (asks first), `slow`, `refuse`; any other prompt gets a short answer.
 */
import type { Writable } from 'node:stream';
import { type Clock, systemClock } from '../framing/clock.js';
import { Methods } from './methods.js';
import { Peer } from './peer.js';

export interface DemoAgentOptions {
  /** What the client writes: `process.stdin`. */
  input: AsyncIterable<Uint8Array | string>;
  /** What the client reads: `process.stdout`. Stays open. */
  output: Writable;
  /** Between two updates; default 30. */
  paceMs?: number | undefined;
  /** The newest version that it admits to speak; default 2. */
  protocolVersion?: 1 | 2 | undefined;
  clock?: Clock | undefined;
}

const DEFAULT_PACE_MS = 30;

/** Serves one client. Resolves when the input has ended and every running turn has stopped; never rejects on what it reads. */
export async function runDemoAgent(options: DemoAgentOptions): Promise<void> {
  const { clock = systemClock, paceMs = DEFAULT_PACE_MS, protocolVersion = 2 } = options;
  const methods = new Methods({ clock, paceMs, newestVersion: protocolVersion }, () => peer);
  const peer: Peer = new Peer(options.output, methods);
  await peer.read(options.input);
  await methods.stopAll();
  await peer.finish();
}
