/** Why a command could not be started, as far as a look at the file system tells: the error of the library has no errno. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function mayRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** One sentence. */
export function spawnTrouble(command: string, cwd: string, searchPath = process.env['PATH'] ?? ''): string {
  const isPath = command.includes('/');
  const candidates = isPath
    ? [resolve(cwd, command)]
    : searchPath.split(delimiter).map((folder) => join(resolve(cwd, folder), command));
  const found = candidates.find(isFile);
  if (found === undefined) return isPath ? `${command}: no such file.` : `${command}: command not found.`;
  return mayRun(found) ? `${command}: the system refused to start it.` : `${command}: not executable.`;
}
