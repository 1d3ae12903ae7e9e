/** What `demo` does. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, policy, type Stats, type TurnResult, type Update } from '../index.js';
import { ownCli } from '../inspect/ownPackage.js';
import { AnswerText } from './answerText.js';
import { connectOptions } from './agentOptions.js';
import { exitCodeOfOutcome } from './exitCodes.js';
import type { DemoFlags } from './flags.js';
import { interruptsFor } from './interrupts.js';
import { JsonStory } from './jsonStory.js';
import type { Output } from './output.js';
import { counted } from './printable.js';
import { reportError } from './report.js';
import { type Story, Timeline } from './timeline.js';
import { withAgent } from './withAgent.js';

const PROMPT = 'Make a plan, then write a file.';
const PACE_MS = 20;
const RULES = { edit: 'allow_once' } as const;
/** Nothing here takes longer, on any machine. */
const BOUNDS = { idleMs: 10_000, absoluteMs: 20_000 };

export async function demo({ protocol, json }: DemoFlags, output: Output): Promise<number> {
  const timeline = json ? new JsonStory(output) : new Timeline(output);
  const answer = new AnswerText();
  const folder = mkdtempSync(join(tmpdir(), 'acp-turnstile-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const interrupts = interruptsFor(output);
  const agent = { command: process.execPath, args: [ownCli(), 'demo-agent', '--pace', String(PACE_MS)] };
  const flags = { cwd: folder, ...(protocol === undefined ? {} : { protocol }) };

  timeline.text(output.colors.bold('One turn against the agent that comes with acp-turnstile\n'));
  timeline.fact('agent', 'acp-turnstile demo-agent, a process of its own');
  timeline.fact('folder', `${folder}, removed afterwards`);
  timeline.fact('prompt', PROMPT);
  timeline.fact('policy', "policy.byKind({ edit: 'allow_once' }): any other kind is `cancelled`");
  timeline.text('');
  let heard: { result: TurnResult; stats: Stats } | undefined;
  try {
    const exitCode = await withAgent({
      interrupts,
      options: {
        ...connectOptions(agent, flags),
        budget: BOUNDS,
        permissions: policy.byKind(RULES),
        inspect: timeline.inspect,
        on: {
          update: (update) => show(timeline, answer, update),
          permission: ({ toolCall, options }) => {
            timeline.line('asks', `${toolCall?.kind ?? 'some'} tool: ${options.map(({ kind }) => kind).join(', ')}?`);
          },
          decision: ({ outcome, optionKind, policy: name }) => {
            timeline.line('answer', `${outcome} ${optionKind ?? ''}`.trimEnd(), `by policy ${name}`);
          },
        },
      },
      failed: (error) => {
        reportError(output, error, { agent, cwd: folder, verbose: false });
      },
      body: async (connected: Agent) => {
        const session = await connected.newSession();
        const result = await session.prompt(PROMPT, { budget: BOUNDS }).result;
        heard = { result, stats: connected.stats };
        await session.close();
        await connected.close();
        heard.stats = connected.stats;
        return exitCodeOfOutcome(result.outcome);
      },
    });
    if (heard) foot(timeline, heard.result, heard.stats, readdirSync(folder));
    return exitCode;
  } finally {
    interrupts.dispose();
    process.removeListener('exit', remove);
    remove();
  }
}

function show(timeline: Story, answer: AnswerText, update: Update): void {
  if (update.kind === 'text') timeline.speech('agent', answer.take(update));
  if (update.kind === 'tool') timeline.line('tool', `${update.toolCall.kind ?? 'tool'}: ${update.toolCall.status}`);
  if (update.kind === 'plan') {
    const done = update.entries.filter(({ status }) => status === 'completed').length;
    timeline.line('plan', `${done} of ${update.entries.length} steps done`);
  }
}

function foot(timeline: Story, result: TurnResult, stats: Stats, files: readonly string[]): void {
  const { outcome, stopReason, updates, toolCalls, permissions } = result;
  timeline.text('');
  timeline.fact('result', `${outcome} (${stopReason ?? 'no stop reason'})`);
  timeline.fact(
    'heard',
    [
      counted(updates, 'update'),
      counted(toolCalls.length, 'tool call'),
      counted(permissions.length, 'permission'),
    ].join(', '),
  );
  timeline.fact('wrote', files.join(', ') || 'nothing');
  timeline.fact('frames', `${stats.framesIn} in, ${stats.framesOut} out`);
  timeline.fact('bytes', `${stats.bytesIn} in, ${stats.bytesOut} out`);
  const rest = Object.entries(stats).filter(([name]) => !/^(frames|bytes)/.test(name));
  const odd = rest.filter(([, count]) => count > 0).map(([name, count]) => `${name} ${count}`);
  timeline.fact('odd', odd.length > 0 ? odd.join(', ') : 'nothing skipped, stray, late or unknown');
}
