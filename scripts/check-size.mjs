/**
 * A file knows one thing: every .ts in machines/ and src/ and every .js and .css in page/ holds at most 230 lines.
 * `--list` prints the modules with their line counts instead.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAX_LINES = 230;
const root = fileURLToPath(new URL('..', import.meta.url));

function lineCount(file) {
  const text = readFileSync(file, 'utf8');
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

const modules = ['machines', 'src', 'page']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /\.(ts|js|css)$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name))
  .map((file) => ({ name: relative(root, file).split(sep).join('/'), lines: lineCount(file) }))
  .sort((a, b) => (a.name < b.name ? -1 : 1));

const row = ({ name, lines }) => `${String(lines).padStart(5)}  ${name}`;

if (process.argv.includes('--list')) {
  const total = modules.reduce((sum, { lines }) => sum + lines, 0);
  console.log([...modules, { name: `in ${modules.length} modules`, lines: total }].map(row).join('\n'));
} else {
  const offenders = modules.filter(({ lines }) => lines > MAX_LINES);
  if (offenders.length > 0) {
    console.error(`check-size: over ${MAX_LINES} lines. A file this long knows two things: part them.`);
    console.error(offenders.map(row).join('\n'));
    process.exitCode = 1;
  }
}
