/** What `probe` does. It never prompts. */
import type { Command } from 'commander';
import { AcpError, type Agent, type Session } from '../index.js';
import { agentOf, connectOptions } from './agentOptions.js';
import { EXIT, exitCodeOf } from './exitCodes.js';
import { interruptsFor } from './interrupts.js';
import type { Invocation } from './invocation.js';
import { jsonLine } from './jsonLines.js';
import { logIn } from './logIn.js';
import type { ProbeFlags } from './flags.js';
import { agentLines, errorReport, optionLines, reportOf } from './probeReport.js';
import { Progress } from './progress.js';
import { reportError } from './report.js';
import { withAgent } from './withAgent.js';

export async function probe(flags: ProbeFlags, command: Command, { agent, output }: Invocation): Promise<number> {
  const program = agentOf(command, agent);
  const context = { agent: program, cwd: flags.cwd ?? process.cwd(), verbose: flags.verbose === true };
  const interrupts = interruptsFor(output);
  const progress = new Progress(output);
  const began = performance.now();
  const print = (lines: readonly string[]): void => void (flags.json || output.text(`${lines.join('\n')}\n`));
  const printJson = (report: Record<string, unknown>): void => void (flags.json && output.text(jsonLine(report)));

  const failed = (error: AcpError): void => {
    progress.stop();
    reportError(output, error, context);
  };
  const body = async (connected: Agent): Promise<number> => {
    const startMs = performance.now() - began;
    print(agentLines(connected, startMs));
    progress.state('ready');
    const { session, error } = await openedBy(connected, flags);
    progress.stop();
    printJson(reportOf(connected, startMs, session, error));
    if (session) print(optionLines(session, flags.all === true));
    if (error) failed(error);
    await session?.[Symbol.asyncDispose]();
    return error ? exitCodeOf(error) : EXIT.completed;
  };

  try {
    return await withAgent({
      options: connectOptions(program, flags),
      interrupts,
      failed: (error) => {
        printJson({ error: errorReport(error) });
        failed(error);
      },
      body,
    });
  } finally {
    progress.stop();
    interrupts.dispose();
  }
}

interface Opened {
  session?: Session;
  error?: AcpError;
}

/** What is known without a session is worth showing: that there is none is part of the report. */
async function openedBy(agent: Agent, { auth, cwd }: ProbeFlags): Promise<Opened> {
  try {
    await logIn(agent, auth);
    return { session: await agent.newSession({ cwd }) };
  } catch (error) {
    if (error instanceof AcpError) return { error };
    throw error;
  }
}
