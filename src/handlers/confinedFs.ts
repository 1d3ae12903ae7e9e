import { constants } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BadArgument } from '../rpc/badArgument.js';
import { INVALID_PARAMS, NOT_FOUND } from '../rpc/messages.js';
import { RequestError } from '../rpc/requestError.js';
import { Confinement, isMissing } from './confinement.js';
import type { FsHandler, HandlerContext } from './handlers.js';
import { readLines } from './readLines.js';

const MIB = 1024 * 1024;
const DEFAULT_READ_BYTES = 8 * MIB;
const DEFAULT_WRITE_BYTES = 8 * MIB;

export interface ConfinedFsOptions {
  /** Absolute. Default: the session's own, its `cwd` and its additional directories. */
  roots?: readonly string[] | undefined;
  /** Serve `fs/write_text_file` too. Default true. */
  write?: boolean | undefined;
  /** Of one answer, in bytes; more is refused, never cut. Default 8 MiB. */
  maxReadBytes?: number | undefined;
  /** Of one file written, in bytes. Default 8 MiB. */
  maxWriteBytes?: number | undefined;
}

const { O_RDONLY, O_WRONLY, O_CREAT } = constants;
/** Windows has neither. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;
type Read = Parameters<NonNullable<FsHandler['readTextFile']>>[0];
type Write = Parameters<NonNullable<FsHandler['writeTextFile']>>[0];

const ONLY_FILES = 'Not a regular file';

function bytes(value: unknown, argument: string, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value !== 'number' || !(value >= 0)) throw new BadArgument(argument);
  return value;
}

/** A FIFO would block its reader for ever and a device do what it likes; neither is opened in a way that waits. */
async function onlyFile(file: FileHandle): Promise<void> {
  if (!(await file.stat()).isFile()) throw new RequestError(INVALID_PARAMS, ONLY_FILES);
}

async function opened<T>(path: string, flags: number, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, flags | O_NOFOLLOW | O_NONBLOCK);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** The system's own words are not the agent's to know; whether a file is there is. */
async function refusing<T>(work: Promise<T>, { signal }: HandlerContext): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RequestError || signal.aborted) throw error;
    if (isMissing(error)) throw new RequestError(NOT_FOUND, 'Resource not found');
    throw new RequestError(INVALID_PARAMS, 'The file cannot be used');
  }
}

/**
 * A ready-made `fs` handler: text files inside of the session's roots, by their real paths. A link is followed before
 * anything is judged, also where the file does not exist yet, and what was opened is judged again. Only regular files.
 * Text is UTF-8; what is no UTF-8 is read as U+FFFD. Writing creates the file and the folders that it lacks.
 *
 * Refuses by -32602 what is outside, no regular file, or over a cap, and by -32002 what is not there. Hard links are not told
 * from files: who can make one inside the roots has the file already.
 *
 * @throws BadArgument naming the option.
 */
export function confinedFs(options: ConfinedFsOptions = {}): FsHandler {
  const { roots, write = true } = options;
  if (roots !== undefined && !(Array.isArray(roots) && roots.every((root) => typeof root === 'string'))) {
    throw new BadArgument('roots');
  }
  const maxReadBytes = bytes(options.maxReadBytes, 'maxReadBytes', DEFAULT_READ_BYTES);
  const maxWriteBytes = bytes(options.maxWriteBytes, 'maxWriteBytes', DEFAULT_WRITE_BYTES);
  const confinement = (context: HandlerContext): Promise<Confinement> => Confinement.within(roots ?? context.roots);

  const read = async ({ path, line, limit }: Read, context: HandlerContext): Promise<{ content: string }> => {
    const confined = await confinement(context);
    const target = await confined.resolve(path);
    return opened(target.path, O_RDONLY, async (file) => {
      await confined.check(file, target.path);
      await onlyFile(file);
      const wanted = { line: Math.max(1, line ?? 1), limit: limit ?? Infinity, maxBytes: maxReadBytes };
      const text = await readLines(file, { ...wanted, signal: context.signal });
      if (text === undefined) throw new RequestError(INVALID_PARAMS, 'The text is too large');
      return { content: text.toString('utf8') };
    });
  };

  const put = async ({ path, content }: Write, context: HandlerContext): Promise<void> => {
    const text = Buffer.from(content, 'utf8');
    if (text.length > maxWriteBytes) throw new RequestError(INVALID_PARAMS, 'The text is too large');
    const confined = await confinement(context);
    let target = await confined.resolve(path);
    if (!target.exists) {
      await mkdir(dirname(target.path), { recursive: true });
      target = await confined.resolve(target.path);
    }
    // Nothing is cut off before it is known what was opened.
    await opened(target.path, O_WRONLY | O_CREAT, async (file) => {
      await confined.check(file, target.path);
      await onlyFile(file);
      await file.truncate(0);
      await file.writeFile(text);
    });
  };

  return {
    readTextFile: (params, context) => refusing(read(params, context), context),
    ...(write ? { writeTextFile: (params, context) => refusing(put(params, context), context) } : {}),
  };
}
