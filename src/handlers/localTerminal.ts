import { LONGEST_SLEEP_MS, systemClock, type Clock } from '../framing/clock.js';
import { runCommand, type Command } from '../process/command.js';
import { BadArgument } from '../rpc/badArgument.js';
import { INTERNAL_ERROR, NOT_FOUND } from '../rpc/messages.js';
import { RequestError } from '../rpc/requestError.js';
import type { HandlerContext, TerminalExit, TerminalHandler } from './handlers.js';

const MIB = 1024 * 1024;
const MOST_OUTPUT_BYTES = 16 * MIB;
const DEFAULT_TERMINALS = 32;
const DEFAULT_KILL_GRACE_MS = 2_000;

export interface LocalTerminalOptions {
  /** What the commands' environment begins with; the agent's variables go over it. Default: `process.env`. */
  env?: Record<string, string | undefined> | undefined;
  /** Kept of one terminal's output, in bytes, whatever more the agent asks for. Default 1 MiB, at most 16 MiB. */
  maxOutputBytes?: number | undefined;
  /** That one session may have and not have released. Default 32. */
  maxTerminals?: number | undefined;
  /** Between TERM and KILL. Default 2,000 ms. */
  killGraceMs?: number | undefined;
  clock?: Clock | undefined;
}

function atMost(value: unknown, argument: string, fallback: number, most: number): number {
  if (value === undefined) return fallback;
  if (typeof value !== 'number' || !(value >= 0) || value > most) throw new BadArgument(argument);
  return value;
}

type Terminals = Map<string, Command | 'starting'>;

const exitOf = (exit: { code: number | null; signal: string | null }): TerminalExit => ({
  exitCode: exit.code,
  signal: exit.signal,
});

/**
 * A ready-made `terminal` handler: it runs what the agent asks for, on this machine, with your rights and no question asked.
 * Wrap `create` to ask. No shell, no stdin; the session's `cwd` where the agent names none. Each command leads a process
 * group of its own: `terminal/kill` sends TERM to the whole group and KILL a grace later; `terminal/release` and the end of
 * the session KILL it at once. A session sees its own terminals only.
 *
 * Refuses by -32002 a terminal that is not there, by -32603 a command that cannot be started and one terminal too many.
 *
 * @throws BadArgument naming the option.
 */
export function localTerminal(options: LocalTerminalOptions = {}): TerminalHandler {
  const { env = process.env, clock = systemClock } = options;
  const maxOutputBytes = atMost(options.maxOutputBytes, 'maxOutputBytes', MIB, MOST_OUTPUT_BYTES);
  const maxTerminals = atMost(options.maxTerminals, 'maxTerminals', DEFAULT_TERMINALS, Infinity);
  const killGraceMs = atMost(options.killGraceMs, 'killGraceMs', DEFAULT_KILL_GRACE_MS, LONGEST_SLEEP_MS);
  /** By the signal of their session's end: two agents may use the same session id. */
  const bySession = new WeakMap<AbortSignal, Terminals>();
  let next = 1;

  const terminalsOf = ({ ended }: HandlerContext): Terminals => {
    const known = bySession.get(ended);
    if (known) return known;
    const terminals: Terminals = new Map();
    bySession.set(ended, terminals);
    const releaseAll = (): void => {
      for (const terminal of terminals.values()) if (terminal !== 'starting') terminal.kill(true);
      terminals.clear();
    };
    ended.addEventListener('abort', releaseAll, { once: true });
    return terminals;
  };

  const find = (terminalId: string, context: HandlerContext): Command => {
    const terminal = terminalsOf(context).get(terminalId);
    if (terminal === undefined || terminal === 'starting') throw new RequestError(NOT_FOUND, 'Resource not found');
    return terminal;
  };

  return {
    async create({ command, args = [], env: more = [], cwd, outputByteLimit = maxOutputBytes }, context) {
      const terminals = terminalsOf(context);
      if (terminals.size >= maxTerminals) throw new RequestError(INTERNAL_ERROR, 'Too many terminals');
      const terminalId = `terminal-${next++}`;
      terminals.set(terminalId, 'starting');
      const started = await runCommand({
        command,
        args,
        cwd: cwd ?? context.roots[0],
        env: { ...env, ...Object.fromEntries(more.map(({ name, value }) => [name, value])) },
        outputBytes: Math.min(outputByteLimit, maxOutputBytes),
        clock,
        killGraceMs,
      }).catch(() => undefined);
      // The session may have ended meanwhile.
      if (started && terminals.has(terminalId)) {
        terminals.set(terminalId, started);
        return { terminalId };
      }
      started?.kill(true);
      terminals.delete(terminalId);
      throw new RequestError(INTERNAL_ERROR, 'The command could not be started');
    },

    output({ terminalId }, context) {
      const terminal = find(terminalId, context);
      const { text, truncated } = terminal.output();
      return { output: text, truncated, ...(terminal.exit ? { exitStatus: exitOf(terminal.exit) } : {}) };
    },

    async waitForExit({ terminalId }, context) {
      const { exited } = find(terminalId, context);
      const { signal } = context;
      signal.throwIfAborted();
      let stop = (): void => {};
      const given = new Promise<never>((_, reject) => {
        stop = () => reject(signal.reason as Error);
        signal.addEventListener('abort', stop, { once: true });
      });
      try {
        return exitOf(await Promise.race([exited, given]));
      } finally {
        signal.removeEventListener('abort', stop);
      }
    },

    kill({ terminalId }, context) {
      find(terminalId, context).kill();
    },

    release({ terminalId }, context) {
      find(terminalId, context).kill(true);
      terminalsOf(context).delete(terminalId);
    },
  };
}
