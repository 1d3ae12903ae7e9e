/** Requirements that are about the code itself: what the library can reach, and what it can be without. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

interface Module {
  /** Of what it imports, types left out: the file here, or the package, or `node:…`. */
  imports: string[];
  /** Names that stand for a value. */
  names: Set<string>;
  /** What it takes from `process.env`: the expression around it. */
  environment: string[];
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
}

const isTypeOnly = (node: ts.ImportDeclaration | ts.ExportDeclaration): boolean =>
  ts.isImportDeclaration(node) ? node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword : node.isTypeOnly;

function read(file: string): Module {
  const module: Module = { imports: [], names: new Set(), environment: [] };
  const take = (specifier: string): void => {
    const here = specifier.startsWith('.')
      ? normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts')
      : specifier;
    module.imports.push(here);
  };
  const visit = (node: ts.Node): void => {
    const imported = ts.isImportDeclaration(node) || ts.isExportDeclaration(node) ? node.moduleSpecifier : undefined;
    if (imported && ts.isStringLiteral(imported)) {
      if (!isTypeOnly(node as ts.ImportDeclaration)) take(imported.text);
      return;
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments;
      if (!specifier || !ts.isStringLiteral(specifier)) throw new Error(`${file} imports what nobody can know`);
      take(specifier.text);
    }
    const named = ts.isIdentifier(node) && !ts.isPropertyAssignment(node.parent) && !ts.isTypeNode(node.parent);
    if (named) module.names.add(node.text);
    if (ts.isPropertyAccessExpression(node) && node.getText() === 'process.env') {
      module.environment.push(node.parent.getText());
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(file));
  return module;
}

/** Everything that an import of `from` loads, or those that pass `within`. */
function reached(...from: string[]): Map<string, Module> {
  const found = new Map<string, Module>();
  const rest = [...from];
  for (let file = rest.pop(); file !== undefined; file = rest.pop()) {
    if (found.has(file)) continue;
    const module = read(file);
    found.set(file, module);
    rest.push(...module.imports.filter((name) => existsSync(name)));
  }
  return found;
}

const importers = (modules: Map<string, Module>, wanted: RegExp): string[] =>
  [...modules].filter(([, { imports }]) => imports.some((name) => wanted.test(name))).map(([file]) => file);
const outside = (modules: Map<string, Module>): string[] =>
  [...new Set([...modules.values()].flatMap(({ imports }) => imports))].filter((name) => !existsSync(name)).sort();

const library = reached('src/index.ts');
const inFolder = (folder: string): string[] => readdirSync(folder).map((name) => join(folder, name));

interface Manifest {
  dependencies?: Record<string, string>;
}
const manifest = (file: string): Manifest => JSON.parse(readFileSync(file, 'utf8')) as Manifest;

describe('the library', () => {
  it('was read as a whole: it loads modules of every floor', () => {
    const floors = new Set([...library.keys()].map((file) => dirname(file)));
    for (const floor of ['client', 'framing', 'join', 'policy', 'process', 'rpc', 'session', 'wire']) {
      expect(floors).toContain(`src/${floor}`);
    }
    expect(floors).toContain('machines');
  });

  it('reaches no network: neither a module of Node nor a global of the runtime', () => {
    const network = /^(node:)?(http|https|http2|net|tls|dgram|dns|inspector|cluster)(\/|$)/;
    expect(importers(library, network)).toEqual([]);
    const globals = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'navigator', 'require'];
    const named = [...library].filter(([, { names }]) => globals.some((name) => names.has(name)));
    expect(named.map(([file]) => file)).toEqual([]);
  });

  it('reaches two packages, which depend on nothing', () => {
    const packages = outside(library).filter((name) => !name.startsWith('node:'));
    expect(packages).toEqual(['valibot', 'xstate']);
    for (const name of packages) expect(manifest(`node_modules/${name}/package.json`).dependencies ?? {}).toEqual({});
  });

  it('has a hand-written JSON-RPC: no dependency at run time is one, or speaks the protocol', () => {
    const { dependencies } = manifest('package.json');
    expect(Object.keys(dependencies ?? {}).sort()).toEqual(['commander', 'picocolors', 'valibot', 'xstate']);
  });

  it('starts processes in the lifecycle layer only', () => {
    const files = importers(library, /^node:child_process$/);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !file.startsWith('src/process/'))).toEqual([]);
  });

  it('touches files only to look for processes, and where the embedding program hands it a root or a path', () => {
    const files = importers(library, /^(node:)?fs(\/|$)/);
    const floors = files.map((file) => (file === 'src/process/procfs.ts' ? file : dirname(file)));
    expect([...new Set(floors)].sort()).toEqual(['src/handlers', 'src/inspect', 'src/process/procfs.ts']);
    expect(importers(library, /^(node:)?os$/)).toEqual([]);
  });

  it('reads the environment for nothing of its own: no credential, no setting', () => {
    const reads = [...library].flatMap(([file, { environment }]) => environment.map((what) => `${file}: ${what}`));
    // Where Windows keeps its own tools, and what commands inherit.
    expect(reads.sort()).toEqual([
      'src/handlers/localTerminal.ts: env = process.env',
      "src/process/group.ts: process.env['SystemRoot']",
    ]);
  });
});

describe('a connection', () => {
  it('is over any reader and writer: neither frames nor calls know Node, or a process', () => {
    const modules = reached(...inFolder('src/framing'), ...inFolder('src/rpc'));
    expect(outside(modules)).toEqual(['node:buffer']);
    expect([...modules.keys()].filter((file) => !/^src\/(framing|rpc)\//.test(file))).toEqual([]);
  });
});

describe('prepared context', () => {
  it('is made without a file or a URI being opened: nothing that could is within reach', () => {
    expect(outside(reached('src/session/content.ts'))).toEqual([]);
    expect(read('src/session/content.ts').names.has('fetch')).toBe(false);
  });
});

describe('the public surface', () => {
  const members = (file: string, name: string): string[] => {
    const found: string[] = [];
    parse(file).forEachChild((node) => {
      if (!ts.isInterfaceDeclaration(node) || node.name.text !== name) return;
      for (const member of node.members) if (member.name && ts.isIdentifier(member.name)) found.push(member.name.text);
    });
    return found;
  };
  const overAPipe = readdirSync('__tests__')
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(join('__tests__', name), 'utf8'))
    .filter((text) => text.includes('support/scriptedAgent'));

  it.each([
    ['src/client/agent.ts', 'Agent', 20],
    ['src/client/session.ts', 'Session', 9],
    ['src/client/turn.ts', 'Turn', 3],
  ])('of %s, every member of %s, is used by tests over a pipe in memory', (file, name, atLeast) => {
    const all = members(file, name);
    expect(all.length).toBeGreaterThanOrEqual(atLeast);
    const unused = all.filter(
      (member) => !overAPipe.some((text) => new RegExp(`\\.${member}\\b|\\b${member}:`).test(text)),
    );
    expect(unused).toEqual([]);
  });
});

describe('the modules', () => {
  it('are many and small: more than twelve, none over 230 lines', () => {
    const output = execFileSync(process.execPath, ['scripts/check-size.mjs', '--list'], { encoding: 'utf8' });
    const lines = output
      .split('\n')
      .filter((line) => line.endsWith('.ts'))
      .map((line) => Number(line.trim().split(' ')[0]));
    expect(lines.length).toBeGreaterThan(12);
    expect(Math.max(...lines)).toBeLessThanOrEqual(230);
    // The check itself, as `npm run lint` runs it.
    execFileSync(process.execPath, ['scripts/check-size.mjs']);
  });
});
