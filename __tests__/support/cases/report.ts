/** What the fake agents of a run have left in their report, and which of the answers in it were to permission requests. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Step } from './caseFile.js';

export interface Answer {
  id: number | string | null;
  result?: { outcome?: { outcome?: string; optionId?: string } };
  error?: { code: number };
}

interface ReportLine {
  segment: number;
  started?: number | null;
  verdict?: string;
  answer?: Answer;
  label?: string;
  id?: number;
  grandchild?: number;
}

export class Report {
  constructor(readonly path: string) {}

  /** Processes started so far; a command that could not be started counts as one. */
  get segment(): number {
    return this.#lines().filter((line) => line.started !== undefined).length;
  }
  /** Takes a process's place in the count. */
  addUnstartable(): void {
    appendFileSync(this.path, `${JSON.stringify({ segment: this.segment, started: null })}\n`);
  }
  /** Ids of the processes that played a segment: also their groups. */
  get pids(): number[] {
    return this.#lines().flatMap((line) => line.started ?? []);
  }
  get grandchildren(): number[] {
    return this.#lines().flatMap((line) => line.grandchild ?? []);
  }
  get answers(): Answer[] {
    return this.#lines().flatMap((line) => line.answer ?? []);
  }

  /** Per segment that was started, in order. */
  verdicts(): string[][] {
    const lines = this.#lines();
    return lines
      .filter((line) => typeof line.started === 'number')
      .map(({ segment }) => lines.flatMap((line) => (line.segment === segment ? (line.verdict ?? []) : [])));
  }
  /** The newest process has come to its end. */
  hasVerdict(): boolean {
    const last = this.verdicts().at(-1);
    return last === undefined || last.length > 0;
  }
  labelled(label: string): number | undefined {
    return this.#lines().find((line) => line.label === label)?.id;
  }
  /** Puts the number behind `$id(label)`; anything else stays as it is. */
  resolve(id: unknown): unknown {
    const label = typeof id === 'string' ? /^\$id\((\w+)\)$/.exec(id)?.[1] : undefined;
    return label === undefined ? id : this.labelled(label);
  }

  permissionAnswers(script: readonly Step[]): Answer[] {
    const known = requestIds(script, (id) => this.resolve(id));
    return this.answers.filter((answer) => {
      const key = JSON.stringify(answer.id);
      const looksIt = answer.result?.outcome !== undefined;
      if (known.permission.has(key) !== known.other.has(key)) return known.permission.has(key);
      return looksIt;
    });
  }

  #lines(): ReportLine[] {
    if (!existsSync(this.path)) return [];
    const text = readFileSync(this.path, 'utf8');
    // The agent may be writing its last line right now.
    const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as ReportLine);
  }
}

/** Ids (as JSON) of the requests that a script sends. Where one cannot be told from the script, the answer's shape decides. */
function requestIds(script: readonly Step[], resolve: (id: unknown) => unknown) {
  const found = { permission: new Set<string>(), other: new Set<string>() };
  const note = (message: Record<string, unknown>, i: number): void => {
    const id = typeof message['id'] === 'string' ? message['id'].replace(/\$i(?![a-z(])/g, String(i)) : message['id'];
    const set = message['method'] === 'session/request_permission' ? found.permission : found.other;
    set.add(JSON.stringify(resolve(id)));
  };
  const walk = (value: unknown, i: number): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, i);
    else if (typeof value === 'object' && value !== null) {
      const record = value as Record<string, unknown>;
      const times = typeof record['repeat'] === 'number' ? record['repeat'] : 0;
      if (times > 0) for (let k = 0; k < times; k++) walk(record['steps'] ?? record['frame'], k);
      else if (typeof record['method'] === 'string' && 'id' in record) note(record, i);
      else for (const member of Object.values(record)) walk(member, i);
    }
  };
  walk(script, 0);
  return found;
}
