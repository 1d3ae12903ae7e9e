/** Puts an agent into .agents/NAME by exact version. Nothing of it runs while it is installed. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One of these is 457 MB; a registry that does not answer must not use up the time of a whole run. */
const INSTALL_MS = 120_000;
const OPTIONS = ['--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1', '--loglevel=error'];

function installedVersion(folder, name) {
  try {
    return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
  } catch {
    return undefined;
  }
}

/** @returns {Promise<{ command: string, binFolder: string } | { skipped: string }>} why it is skipped, in one line */
export async function install(recipe, agentsFolder, signal) {
  const folder = join(agentsFolder, recipe.name);
  const at = recipe.package.lastIndexOf('@');
  const [name, version] = [recipe.package.slice(0, at), recipe.package.slice(at + 1)];
  const binFolder = join(folder, 'node_modules', '.bin');
  const command = join(binFolder, recipe.bin);
  const present = () => installedVersion(folder, name) === version && existsSync(command);
  if (!present()) {
    mkdirSync(folder, { recursive: true });
    // Without a package.json of its own npm would look for one further up, and find ours.
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    const failure = await npmInstall(recipe.package, folder, signal);
    if (failure !== undefined || !present()) {
      rmSync(folder, { recursive: true, force: true });
      return { skipped: failure ?? `${recipe.package} brought no ${recipe.bin}` };
    }
  }
  return { command, binFolder };
}

/** Gives the reason of a failure. */
function npmInstall(wanted, cwd, signal) {
  return new Promise((resolve) => {
    const stdio = ['ignore', 'ignore', 'pipe'];
    const npm = spawn('npm', ['install', ...OPTIONS, wanted], { cwd, signal, timeout: INSTALL_MS, stdio });
    let errors = '';
    npm.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
    npm.on('error', (error) => resolve(error.message));
    npm.on('close', (code) => {
      if (code === 0) return resolve(undefined);
      const firstLine = errors.split('\n').find((line) => line.trim() !== '');
      const reason = npm.killed ? `not installed within ${INSTALL_MS / 1000} s` : `npm ended with ${code}`;
      resolve((firstLine ?? reason).slice(0, 200));
    });
  });
}
