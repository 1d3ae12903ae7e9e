import { readFileSync } from 'node:fs';
import { v1 } from '../../src/wire/v1.js';
import { v2 } from '../../src/wire/v2.js';
import type { Dialect, SessionReading } from '../../src/wire/normal.js';

/** A captured `session/new` result, and the answers to some `session/set_*` calls after it. */
export interface OptionFixture {
  agent: string;
  version: 1 | 2;
  session: { sessionId: string } & Record<string, unknown>;
  answers: { call: string; params: Record<string, unknown>; result: unknown }[];
}

export function optionFixture(agent: string): OptionFixture & { dialect: Dialect; reading: SessionReading } {
  const url = new URL(`../../fixtures/options/${agent}.json`, import.meta.url);
  const fixture = JSON.parse(readFileSync(url, 'utf8')) as OptionFixture;
  const dialect = fixture.version === 1 ? v1 : v2;
  return { ...fixture, dialect, reading: dialect.readSession(fixture.session)! };
}

export const OPTION_FIXTURES = [
  ...['codex-acp-v1', 'codex-acp-v2', 'codex-acp-zed', 'claude-agent-acp-v1', 'claude-agent-acp-v2'],
  ...['gemini', 'qwen', 'opencode', 'pi', 'cursor-like'],
];
