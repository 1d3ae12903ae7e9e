/**
 * `npm run interop:look -- COMMAND [NAME …]`: what our own command line prints of the real agents, each in a fresh home and with the
 * scripted model behind it: `probe`, or `doctor`, or `"doctor --prompt"`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';
import { startMockLlm } from './mock-llm.mjs';
import { Peer } from './peer.mjs';
import { recipes } from './recipes.mjs';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const AGENTS_FOLDER = fileURLToPath(new URL('../.agents', import.meta.url));

const [command, ...names] = process.argv.slice(2);
if (command === undefined) {
  console.error('Which command? npm run interop:look -- probe');
  process.exit(2);
}

async function look(recipe, installed, port, versions) {
  const peer = new Peer(recipe, installed, versions, port, undefined);
  const { command: program, args, cwd, env } = peer.launch;
  const words = command.split(' ');
  // `doctor` takes both versions in turn by itself.
  if (words[0] !== 'doctor' && versions.length === 1) words.push('--protocol', String(versions[0]));
  if (recipe.authMethod !== undefined) words.push('--auth', recipe.authMethod);
  console.log(`$ acp-turnstile ${[...words, '--', recipe.bin, ...args].join(' ')}`);
  const child = spawn(process.execPath, [CLI, ...words, '--cwd', cwd, '--', program, ...args], {
    env,
    stdio: 'inherit',
  });
  const [code] = await once(child, 'close');
  console.log(`exit code ${code}\n`);
  await peer.end();
}

const model = await startMockLlm();
try {
  for (const recipe of recipes.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const installed = await install(recipe, AGENTS_FOLDER);
    if (installed.skipped) {
      console.log(`${recipe.name} is skipped: ${installed.skipped}\n`);
      continue;
    }
    const runs = command.startsWith('doctor') ? recipe.versions.slice(0, 1) : recipe.versions;
    for (const versions of runs) await look(recipe, installed, model.port, versions);
  }
} finally {
  await model.close();
}
