/** What a command shares with the tests: TypeScript of `__tests__/support`, translated on the way. Its types are checked there. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const build = pathToFileURL(join(root, 'build')).href;
const compilerOptions = {
  module: ts.ModuleKind.ES2022,
  target: ts.ScriptTarget.ES2022,
  verbatimModuleSyntax: true,
};

/** All exports of these modules of `__tests__/support/<folder>`; what they import of `src` is that of `build`. */
export async function fromTests(folder, modules) {
  const source = join(root, '__tests__/support', folder);
  const output = join(root, '.tmp', `${folder}-${process.pid}`);
  mkdirSync(output, { recursive: true });
  try {
    for (const name of readdirSync(source)) {
      const { outputText } = ts.transpileModule(readFileSync(join(source, name), 'utf8'), { compilerOptions });
      const translated = outputText
        .replaceAll(/(from '\.\/\w+)\.js'/g, "$1.mjs'")
        .replaceAll(/(from|import) '\.\.\/\.\.\/\.\.\/(src\/[\w/]+\.js)'/g, `$1 '${build}/$2'`);
      writeFileSync(join(output, name.replace(/\.ts$/, '.mjs')), translated);
    }
    const loaded = await Promise.all(modules.map((name) => import(pathToFileURL(join(output, `${name}.mjs`)).href)));
    return Object.assign({}, ...loaded);
  } finally {
    rmSync(output, { recursive: true });
  }
}
