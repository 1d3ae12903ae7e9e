/**
 * `--tools FILE`: trusted declarations of MCP servers. The file may hold credentials: what is wrong with it is told by a
 * stable code and a sentence of ours, and no word of it.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import { parseTools, TOOLS_LIMIT_BYTES, type ToolServer, type ToolsError } from '../session/tools.js';
import { CLIENT_NAME } from './version.js';

export const TOOLS_VARIABLE = 'ACP_TURNSTILE_TOOLS';

type FileError = 'no-such-file' | 'unreadable' | 'not-a-file';

const SAYS: Record<FileError | ToolsError, string> = {
  'no-such-file': 'there is no such file.',
  unreadable: 'it cannot be read.',
  'not-a-file': 'it is no regular file.',
  'too-large': 'it is larger than 64 KiB.',
  'not-json': 'it is no JSON in UTF-8.',
  'not-a-list': 'it has to be a list: [{ "name", "command", "args", "env" }].',
  'too-many-servers': 'it declares more than eight servers.',
  'not-an-object': 'a server is an object with "name" and "command".',
  'not-stdio': 'only servers over stdio can be declared here.',
  'unknown-member': 'a server has "type", "name", "command", "args", "env" and nothing else.',
  'bad-name': '"name" is 1 to 64 letters, digits, `.`, `_` and `-`, and begins with a letter or digit.',
  'reserved-name': '"name" is one by which the client or the agent speaks of itself.',
  'duplicate-name': '"name" is that of another server, but for case, `.`, `_` and `-`.',
  'command-not-absolute': '"command" has to be an absolute path.',
  'bad-args': '"args" is a list of at most 64 strings, each of at most 4 KiB.',
  'bad-env': '"env" is a list of at most 64 { "name", "value" }, each name once and each entry of at most 4 KiB.',
};

function refuse(code: FileError | ToolsError, server?: number): never {
  const which = server === undefined ? '' : ` (server ${server + 1})`;
  throw new InvalidArgumentError(`${code}${which}: ${SAYS[code]}`);
}

/** One byte more than is legal, so that the file is not read to an end that it may not have. */
function readStart(path: string): Buffer {
  // Looked at before it is opened: opening a pipe would wait for a writer.
  if (!statSync(path).isFile()) refuse('not-a-file');
  const file = openSync(path, 'r');
  try {
    if (!fstatSync(file).isFile()) refuse('not-a-file');
    const bytes = Buffer.alloc(TOOLS_LIMIT_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function textOf(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readStart(path);
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    return refuse(code === 'ENOENT' || code === 'ENOTDIR' ? 'no-such-file' : 'unreadable');
  }
  if (bytes.length > TOOLS_LIMIT_BYTES) refuse('too-large');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuse('not-json');
  }
}

/** @throws InvalidArgumentError, which commander shows. An empty variable is as good as none. */
function readTools(path: string): readonly ToolServer[] {
  if (path === '') return [];
  const tools = parseTools(textOf(path), CLIENT_NAME);
  return tools.ok ? tools.servers : refuse(tools.code, tools.server);
}

export const toolsOption = (): Option =>
  new Option('--tools <file>', 'hand every session the MCP servers that this JSON file declares')
    .env(TOOLS_VARIABLE)
    .argParser(readTools);
