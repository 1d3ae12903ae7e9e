/**
 * `npm run docs`: draws every chart from the machine object. `--check` writes nothing and fails when a file is stale, so
 * that pages and pictures cannot drift from what runs.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import prettier from 'prettier';
import { chartOf, MACHINES } from '../build/src/inspect/chart.js';
import { toPage } from '../build/src/inspect/page.js';
import { draw } from './draw.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}docs/machines/`;
/** The files whose head comments tell how a chart works. */
const THEORY = {
  connection: ['connection'],
  session: ['session', 'sessionTurns', 'sessionPermissions'],
  turn: ['turn'],
  process: ['process'],
};

function headOf(file) {
  const [, comment = ''] = /^\/\*\*\n([\s\S]*?)\n \*\//.exec(readFileSync(`${root}machines/${file}.ts`, 'utf8')) ?? [];
  return comment
    .split('\n')
    .map((line) => line.replace(/^ \* ?/, ''))
    .join('\n')
    .replace('THEORY OF OPERATION.', '**Theory of operation.**');
}

export async function files() {
  const written = new Map();
  for (const machine of MACHINES) {
    const chart = chartOf(machine);
    const theory = THEORY[chart.id].map(headOf).join('\n\n');
    const page = await prettier.format(toPage(chart, theory), { parser: 'markdown', printWidth: 120 });
    written.set(`${folder}${chart.id}.md`, page);
    written.set(`${folder}${chart.id}.svg`, await draw(chart));
  }
  return written;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check');
  mkdirSync(folder, { recursive: true });
  let stale = 0;
  for (const [file, text] of await files()) {
    let before = '';
    try {
      before = readFileSync(file, 'utf8');
    } catch {
      // It is written for the first time.
    }
    if (before === text) continue;
    stale += 1;
    console.log(`${check ? 'stale' : 'wrote'} ${file.slice(root.length)}`);
    if (!check) writeFileSync(file, text);
  }
  if (stale === 0) console.log('docs/machines is up to date');
  if (check && stale > 0) {
    console.log('run: npm run docs');
    process.exitCode = 1;
  }
}
