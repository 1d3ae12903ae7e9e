/** `--allow`, and what is told of the questions that it did not cover. */
import { InvalidArgumentError } from 'commander';
import type { Decision, PermissionRequest, ToolKind } from '../index.js';
import { counted } from './printable.js';

const KINDS = [
  ...(['read', 'edit', 'delete', 'move', 'search', 'execute'] as const),
  ...(['think', 'fetch', 'switch_mode', 'other'] as const),
] satisfies readonly ToolKind[];

const isKind = (name: string): name is ToolKind => (KINDS as readonly string[]).includes(name);

/** `read,edit`; the option may be given more than once. @throws InvalidArgumentError. */
export function parseKinds(typed: string, before: readonly ToolKind[] = []): ToolKind[] {
  const names = typed.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !isKind(name));
  if (wrong !== undefined)
    throw new InvalidArgumentError(`'${wrong}' is no kind of tool. The kinds: ${KINDS.join(', ')}.`);
  return [...new Set([...before, ...names.filter(isKind)])];
}

const MOST_OPEN = 1_000;

/** Keeps count of what was refused because nobody had allowed it, to say in the end how to. */
export class Refusals {
  readonly #kinds = new Map<number | string, string | undefined>();
  readonly #missing = new Set<ToolKind>();
  #unnamed = 0;
  #count = 0;

  constructor(readonly allowed: readonly ToolKind[]) {}

  asked({ requestId, toolCall }: PermissionRequest): void {
    if (this.#kinds.size < MOST_OPEN) this.#kinds.set(requestId, toolCall?.kind);
  }

  decided({ requestId, outcome, cause }: Decision): void {
    const kind = this.#kinds.get(requestId);
    this.#kinds.delete(requestId);
    if (outcome !== 'cancelled' || cause !== 'policy') return;
    this.#count += 1;
    // The kind is the agent's own word: only one that could be typed is repeated.
    if (kind !== undefined && isKind(kind) && !this.allowed.includes(kind)) this.#missing.add(kind);
    else this.#unnamed += 1;
  }

  /** Two sentences; nothing where nothing was refused. */
  summary(): string | undefined {
    if (this.#count === 0) return undefined;
    const refused = `${counted(this.#count, 'request')} for permission ${this.#count === 1 ? 'was' : 'were'} answered \`cancelled\`.`;
    const kinds = [...this.allowed, ...this.#missing].join(',');
    if (this.#missing.size === 0) return `${refused} It can be answered with --ask only.`;
    const rest = this.#unnamed > 0 ? ' (for some of them --ask only)' : '';
    return `${refused} To allow such next time: --allow ${kinds}${rest}, or --ask to be asked.`;
  }
}
