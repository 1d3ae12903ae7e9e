import { readFileSync } from 'node:fs';

/** What one real agent answered to `initialize` and `session/new`, as captured. */
export interface WireFixture {
  source: string;
  asked: 1 | 2;
  initialize: unknown;
  sessionNew: unknown;
}

/** One captured frame: an update, or the params of `session/request_permission`. */
export interface CapturedFrame {
  agent: string;
  version: 1 | 2;
  body: Record<string, unknown>;
}

const load = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../fixtures/wire/${name}.json`, import.meta.url), 'utf8'));

export const wireFixture = (agent: string): WireFixture => load(agent) as WireFixture;
export const capturedFrames = (): CapturedFrame[] => load('frames') as CapturedFrame[];
