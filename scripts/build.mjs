/**
 * `npm run build`: compiles every module by itself into `build/`, from which scripts and tests take what no user can import,
 * and makes of that what is published: `dist/`, a few files of JavaScript, and the types that the exports lead to. Types are
 * not checked: `npm run typecheck` does that. `--to DIR` makes a whole package there instead, in a folder that is new.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from './bundle.mjs';

const TYPES = 'dist/types';

const root = resolve(fileURLToPath(import.meta.url), '../..');
const { values } = parseArgs({ options: { to: { type: 'string', default: root } } });
const to = resolve(values.to);
const build = join(to, 'build');
const dist = join(to, 'dist');
const { dependencies, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The declarations that these lead to, themselves included. */
function declarations(entries) {
  const found = new Set(entries);
  for (const file of found) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)\.js'/g)) {
      found.add(join(dirname(file), `${path}.d.ts`));
    }
  }
  return found;
}

for (const folder of [build, dist]) rmSync(folder, { recursive: true, force: true });
if (to !== root) {
  mkdirSync(to, { recursive: true });
  cpSync(join(root, 'package.json'), join(to, 'package.json'));
  for (const folder of ['page', 'docs']) symlinkSync(join(root, folder), join(to, folder));
}
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const project = join(root, 'tsconfig.build.json');
execFileSync(process.execPath, [tsc, '-p', project, '--outDir', build], { stdio: 'inherit' });

await bundle({ from: build, to: dist, dependencies: Object.keys(dependencies) });

const entries = Object.values(exports)
  .flatMap(({ types }) => types ?? [])
  .map((file) => join(build, relative(TYPES, file)));
for (const file of declarations(entries)) cpSync(file, join(to, TYPES, relative(build, file)));
