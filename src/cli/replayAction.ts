/** What `replay` does. */
import type { Command } from 'commander';
import { systemClock } from '../framing/clock.js';
import type { Recording } from '../inspect/recording.js';
import { byteReadable, byteWritable } from '../process/streams.js';
import { OwnedProcess } from '../replay/ownedProcess.js';
import { AgentPlayer } from '../replay/playAgent.js';
import { ClientPlayer } from '../replay/playClient.js';
import type { Divergence } from '../replay/told.js';
import { agentOf, noAgent, type AgentCommand } from './agentOptions.js';
import { EXIT } from './exitCodes.js';
import type { ReplayFlags } from './flags.js';
import { interruptsFor } from './interrupts.js';
import type { Invocation } from './invocation.js';
import { jsonLine } from './jsonLines.js';
import type { Output } from './output.js';
import { counted, oneLine } from './printable.js';
import { readRecordingFile } from './readRecordingFile.js';
import { spawnTrouble } from './spawnTrouble.js';

const DEFAULT_WAIT_MS = 30_000;
const CLOSE_GRACE_MS = 2_000;
const LONGEST = 300;
/** Any model has an answer to it. */
const PLACEHOLDER = 'Say hello.';

export async function replay(
  file: string,
  flags: ReplayFlags,
  command: Command,
  invocation: Invocation,
): Promise<number> {
  const { agent, output } = invocation;
  if (flags.as === 'agent') noAgent(command, agent);
  if (flags.as === 'agent' && flags.json) command.error('error: --json is for --as client: an agent owns its stdout');
  const program = flags.as === 'client' ? agentOf(command, agent) : undefined;
  const recording = readRecordingFile(file, command, output);
  const waitMs = flags.wait ?? DEFAULT_WAIT_MS;
  return program
    ? asClient(file, recording, program, waitMs, flags.json === true, output)
    : asAgent(file, recording, waitMs, output);
}

function tell(file: string, { line, expected, got }: Divergence, bold: (text: string) => string): string {
  return [
    `${bold('diverged')} from line ${line} of ${oneLine(file, LONGEST)}`,
    `  expected  ${oneLine(expected, LONGEST)}`,
    `  got       ${oneLine(got, LONGEST)}`,
  ].join('\n');
}

async function asAgent(file: string, recording: Recording, waitMs: number, output: Output): Promise<number> {
  const player = new AgentPlayer({
    recording,
    input: byteReadable(process.stdin),
    output: byteWritable(process.stdout),
    clock: systemClock,
    waitMs,
  });
  const divergence = await player.play();
  if (!divergence) return EXIT.completed;
  output.note(tell(file, divergence, output.errColors.bold));
  return EXIT.found;
}

async function asClient(
  file: string,
  recording: Recording,
  program: AgentCommand,
  waitMs: number,
  json: boolean,
  output: Output,
): Promise<number> {
  if (!recording.text) {
    output.note(`${file} has no text: prompts are sent as "${PLACEHOLDER}" (record --with-text to play what was said)`);
  }
  const interrupts = interruptsFor(output);
  const owned = new OwnedProcess({
    ...program,
    clock: systemClock,
    closeGraceMs: CLOSE_GRACE_MS,
    inheritStderr: true,
    drained: () => Promise.resolve(),
  });
  const { readable, writable } = owned.process;
  const player = new ClientPlayer({
    recording,
    readable,
    writable,
    clock: systemClock,
    waitMs,
    cwd: process.cwd(),
    text: PLACEHOLDER,
  });
  const stopped = new Promise<undefined>((resolve) => {
    interrupts.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const divergence = await Promise.race([player.play(), stopped]);
  owned.close();
  await player.close();
  const { spawnErrorCode } = await owned.left;
  owned.process.dispose();
  interrupts.dispose();
  if (spawnErrorCode !== undefined) {
    output.note(`${output.errColors.red('error:')} ${spawnTrouble(program.command, process.cwd())}`);
    return EXIT.agent;
  }
  if (interrupts.exitCode !== undefined) return interrupts.exitCode;
  report(file, divergence, player.compared, json, output);
  return divergence ? EXIT.found : EXIT.completed;
}

function report(
  file: string,
  divergence: Divergence | undefined,
  compared: number,
  json: boolean,
  output: Output,
): void {
  const { bold, green } = output.colors;
  if (json) void output.text(jsonLine({ file, same: !divergence, compared, ...divergence }));
  else if (divergence) void output.styled(`${tell(file, divergence, bold)}\n`);
  else void output.styled(`${green('the same')}, ${counted(compared, 'word')} of the agent compared\n`);
}
