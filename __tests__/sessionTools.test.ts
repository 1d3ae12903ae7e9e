import fc from 'fast-check';
import { checkTools, parseTools, TOOLS_LIMIT_BYTES, type Tools } from '../src/session/tools.js';

const server = (extra: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'files',
  command: '/usr/bin/mcp-files',
  ...extra,
});
const code = (checked: Tools): string => (checked.ok ? 'ok' : checked.code);
const many = (n: number): Record<string, unknown>[] => Array.from({ length: n }, (_, i) => server({ name: `s${i}` }));
const env = (n: number, value = 'v') => Array.from({ length: n }, (_, i) => ({ name: `N${i}`, value }));

describe('tool declarations', () => {
  it('are read as v1 has them, with both lists present', () => {
    const full = server({
      type: 'stdio',
      args: ['--root', ''],
      env: [
        { name: 'TOKEN', value: 'secret' },
        { name: 'EMPTY', value: '' },
      ],
    });
    expect(parseTools(JSON.stringify([full, server({ name: 'git' })]))).toEqual({
      ok: true,
      servers: [
        { name: 'files', command: '/usr/bin/mcp-files', args: full['args'], env: full['env'] },
        { name: 'git', command: '/usr/bin/mcp-files', args: [], env: [] },
      ],
    });
  });

  it('of nothing are none', () => {
    expect(parseTools('[]')).toEqual({ ok: true, servers: [] });
  });

  it('cannot be changed once read', () => {
    const given = [server({ args: ['a'], env: env(1) })];
    const checked = checkTools(given);
    (given[0]!['args'] as string[]).push('b');
    if (!checked.ok) throw new Error(checked.code);
    expect(checked.servers[0]!.args).toEqual(['a']);
    const [first] = checked.servers as unknown as { args: string[]; env: { value: string }[]; name: string }[];
    expect(() => first!.args.push('x')).toThrow(TypeError);
    expect(() => (first!.env[0]!.value = 'x')).toThrow(TypeError);
    expect(() => (first!.name = 'x')).toThrow(TypeError);
    expect(() => (checked.servers as unknown[]).push({})).toThrow(TypeError);
  });

  // prettier-ignore
  it.each<[string, unknown, string]>([
    ['no list',                      {}, 'not-a-list'],
    ['null',                         null, 'not-a-list'],
    ['eight',                        many(8), 'ok'],
    ['nine',                         many(9), 'too-many-servers'],
    ['no object',                    ['files'], 'not-an-object'],
    ['a list for a server',          [[]], 'not-an-object'],
    ['http',                         [{ type: 'http', name: 'a', url: 'https://x' }], 'not-stdio'],
    ['a URL without a type',         [server({ url: 'https://x' })], 'not-stdio'],
    ['a type that is no word',       [server({ type: null })], 'not-stdio'],
    ['a member it does not know',    [server({ cwd: '/x' })], 'unknown-member'],
    ['a member of every object',     [JSON.parse('{"name":"a","command":"/x","__proto__":{"url":1}}')], 'unknown-member'],
    ['no name',                      [{ command: '/x' }], 'bad-name'],
    ['an empty name',                [server({ name: '' })], 'bad-name'],
    ['a name with blanks',           [server({ name: 'a b' })], 'bad-name'],
    ['a name with a line end',       [server({ name: 'a\n' })], 'bad-name'],
    ['a name of 64 characters',      [server({ name: 'a'.repeat(64) })], 'ok'],
    ['a name of 65',                 [server({ name: 'a'.repeat(65) })], 'bad-name'],
    ['a name twice',                 [server(), server()], 'duplicate-name'],
    ['a name twice but for its case', [server(), server({ name: 'FILES' })], 'duplicate-name'],
    ['our name',                     [server({ name: 'acp-turnstile' })], 'reserved-name'],
    ['our name otherwise written',   [server({ name: 'ACP_Turnstile' })], 'reserved-name'],
    ['the harness',                  [server({ name: 'harness' })], 'reserved-name'],
    ['the host',                     [server({ name: 'Host' })], 'reserved-name'],
    ['the client',                   [server({ name: 'client' })], 'reserved-name'],
    ['the embedder',                 [server({ name: 'My.Orchestrator' })], 'reserved-name'],
    ['a name that begins like ours', [server({ name: 'host-files' })], 'ok'],
    ['no command',                   [{ name: 'a' }], 'command-not-absolute'],
    ['a command by its name',        [server({ command: 'npx' })], 'command-not-absolute'],
    ['a relative command',           [server({ command: './x' })], 'command-not-absolute'],
    ['a Windows command',            [server({ command: 'C:\\x.exe' })], 'ok'],
    ['a command cut by NUL',         [server({ command: '/bin/a\0b' })], 'command-not-absolute'],
    ['arguments in one string',      [server({ args: '-x' })], 'bad-args'],
    ['an argument that is no string', [server({ args: [1] })], 'bad-args'],
    ['64 arguments',                 [server({ args: Array(64).fill('a') })], 'ok'],
    ['65 arguments',                 [server({ args: Array(65).fill('a') })], 'bad-args'],
    ['an argument of 4 KiB',         [server({ args: ['a'.repeat(4096)] })], 'ok'],
    ['an argument of a byte more',   [server({ args: ['a'.repeat(4095) + 'é'] })], 'bad-args'],
    ['an argument with NUL',         [server({ args: ['a\0'] })], 'bad-args'],
    ['environment as an object',     [server({ env: { A: 'b' } })], 'bad-env'],
    ['64 variables',                 [server({ env: env(64) })], 'ok'],
    ['65 variables',                 [server({ env: env(65) })], 'bad-env'],
    ['a variable of 4 KiB',          [server({ env: env(1, 'v'.repeat(4094)) })], 'ok'],
    ['a variable of a byte more',    [server({ env: env(1, 'v'.repeat(4095)) })], 'bad-env'],
    ['a variable without a name',    [server({ env: [{ name: '', value: 'a' }] })], 'bad-env'],
    ['a variable with = in its name', [server({ env: [{ name: 'A=B', value: 'a' }] })], 'bad-env'],
    ['a variable twice',             [server({ env: [...env(1), ...env(1)] })], 'bad-env'],
    ['a value that is no string',    [server({ env: [{ name: 'A', value: 1 }] })], 'bad-env'],
    ['a variable that is no object', [server({ env: ['A=b'] })], 'bad-env'],
  ])('%s', (_, value, expected) => {
    expect(code(checkTools(value, 'my-orchestrator'))).toBe(expected);
  });

  it('say which server is at fault', () => {
    expect(checkTools([server(), server({ name: 'git', command: 'git' })])).toEqual({
      ok: false,
      code: 'command-not-absolute',
      server: 1,
    });
  });
});

