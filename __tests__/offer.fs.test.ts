/** The ready-made fs handler, on a real file system. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AcpError, confinedFs, type ConfinedFsOptions, type HandlerContext } from '../src/index.js';
import { Confinement } from '../src/handlers/confinement.js';

let top: string;
let root: string;
let outside: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'offer-fs-')));
  root = join(top, 'root');
  outside = join(top, 'outside');
  mkdirSync(join(root, 'inner'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(root, 'a.txt'), 'one\ntwo\r\nthree');
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  // A sister whose name begins as the root's does.
  mkdirSync(join(top, 'root-2'));
  writeFileSync(join(top, 'root-2', 'a.txt'), 'secret');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const context = (more: Partial<HandlerContext> = {}): HandlerContext => ({
  sessionId: 's-1',
  roots: [root],
  signal: new AbortController().signal,
  ended: new AbortController().signal,
  ...more,
});
const read = async (path: string, more: object = {}, options?: ConfinedFsOptions, c = context()): Promise<string> =>
  (await confinedFs(options).readTextFile!({ path, ...more }, c)).content;
const write = async (path: string, content: string, options?: ConfinedFsOptions): Promise<void> =>
  confinedFs(options).writeTextFile!({ path, content }, context());
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error as { code?: number }).code,
  );

describe('reading', () => {
  it('gives the text of a file inside of the roots, in the session or given', async () => {
    expect(await read(join(root, 'a.txt'))).toBe('one\ntwo\r\nthree');
    expect(await read(join(root, 'inner', '..', 'a.txt'))).toBe('one\ntwo\r\nthree');
    expect(await read(join(outside, 'secret.txt'), {}, { roots: [outside] })).toBe('secret');
    expect(await read(join(outside, 'secret.txt'), {}, {}, context({ roots: [root, outside] }))).toBe('secret');
  });

  // prettier-ignore
  it.each<[object, string]>([
    [{ line: 1 },                'one\ntwo\r\nthree'],
    [{ line: 2 },                'two\r\nthree'],
    [{ line: 2, limit: 1 },      'two\r\n'],
    [{ line: 0, limit: 1 },      'one\n'],
    [{ limit: 2 },               'one\ntwo\r\n'],
    [{ line: 3, limit: 9 },      'three'],
    [{ line: 9 },                ''],
    [{ limit: 0 },               ''],
  ])('takes %j', async (wanted, text) => {
    expect(await read(join(root, 'a.txt'), wanted)).toBe(text);
  });

  it('takes any lines of any file as cutting it would', async () => {
    const file = join(root, 'any.txt');
    const text = fc.array(fc.constantFrom('a', 'ü', '🦊', '\r', '\n', '\n', 'x'.repeat(40_000))).map((p) => p.join(''));
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 0, max: 6 }),
        async (all, line, limit) => {
          writeFileSync(file, all);
          const lines = all.split(/(?<=\n)/);
          expect(await read(file, { line, limit })).toBe(lines.slice(line - 1, line - 1 + limit).join(''));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('refuses what is more than the cap, and counts only what is asked for', async () => {
    const file = join(root, 'a.txt');
    expect(await codeOf(read(file, {}, { maxReadBytes: 13 }))).toBe(-32602);
    expect(await read(file, {}, { maxReadBytes: 14 })).toHaveLength(14);
    expect(await read(file, { line: 3 }, { maxReadBytes: 5 })).toBe('three');
  });

  it('says what is not there, and lets nothing be told apart outside', async () => {
    expect(await codeOf(read(join(root, 'none.txt')))).toBe(-32002);
    expect(await codeOf(read(join(outside, 'secret.txt')))).toBe(-32602);
    expect(await codeOf(read(join(outside, 'none.txt')))).toBe(-32602);
    expect(await codeOf(read('/'))).toBe(-32602);
    expect(await codeOf(read(join(top, 'root-2', 'a.txt')))).toBe(-32602);
    expect(await codeOf(read(join(root, '..', 'outside', 'secret.txt')))).toBe(-32602);
    expect(await codeOf(read('a.txt'))).toBe(-32602);
    expect(await codeOf(read(join(root, 'a.txt\0')))).toBe(-32602);
  });

  it('follows a link that stays inside, and none that leads out', async () => {
    symlinkSync(join(root, 'a.txt'), join(root, 'stays'));
    symlinkSync(join(outside, 'secret.txt'), join(root, 'leaves'));
    symlinkSync(outside, join(root, 'inner', 'folder'));
    symlinkSync('../../outside/secret.txt', join(root, 'inner', 'relative'));
    symlinkSync(root, join(outside, 'back'));
    expect(await read(join(root, 'stays'))).toContain('one');
    expect(await read(join(outside, 'back', 'a.txt'))).toContain('one');
    for (const way of ['leaves', 'inner/folder/secret.txt', 'inner/relative']) {
      expect(await codeOf(read(join(root, way)))).toBe(-32602);
    }
  });

  it('reads regular files only, and waits for none', async () => {
    const fifo = join(root, 'fifo');
    execFileSync('mkfifo', [fifo]);
    expect(await codeOf(read(fifo))).toBe(-32602);
    expect(await codeOf(read(join(root, 'inner')))).toBe(-32602);
    expect(await codeOf(read('/dev/zero', {}, { roots: ['/dev'] }))).toBe(-32602);
  });

  it('ends with its signal, at the next piece of a long file', async () => {
    const controller = new AbortController();
    controller.abort(new Error('mine'));
    const reading = read(join(root, 'a.txt'), {}, {}, context({ signal: controller.signal }));
    await expect(reading).rejects.toThrow('mine');
  });

  it('through a root that is a link is inside of it, and one that is not there holds nothing', async () => {
    symlinkSync(root, join(top, 'link'));
    const through = context({ roots: [join(top, 'link'), join(top, 'missing')] });
    expect(await read(join(top, 'link', 'a.txt'), {}, {}, through)).toContain('one');
    expect(await read(join(root, 'a.txt'), {}, {}, through)).toContain('one');
    expect(await codeOf(read(join(top, 'missing', 'a.txt'), {}, {}, context({ roots: [join(top, 'missing')] })))).toBe(
      -32602,
    );
  });
});

describe('writing', () => {
  it('replaces a file, creates one, and the folders that it lacks', async () => {
    await write(join(root, 'a.txt'), 'shorter');
    await write(join(root, 'new', 'deep', 'b.txt'), 'ü');
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('shorter');
    expect(readFileSync(join(root, 'new', 'deep', 'b.txt'), 'utf8')).toBe('ü');
  });

  it('creates nothing outside: not by dots, not by a link, not through a link that leads nowhere yet', async () => {
    symlinkSync(join(outside, 'dangling.txt'), join(root, 'dangling'));
    symlinkSync(join(outside, 'nowhere'), join(root, 'nowhere'));
    symlinkSync(outside, join(root, 'folder'));
    symlinkSync(join(root, 'inside.txt'), join(root, 'inner', 'dangling-inside'));
    const ways = [
      ...['dangling', 'nowhere/x.txt', 'nowhere/deep/x.txt', 'folder/x.txt', 'folder/deep/x.txt'],
      ...['../outside/x.txt', 'new/../../outside/x.txt', 'inner/dangling-inside'],
    ];
    for (const way of ways) {
      expect([
        way,
        await codeOf(confinedFs().writeTextFile!({ path: `${root}/${way}`, content: 'x' }, context()) as Promise<void>),
      ]).toEqual([way, -32602]);
    }
    for (const name of ['dangling.txt', 'nowhere', 'x.txt', 'deep'])
      expect(existsSync(join(outside, name))).toBe(false);
    expect(existsSync(join(root, 'inside.txt'))).toBe(false);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  });

  it('over the cap, of a folder, or of a file that may not be written changes nothing', async () => {
    const file = join(root, 'a.txt');
    expect(await codeOf(write(file, 'üü', { maxWriteBytes: 3 }))).toBe(-32602);
    expect(await codeOf(write(join(root, 'inner'), 'x'))).toBe(-32602);
    expect(await codeOf(write(join(file, 'x'), 'x'))).toBe(-32602);
    if (process.getuid?.() !== 0) {
      chmodSync(file, 0o400);
      expect(await codeOf(write(file, 'x'))).toBe(-32602);
    }
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\r\nthree');
  });

  it('is not offered where it was not wanted', () => {
    expect(confinedFs({ write: false }).writeTextFile).toBeUndefined();
    expect(confinedFs().writeTextFile).toBeInstanceOf(Function);
  });
});

describe('what was opened', () => {
  it('is judged again: a link that came in between leads nowhere', async () => {
    const confined = await Confinement.within([root]);
    const inside = join(root, 'a.txt');
    for (const [path, verdict] of [
      [inside, 'done'],
      [join(outside, 'secret.txt'), -32602],
    ] as const) {
      const file = await open(path);
      expect(await codeOf(confined.check(file, inside))).toBe(verdict);
      await file.close();
    }
  });
});

describe('options that are not legal', () => {
  // prettier-ignore
  it.each<[object, string]>([
    [{ roots: '/work' },        'roots'],
    [{ roots: [7] },            'roots'],
    [{ maxReadBytes: -1 },      'maxReadBytes'],
    [{ maxWriteBytes: 'all' },  'maxWriteBytes'],
  ])('%j name %s', (options, argument) => {
    const make = (): unknown => confinedFs(options);
    expect(make).toThrow(expect.objectContaining({ kind: 'invalid-argument', argument }));
    expect(make).toThrow(AcpError);
  });
});
