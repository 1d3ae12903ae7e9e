/** A copy of the tree in which a mutant can live: the shared one is never touched. */
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const COPIED = [
  ...['machines', 'src', '__tests__', 'fixtures', 'package.json', 'tsconfig.json'],
  // Of which the cases make the agent that they talk to.
  ...['tsconfig.build.json', 'scripts/build.mjs', 'scripts/bundle.mjs'],
];

/** Types are not checked: a mutant that the compiler refuses would be killed by nothing that this is about. */
const CONFIG = `import base from './jest.base.js';
export default {
  ...base,
  transform: { '^.+\\\\.ts$': ['ts-jest', { useESM: true, diagnostics: false, tsconfig: './tsconfig.mutants.json' }] },
};
`;

const TSCONFIG = JSON.stringify({ extends: './tsconfig.json', compilerOptions: { isolatedModules: true } });

export function copyTree(root) {
  const folder = mkdtempSync(join(tmpdir(), 'acp-mutants-'));
  for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true });
  cpSync(join(root, 'jest.config.js'), join(folder, 'jest.base.js'));
  writeFileSync(join(folder, 'jest.config.js'), CONFIG);
  writeFileSync(join(folder, 'tsconfig.mutants.json'), TSCONFIG);
  symlinkSync(realpathSync(join(root, 'node_modules')), join(folder, 'node_modules'), 'dir');
  return {
    folder,
    write: (file, text) => writeFileSync(join(folder, file), text),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
