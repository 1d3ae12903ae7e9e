/**
 * Three agents at once: each has a policy of its own, and all of them share one budget. What one may do no other may, and
 * when the budget is spent it is spent for all.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AcpError, budget, connect, decisionLines, policy } from 'acp-turnstile';
import { demoAgent } from './demoAgent.mjs';

/** Silence of ten seconds, or half a minute in all, from the first use on. `node orchestrator.mjs 50`: 50 ms in all. */
const [absoluteMs = 30_000] = process.argv.slice(2).map(Number);
const shared = budget({ idleMs: 10_000, absoluteMs });

/** A decision of your own code: yes, once, to a file in the folder of the job, and no to everything else. */
const inside = (folder) =>
  policy.ask(
    ({ toolCall, options }) => {
      const paths = (toolCall?.locations ?? []).map(({ path }) => path);
      const legal = toolCall?.kind === 'edit' && paths.every((path) => path.startsWith(`${folder}/`));
      return options.find(({ kind }) => kind === (legal ? 'allow_once' : 'reject_once'))?.optionId ?? null;
    },
    { timeoutMs: 5_000, onTimeout: 'reject_once' },
  );

const jobs = [
  { name: 'reader', task: 'Make a plan, then write a file.', policyFor: () => policy.byKind({ read: 'allow_once' }) },
  { name: 'writer', task: 'Make a plan, then write a file.', policyFor: inside },
  { name: 'watcher', task: 'Use a tool and think.', policyFor: () => policy.cancel() },
];

async function work({ name, task, policyFor }) {
  const folder = mkdtempSync(join(tmpdir(), 'orchestrator-'));
  let agent;
  try {
    agent = await connect({
      ...demoAgent,
      cwd: folder,
      client: { name: 'orchestrator', version: '1.0.0' },
      budget: shared,
      permissions: policyFor(folder),
    });
    const session = await agent.newSession({ budget: shared });
    const { outcome, toolCalls } = await session.prompt(task, { budget: shared }).result;
    const tools = toolCalls.map(({ kind, status }) => `${kind} ${status}`).join(', ') || 'no tool';
    const wrote = readdirSync(folder).join(', ') || 'nothing';
    return { name, line: `${outcome}; ${tools}; wrote ${wrote}`, decisions: agent.decisions };
  } catch (error) {
    if (!(error instanceof AcpError)) throw error;
    // A closed set: requeue what ran out of time, start anew what died, give up on the rest.
    return { name, line: `failed: ${error.kind} in phase ${error.phase}`, decisions: agent?.decisions ?? [] };
  } finally {
    await agent?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const done = await Promise.all(jobs.map(work));
for (const { name, line } of done) console.log(`${name.padEnd(8)} ${line}`);
console.log('\nwho was allowed what:');
for (const { name, decisions } of done) {
  for (const { outcome, optionKind, policy: by, cause } of decisions) {
    console.log(`${name.padEnd(8)} ${outcome} ${optionKind ?? '-'} (${by}, ${cause})`);
  }
}
// The same as JSON lines, for an audit: without a word of the agents.
process.stderr.write(decisionLines(done.flatMap(({ decisions }) => decisions)));
