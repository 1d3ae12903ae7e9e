/**
 * `npm run mutants`: does anything see it when a chart or the join is wrong? Each mutant is one small mistake in a copy of
 * the tree. It has to be killed by what the scripted agent keeps in its books, by a test in memory or by a wire case; that
 * the charts are not where the graph says is not asked.
 *
 *   npm run mutants                  the table of scripts/mutants/table.mjs
 *   npm run mutants -- --charts      each chart once more without each of its parts
 *   npm run mutants -- --only TEXT   those whose file or promise has TEXT in it
 *   npm run mutants -- --jobs N      so many at once (default 2)
 *
 * One line per mutant, then `N killed, N alive`. Those that are known to live are explained in docs/mutants.md.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chartMutants } from './mutants/charts.mjs';
import { copyTree } from './mutants/copy.mjs';
import { judge } from './mutants/judge.mjs';
import { table } from './mutants/table.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: args } = parseArgs({
  options: {
    charts: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    jobs: { type: 'string', default: '2' },
  },
});

function fromTable({ file, says, pairs }) {
  let text = readFileSync(join(root, file), 'utf8');
  for (let i = 0; i < pairs.length; i += 2) {
    const parts = text.split(pairs[i]);
    if (parts.length !== 2) throw new Error(`${file}: <${says}> fits ${parts.length - 1} times, and has to fit once`);
    text = parts.join(pairs[i + 1]);
  }
  return { file, says, text };
}

const mutants = (args.charts ? chartMutants(root) : table.map(fromTable)).filter(({ file, says }) =>
  `${file}: ${says}`.includes(args.only),
);

/** One copy of the tree, one mutant after the other. */
async function work(queue, tell) {
  const tree = copyTree(root);
  try {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const { file, text } = mutant;
      tree.write(file, text);
      tell(mutant, await judge(tree.folder, file));
      tree.write(file, readFileSync(join(root, file), 'utf8'));
    }
  } finally {
    tree.remove();
  }
}

async function untouched() {
  const tree = copyTree(root);
  try {
    const seen = await judge(tree.folder, 'machines/session.ts');
    if (seen) throw new Error(`the tree as it is fails: ${seen.what}`);
  } finally {
    tree.remove();
  }
}

await untouched();
let killed = 0;
const alive = [];
const queue = [...mutants];
const tell = ({ file, says }, verdict) => {
  if (verdict) killed += 1;
  else alive.push(`${file}: ${says}`);
  console.log(`${verdict ? `killed by ${verdict.judge.padEnd(6)}` : 'ALIVE           '} ${file}: ${says}`);
  if (verdict) console.log(`                   ${verdict.what}`);
};
await Promise.all(Array.from({ length: Number(args.jobs) }, () => work(queue, tell)));
console.log(`${killed} killed, ${alive.length} alive`);
process.exitCode = alive.length === 0 ? 0 : 1;
