/** The format of `fixtures/cases/README.md` as types. A case is our own material: it is not checked here. */
import { readFileSync } from 'node:fs';

export interface PlannedCall {
  call: string;
  when?: string;
  after?: number;
  cwd?: string;
  mcpServers?: unknown[];
  sessionId?: string;
  text?: string;
  content?: unknown[];
  repeatBytes?: number;
  budget?: { idleMs?: number; absoluteMs?: number };
  consumerDelayMs?: number;
  modeId?: string;
  category?: string;
  value?: string | boolean;
  methodId?: string;
  id?: number | string;
  optionId?: string | null;
  ms?: number;
}

export interface CaseOptions {
  idleMs?: number;
  absoluteMs?: number;
  budgetAppliesTo?: string;
  requestLimitMs?: number;
  cancelGraceMs?: number;
  maxFrameBytes?: number;
  scope?: 'route' | 'strict' | 'accept';
  permission?: {
    policy?: 'hold' | 'sequence' | 'allowOnceByKind' | 'deferred';
    answers?: (string | null)[];
    decisions?: Record<string, { afterMs: number; optionId: string | null }>;
  };
}

export type Choice = string | { 'any-of': string[] };
export type Count = number | { min?: number; max?: number };

export interface ExpectedCall {
  call: string;
  outcome: Choice;
  protocolVersion?: number;
  sessionId?: string;
  stopReason?: string;
  text?: string;
  textLength?: number;
  textEnds?: string;
  updates?: number;
  cancelRequested?: boolean;
  agentErrorCode?: number;
  capability?: string;
  withinMs?: [number, number];
}

export interface Expected {
  calls?: ExpectedCall[];
  stats?: Record<string, Count>;
  permissions?: { requestId: number | string; outcome: Choice; optionId?: string }[];
  outOfTurnText?: string[];
  sessionState?: { configValue?: Record<string, unknown>; modeId?: string; commands?: string[] };
  connection?: string;
  processGone?: boolean;
  agentScriptCompletes?: boolean;
  errorsExclude?: string[];
}

export type Step = Record<string, unknown>;

export interface CaseFile {
  n: number;
  title: string;
  options: CaseOptions;
  client: PlannedCall[];
  agentScript: Step[];
  expected: Expected;
}

export function readCase(path: string): CaseFile {
  const file = JSON.parse(readFileSync(path, 'utf8')) as CaseFile;
  return { ...file, options: file.options ?? {} };
}

/** `respawned` steps cut the script. */
export function segmentsOf(script: readonly Step[]): Step[][] {
  const segments: Step[][] = [[]];
  for (const step of script) {
    if (step['respawned']) segments.push([]);
    else segments.at(-1)!.push(step);
  }
  return segments;
}
