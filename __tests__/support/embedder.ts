import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import ts from 'typescript';

/** A directory with `copies` of the process floor as plain JavaScript, for programs that embed it. */
export function buildProcessFloor(copies: readonly string[]): { dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'embedder-'));
  writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
  const compilerOptions = { module: ts.ModuleKind.ES2022, target: ts.ScriptTarget.ES2022 };
  for (const floor of ['framing', 'process']) {
    const from = resolve('src', floor);
    for (const name of readdirSync(from).filter((file) => file.endsWith('.ts'))) {
      const { outputText } = ts.transpileModule(readFileSync(join(from, name), 'utf8'), { compilerOptions });
      for (const copy of copies) {
        mkdirSync(join(dir, copy, floor), { recursive: true });
        writeFileSync(join(dir, copy, floor, name.replace(/ts$/, 'js')), outputText);
      }
    }
  }
  return { dir, remove: () => rmSync(dir, { recursive: true }) };
}

export interface Embedder {
  child: ChildProcess;
  /** The next line that it prints. */
  line(): Promise<string>;
  /** How it ended: its code, or the signal. */
  ended: Promise<number | string | null>;
}

/**
 * Runs `program` as a program of its own. It has `launch(copy?)`, which starts an agent that ignores TERM, HUP, INT and the end of
 * its stdin together with a child that does the same, and resolves to `{ agent, pids }`; and `say(…)`, which prints a line. `under` is a command that runs it.
 */
export function runEmbedder(dir: string, program: string, under: readonly string[] = []): Embedder {
  const prelude = `
    import { spawnAgent } from './a/process/agentProcess.js';
    import { systemClock as clock } from './a/framing/clock.js';
    const say = (...words) => console.log(words.join(' '));
    const agentScript = "trap '' TERM HUP INT; sleep 1000 & echo $$ $! >&2; while :; do wait; sleep 1; done";
    const launch = (spawn = spawnAgent) => new Promise((resolve) => {
      const agent = spawn({ command: '/bin/sh', args: ['-c', agentScript], clock, onSpawned() {}, onSpawnFailed() {}, onExit() {},
        onStderr: (pids) => resolve({ agent, pids: pids.trim() }) });
    });
    const polite = (signal) => process.on(signal, function listener() {
      if (process.listenerCount(signal) > 1) return;
      process.removeListener(signal, listener);
      process.kill(process.pid, signal);
    });
  `;
  const [command, ...args] = [...under, process.execPath, '--input-type=module', '--eval', prelude + program];
  const child = spawn(command, args, { cwd: dir, stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    line: async () => String((await lines.next()).value),
    ended: new Promise((done) => child.once('exit', (code, signal) => done(signal ?? code))),
  };
}
