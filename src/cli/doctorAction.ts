/** What `doctor` does: one check-up for each version, one after the other. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { agentOf, connectOptions } from './agentOptions.js';
import { type Checkup, checkUp } from './checkup.js';
import { askingLines, doctorJson, tableLines, verdictLine } from './doctorReport.js';
import { DOCTOR_EXIT, isNoAgent, type Verdict, verdictOf } from './doctorVerdict.js';
import type { DoctorFlags } from './flags.js';
import { interruptsFor } from './interrupts.js';
import type { Invocation } from './invocation.js';
import { jsonLine } from './jsonLines.js';
import type { Output } from './output.js';
import { Progress } from './progress.js';
import { reportError } from './report.js';

const LIMIT_MS = 30_000;
const MARK_NAME = 'ACP_TURNSTILE_DOCTOR';

export async function doctor(flags: DoctorFlags, command: Command, { agent, output }: Invocation): Promise<number> {
  const program = agentOf(command, agent);
  const context = {
    agent: program,
    cwd: flags.cwd ?? process.cwd(),
    verbose: flags.verbose === true,
    limitFlag: '--limit',
  };
  const interrupts = interruptsFor(output);
  const progress = new Progress(output);
  const folder = mkdtempSync(join(tmpdir(), 'acp-turnstile-doctor-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const checkups: Checkup[] = [];
  try {
    for (const version of flags.protocol === undefined ? ([1, 2] as const) : [flags.protocol]) {
      const id = randomUUID();
      const checkup = await checkUp({
        version,
        connect: connectOptions(program, flags, { ...process.env, [MARK_NAME]: id }),
        auth: flags.auth,
        prompt: flags.prompt === true,
        limitMs: flags.limit ?? LIMIT_MS,
        folder,
        mark: `${MARK_NAME}=${id}`,
        signal: interrupts.signal,
        at: (step) => progress.state(`version ${version}: ${step}`),
      });
      checkups.push(checkup);
      // Of the other version it knows no more.
      if (isNoAgent(checkup) || checkup.error?.kind === 'spawn-failed') break;
    }
  } catch (error) {
    if (interrupts.exitCode !== undefined) return interrupts.exitCode;
    throw error;
  } finally {
    progress.stop();
    interrupts.dispose();
    process.removeListener('exit', remove);
    remove();
  }
  const verdict = verdictOf(checkups);
  if (flags.json) void output.text(jsonLine(doctorJson(verdict, checkups)));
  else tell(output, verdict, checkups);
  for (const { version, error } of told(checkups)) {
    output.note(`version ${version}:`);
    reportError(output, error, context);
  }
  return DOCTOR_EXIT[verdict];
}

function tell(output: Output, verdict: Verdict, checkups: readonly Checkup[]): void {
  const { colors } = output;
  const lines = [...tableLines(checkups, colors), ...askingLines(checkups), '', verdictLine(verdict, checkups, colors)];
  void output.styled(`${lines.join('\n')}\n`);
}

/** The errors that somebody can do something about; that one version of two is not spoken is none. */
function told(checkups: readonly Checkup[]): { version: number; error: NonNullable<Checkup['error']> }[] {
  const spoken = checkups.some(({ info }) => info !== undefined);
  return checkups.flatMap(({ version, error, steps }) => {
    if (!error || (spoken && steps.some(({ state }) => state === 'not spoken'))) return [];
    return [{ version, error }];
  });
}