describe('a file of tool declarations', () => {
  it('of 64 KiB is read, of a byte more is not', () => {
    const text = JSON.stringify([server()]);
    expect(code(parseTools(text.padEnd(TOOLS_LIMIT_BYTES)))).toBe('ok');
    expect(code(parseTools(text.padEnd(TOOLS_LIMIT_BYTES + 1)))).toBe('too-large');
    expect(code(parseTools(text.padEnd(TOOLS_LIMIT_BYTES - 1, '\u00e9')))).toBe('too-large');
  });

  it.each(['', '{', '[{]', 'undefined'])('that reads %j is no JSON', (text) => {
    expect(parseTools(text)).toEqual({ ok: false, code: 'not-json' });
  });

  it('is never quoted in an error, and never makes one thrown', () => {
    const aValue = fc.oneof(
      fc.constant('SECRET'),
      fc.json().map((text): unknown => JSON.parse(text)),
    );
    const aServer = fc.dictionary(fc.constantFrom('name', 'command', 'args', 'env', 'type', 'url', 'SECRET'), aValue);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(aServer, { maxLength: 3 }).map((list) => JSON.stringify(list)),
          fc.string(),
        ),
        (text) => {
          const checked = parseTools(text);
          if (!checked.ok) expect(JSON.stringify(checked)).toMatch(/^\{"ok":false,"code":"[a-z-]+"(,"server":\d)?\}$/);
        },
      ),
    );
  });
});
