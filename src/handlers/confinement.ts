/** Where a path really leads, and whether that is inside of the roots. Every link is followed before anything is judged. */
import { lstat, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { INVALID_PARAMS } from '../rpc/messages.js';
import { RequestError } from '../rpc/requestError.js';

/** Deeper than any path that a system takes. */
const MOST_SEGMENTS = 4_096;

const outside = (): RequestError => new RequestError(INVALID_PARAMS, 'The path is outside of the session');

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;
export const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT';

function holds(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

export class Confinement {
  readonly #roots: readonly string[];

  private constructor(roots: readonly string[]) {
    this.#roots = roots;
  }

  /** A root that does not exist holds nothing. */
  static async within(roots: readonly string[]): Promise<Confinement> {
    const real = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
    return new Confinement(real.filter((root) => root !== undefined));
  }

  /**
   * The real path of what is there, or of what would come to be there. A link that leads nowhere is refused: to create
   * what it names would be to create it wherever the link likes.
   *
   * @throws RequestError -32602: not absolute, or outside.
   */
  async resolve(path: string): Promise<{ path: string; exists: boolean }> {
    if (!isAbsolute(path) || path.includes('\0')) throw outside();
    const found = await realOf(resolve(path));
    this.#judge(found.path);
    return found;
  }

  /** What was opened is what was judged: between the two somebody may have put a link in the way. */
  async check(file: FileHandle, path: string): Promise<void> {
    if (process.platform === 'linux') {
      this.#judge(await readlink(`/proc/self/fd/${file.fd}`).catch(() => ''));
      return;
    }
    const [opened, now] = await Promise.all([file.stat({ bigint: true }), realpath(path)]);
    this.#judge(now);
    const there = await stat(now, { bigint: true });
    if (there.ino !== opened.ino || there.dev !== opened.dev) throw outside();
  }

  #judge(real: string): void {
    if (!isAbsolute(real) || !this.#roots.some((root) => holds(root, real))) throw outside();
  }
}

/** The deepest part that exists is resolved; what is missing below it is taken by name. */
async function realOf(path: string): Promise<{ path: string; exists: boolean }> {
  const missing: string[] = [];
  let at = path;
  for (let segments = 0; segments < MOST_SEGMENTS; segments += 1) {
    const real = await realpath(at).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (real !== undefined) return { path: join(real, ...missing), exists: missing.length === 0 };
    if (await isLink(at)) throw outside();
    missing.unshift(basename(at));
    at = dirname(at);
  }
  throw outside();
}

const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
