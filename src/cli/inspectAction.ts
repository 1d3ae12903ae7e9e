/** What `inspect` does: serves the page, runs what `run` runs, and keeps the page up until Ctrl-C. */
import type { Command } from 'commander';
import type { Observer } from '../index.js';
import { inspector, type Inspector } from '../inspector.js';
import { agentOf } from './agentOptions.js';
import type { InspectFlags } from './flags.js';
import type { Interrupts } from './interrupts.js';
import type { Invocation } from './invocation.js';
import { jsonLine } from './jsonLines.js';
import { run } from './runAction.js';

/** The server alone is no reason for Node to go on. */
const KEEP_ALIVE_MS = 3_600_000;

async function served({ port, withText }: InspectFlags, command: Command): Promise<Inspector> {
  try {
    return await inspector({ port, withText });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || port === undefined) throw error;
    const why = code === 'EADDRINUSE' ? 'it is taken' : code;
    return command.error(`error: port ${port} cannot be used: ${why}. Without --port a free one is chosen`);
  }
}

/** The same observer, and whether the agent has said anything: where it has not, there is nothing to look at. */
function heeded(view: Inspector): Observer & { readonly heard: boolean } {
  let heard = false;
  return {
    ...view,
    frame: (seen) => {
      heard ||= seen.direction === 'in';
      view.frame?.(seen);
    },
    get heard() {
      return heard;
    },
  };
}

function untilAsked(interrupts: Interrupts): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {}, KEEP_ALIVE_MS);
    const end = (): void => {
      clearInterval(timer);
      resolve();
    };
    interrupts.onAsked = end;
    interrupts.signal.addEventListener('abort', end, { once: true });
  });
}

export async function inspect(
  prompt: string | undefined,
  flags: InspectFlags,
  command: Command,
  invocation: Invocation,
): Promise<number> {
  const { output, agent } = invocation;
  agentOf(command, agent);
  const view = await served(flags, command);
  const { url, port } = view;
  if (flags.json) void output.text(jsonLine({ event: 'inspector', at: 0, url, port }));
  output.note(`The page: ${output.errColors.bold(url)}`);
  if (prompt === undefined) output.note('No prompt was given: a session is opened, and Ctrl-C ends it.');
  const recorder = heeded(view);
  const linger = async (interrupts: Interrupts): Promise<void> => {
    if (interrupts.asked || interrupts.exitCode !== undefined || !recorder.heard) return;
    output.note('It is over; the page stays up until Ctrl-C.');
    await untilAsked(interrupts);
  };
  try {
    return await run(prompt, flags, command, invocation, { recorder, linger });
  } finally {
    await view.close();
  }
}
