/** What users get: the few files that the modules are bundled into, and what an import of each loads. */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import ts from 'typescript';
import * as charts from '../machines/index.js';
import * as library from '../src/index.js';
import * as inspecting from '../src/inspector.js';
import { builtPackage, clearUp, folder, startNode } from './support/cli.js';

jest.setTimeout(60_000);

let dist = '';
beforeAll(async () => {
  dist = join(await builtPackage(), 'dist');
});
afterAll(clearUp);

interface Imports {
  atOnce: string[];
  later: string[];
}

function importsOf(file: string): Imports {
  const text = readFileSync(file, 'utf8');
  const imports: Imports = { atOnce: [], later: [] };
  for (const { fileName, pos } of ts.preProcessFile(text).importedFiles) {
    const kind = text.slice(0, pos).trimEnd().endsWith('import(') ? 'later' : 'atOnce';
    imports[kind].push(fileName.startsWith('.') ? relative(dist, join(dirname(file), fileName)) : fileName);
  }
  return imports;
}

/** Files, packages and modules of Node that an import of this one loads: `at once`, or at any time. */
function loads(entry: string, when: 'at once' | 'ever'): { files: string[]; outside: string[] } {
  const found = new Set([entry]);
  for (const name of found) {
    if (!name.endsWith('.js')) continue;
    const { atOnce, later } = importsOf(join(dist, name));
    for (const imported of when === 'ever' ? [...atOnce, ...later] : atOnce) found.add(imported);
  }
  const isFile = (name: string): boolean => name.endsWith('.js');
  return { files: [...found].filter(isFile).sort(), outside: [...found].filter((name) => !isFile(name)).sort() };
}

const packages = (names: readonly string[]): string[] => names.filter((name) => !name.startsWith('node:'));
const NETWORK = /^node:(http|https|http2|net|tls|dgram|dns|inspector|cluster)(\/|$)/;

describe('an import of what is published', () => {
  it('loads three files for the library, and nothing of the charts or XState before the first connection', () => {
    const { files, outside } = loads('index.js', 'at once');
    expect(files).toEqual(['index.js', 'parts/basics.js', 'parts/library.js']);
    expect(packages(outside)).toEqual(['valibot']);
  });

  it('reaches no network by the library, then or later, and neither the live page nor the command line', () => {
    const { files, outside } = loads('index.js', 'ever');
    expect(outside.filter((name) => NETWORK.test(name))).toEqual([]);
    expect(packages(outside)).toEqual(['valibot', 'xstate']);
    expect(files).toEqual([
      'index.js',
      ...['basics', 'charts', 'hub', 'library', 'pipes'].map((name) => `parts/${name}.js`),
    ]);
  });

  it('loads one file and XState for the charts', () => {
    expect(loads('machines.js', 'at once')).toEqual({ files: ['machines.js', 'parts/charts.js'], outside: ['xstate'] });
  });

  it('loads nothing of the terminal for the live page, and no server before one is asked for', () => {
    expect(loads('inspector.js', 'at once').outside).toEqual([]);
    const { outside } = loads('inspector.js', 'ever');
    expect(outside).toContain('node:http');
    expect(packages(outside)).not.toContain('commander');
  });

  it('loads nothing of the library for the command line, before a command needs it', () => {
    const { files, outside } = loads('cli.js', 'at once');
    expect(files).not.toContain('parts/library.js');
    expect(packages(outside)).toEqual(['commander', 'picocolors']);
    // The agent that comes with the package starts as often as an agent is tried.
    expect(loads('parts/demoAgent.js', 'at once').files).toEqual(['parts/basics.js', 'parts/demoAgent.js']);
  });
});

describe('what is published', () => {
  it('exports by each entry what its source does', async () => {
    const { child, ended } = startNode(
      [
        '--input-type=module',
        '--eval',
        `const exported = {};
         for (const name of ['index', 'inspector', 'machines'])
           exported[name] = Object.keys(await import(${JSON.stringify(`${dist}/`)} + name + '.js')).sort();
         console.log(JSON.stringify(exported));`,
      ],
      {},
      folder(),
    );
    child.stdin.end();
    expect(JSON.parse((await ended).stdout)).toEqual({
      index: Object.keys(library).sort(),
      inspector: Object.keys(inspecting).sort(),
      machines: Object.keys(charts).sort(),
    });
  });

  it('has one of everything, whichever entry it is taken from', async () => {
    const { child, ended } = startNode(
      [
        '--input-type=module',
        '--eval',
        `const load = (name) => import(${JSON.stringify(`${dist}/`)} + name + '.js');
         const [{ AcpError, connect }, { inspector }, { connectionMachine }] =
           await Promise.all(['index', 'inspector', 'machines'].map(load));
         const thrown = await inspector({ port: -1 }).catch((error) => error);
         console.log(thrown instanceof AcpError);
         let root;
         const inspect = (event) => (root ??= event.rootId && event.actorRef);
         const streams = { readable: new ReadableStream(), writable: new WritableStream() };
         const client = { name: 'test', version: '1' };
         connect({ transport: streams, client, inspect }).catch(() => {});
         while (root === undefined) await new Promise(setImmediate);
         console.log(root.logic.config === connectionMachine.config);
         process.exit();`,
      ],
      {},
      folder(),
    );
    child.stdin.end();
    const { stdout, stderr } = await ended;
    expect({ stdout, stderr }).toEqual({ stdout: 'true\ntrue\n', stderr: '' });
  });

  it('has no part that imports an entry: the command line waits for its parts while it is loaded itself', () => {
    const parts = readdirSync(join(dist, 'parts')).map((name) => join('parts', name));
    expect(parts.length).toBeGreaterThan(5);
    const entries = parts.filter((name) => {
      const { atOnce, later } = importsOf(join(dist, name));
      return [...atOnce, ...later].some((imported) => imported.endsWith('.js') && !imported.startsWith('parts/'));
    });
    expect(entries).toEqual([]);
  });
});
