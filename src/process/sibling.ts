import { spawn } from 'node:child_process';

/**
 * Starts a Node program in the group of this process, and does not own it: whoever ends the group ends it too. For agents
 * that play agents which leave something behind.
 */
export function spawnSibling(script: string, holdStdout: boolean): number | undefined {
  const child = spawn(process.execPath, ['-e', script], {
    stdio: ['ignore', holdStdout ? 'inherit' : 'ignore', 'ignore'],
  });
  child.unref();
  return child.pid;
}
