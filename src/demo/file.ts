/** The one file that the demo agent ever writes. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = 'acp-turnstile-demo.txt';
const TEXT = 'The demo agent of acp-turnstile wrote this after it was allowed to. It can be deleted.\n';
/** Not through a link: that could lead out of the session's folder. Windows has no such flag. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);

export const demoFile = (cwd: string): string => join(cwd, NAME);

/** Whether it worked. */
export async function writeDemoFile(cwd: string): Promise<boolean> {
  try {
    const file = await open(demoFile(cwd), FLAGS, 0o644);
    try {
      await file.writeFile(TEXT);
    } finally {
      await file.close();
    }
    return true;
  } catch {
    return false;
  }
}
