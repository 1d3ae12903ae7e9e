/** The steps of a case's script, as fixtures/cases/README.md has them. */
import type { Message } from './mailbox.js';

interface Wanted {
  result?: unknown;
  error?: { code: number };
}

export interface Step {
  expect?: { method: string; params?: unknown; exactParams?: unknown; else?: object };
  as?: string;
  reply?: object;
  to?: string;
  send?: unknown;
  sendCrlf?: unknown;
  sendUnescaped?: unknown;
  rawJson?: unknown;
  pad?: { path: string; frameBytes: number; char: string };
  sendMany?: readonly unknown[];
  raw?: string;
  rawBase64?: string;
  repeat?: number;
  steps?: readonly Step[];
  flood?: { bytes: number; byte: string };
  delayMs?: number;
  expectResponse?: Wanted & { id: unknown; withinMs: number; oneOf?: readonly Wanted[]; optional?: boolean };
  expectNone?: { forMs: number; any?: boolean; method?: string; responseTo?: unknown };
  expectEof?: { withinMs: number };
  expectKilled?: { withinMs: number };
  exit?: number;
  signal?: NodeJS.Signals;
  hang?: boolean;
  closeStdout?: boolean;
  closeStdin?: boolean;
  ignoreStdinEof?: boolean;
  stderrBytes?: number;
  spawnGrandchild?: { ignoreSignals?: readonly string[]; holdStdout?: boolean };
  respawned?: boolean;
  spawnFails?: string;
}

/** `respawned` steps cut the script: each process plays one segment. */
export function segmentsOf(script: readonly Step[]): Step[][] {
  const segments: Step[][] = [[]];
  for (const step of script) {
    if (step.respawned) segments.push([]);
    else segments.at(-1)?.push(step);
  }
  return segments;
}

/** Whether an answer is what a step wants of it: the whole result, or the code of the error. */
export function isWanted(
  { result, error }: Wanted,
  answer: Message,
  same: (a: unknown, b: unknown) => boolean,
): boolean {
  const code = (answer['error'] as { code?: unknown } | undefined)?.code;
  return (
    (result === undefined || same(result, answer['result'])) &&
    (error === undefined || (code === error.code && !('result' in answer)))
  );
}
