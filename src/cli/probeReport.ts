/** What `probe` tells of an agent, in lines of at most 80 columns or as one object. */
import type { AcpError, Agent, Session } from '../index.js';
import { formatDuration } from './durations.js';
import { oneLine, widthOf } from './printable.js';

const COLUMNS = 80;
const LONGEST_LABEL = 22;
const CURRENT_COLUMNS = 18;
const LONGEST_NAME = 60;
/** Of a list of choices, unless all of it was asked for. */
const VALUES_SHOWN = 8;
const COMMANDS_SHOWN = 16;

/** v1's paths, which hold for v2 too, and what a person calls them. */
const CAPABILITIES: readonly (readonly [label: string, path: string])[] = [
  ['load a session', 'loadSession'],
  ['resume', 'sessionCapabilities.resume'],
  ['list', 'sessionCapabilities.list'],
  ['close', 'sessionCapabilities.close'],
  ['delete', 'sessionCapabilities.delete'],
  ['fork', 'sessionCapabilities.fork'],
  ['more folders', 'sessionCapabilities.additionalDirectories'],
  ['log out', 'auth.logout'],
  ['images', 'promptCapabilities.image'],
  ['audio', 'promptCapabilities.audio'],
  ['embedded files', 'promptCapabilities.embeddedContext'],
  ['MCP over stdio', 'mcpCapabilities.stdio'],
  ['MCP over http', 'mcpCapabilities.http'],
  ['MCP over sse', 'mcpCapabilities.sse'],
  ['MCP over acp', 'mcpCapabilities.acp'],
];
const TABLE_COLUMNS = 3;

const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Words in lines that hang under the first. */
function wrapped(head: string, words: readonly string[], separator: string): string[] {
  const indent = widthOf(head);
  const lines: string[] = [];
  let line = head;
  let width = indent;
  words.forEach((word, index) => {
    const text = index < words.length - 1 ? word + separator : word;
    if (width > indent && width + 1 + widthOf(text) > COLUMNS) {
      lines.push(line);
      line = ' '.repeat(indent) + text;
      width = indent + widthOf(text);
    } else {
      line += width > indent ? ` ${text}` : text;
      width = widthOf(line);
    }
  });
  return [...lines, line];
}

function capabilityTable(agent: Agent): string[] {
  const cells = CAPABILITIES.map(([label, path]) => `${pad(label, 16)}${agent.advertises(path) ? 'yes' : 'no'}`);
  const rows = Math.ceil(cells.length / TABLE_COLUMNS);
  return Array.from({ length: rows }, (_, row) => {
    const line = Array.from({ length: TABLE_COLUMNS }, (_, column) => pad(cells[column * rows + row] ?? '', 25));
    return `  ${line.join('').trimEnd()}`;
  });
}

export function agentLines(agent: Agent, startMs: number): string[] {
  const { name, title, version, protocolVersion, narrower, authMethods } = agent.info;
  const called = title === undefined || title === name ? '' : ` (${oneLine(title, LONGEST_NAME)})`;
  const methods = authMethods.map(({ id, name: label, type }) => {
    const kind = type === 'agent' ? '' : `, ${type}`;
    return `${oneLine(id, LONGEST_NAME)} (${oneLine(label + kind, LONGEST_NAME)})`;
  });
  const unknown = narrower.map((path) => oneLine(path, LONGEST_NAME));
  return [
    `${oneLine(name, LONGEST_NAME)} ${oneLine(version, LONGEST_NAME)}${called}`,
    `protocol version ${protocolVersion}, ready after ${formatDuration(startMs)}`,
    '',
    'Capabilities',
    ...capabilityTable(agent),
    ...(unknown.length === 0 ? [] : wrapped(`  ${pad('not used here', 16)}`, unknown, ',')),
    '',
    'Login methods',
    ...(methods.length === 0
      ? ['  none advertised']
      : methods.flatMap((method) => wrapped('  ', method.split(' '), ''))),
  ];
}

interface Row {
  name: string;
  current: string;
  offered: readonly string[];
}

/** What can be chosen: what has an option of `run`, then the agent's other options by their id. */
function rowsOf({ options }: Session): Row[] {
  const choices = (
    [
      ['--model', options.models],
      ['--effort', options.efforts],
      ['--mode', options.modes],
    ] as const
  ).map(([name, { current = '-', available }]) => ({ name, current, offered: available.map(({ id }) => id) }));
  const others = options.config.map(({ id, value = '-', values, type }) => ({
    name: id,
    current: String(value),
    offered: type === 'boolean' ? ['true', 'false'] : values.map((one) => one.value),
  }));
  const same = (a: Row, b: Row): boolean => a.offered.join('\n') === b.offered.join('\n');
  return [
    ...choices.filter(({ current, offered }) => current !== '-' || offered.length > 0),
    ...others.filter((other) => !choices.some((choice) => same(choice, other))),
  ];
}

function optionTable(rows: readonly Row[], all: boolean): string[] {
  const labels = rows.map(({ name }) => oneLine(name, LONGEST_LABEL));
  const width = Math.max(0, ...labels.map(widthOf));
  const line = (label: string, current: string, words: readonly string[]): string[] => {
    const head = `  ${pad(label, width)}  ${pad(oneLine(current, LONGEST_NAME), CURRENT_COLUMNS)} `;
    return words.length === 0 ? [head.trimEnd()] : wrapped(head, words, ',');
  };
  const lines = rows.flatMap(({ current, offered }, index) => {
    const words = offered.slice(0, all ? undefined : VALUES_SHOWN).map((value) => oneLine(value, LONGEST_NAME));
    if (words.length < offered.length) words.push(`and ${offered.length - words.length} more (--all)`);
    return line(labels[index] ?? '', current, words);
  });
  return [...line('', 'in effect', ['offered']), ...lines];
}

export function optionLines(session: Session, all: boolean): string[] {
  const { commands } = session;
  const rows = rowsOf(session);
  const names = commands.slice(0, all ? undefined : COMMANDS_SHOWN).map((name) => `/${oneLine(name, LONGEST_NAME)}`);
  if (names.length < commands.length) names.push(`and ${commands.length - names.length} more (--all)`);
  return [
    '',
    'In a session',
    ...(rows.length === 0 ? ['  nothing to choose'] : optionTable(rows, all)),
    ...(names.length === 0 ? [] : ['', 'Slash commands', ...wrapped('  ', names, '')]),
  ];
}

export const errorReport = (error: AcpError): Record<string, unknown> => ({ ...error, message: error.message });

/** The same for programs. */
export function reportOf(
  agent: Agent,
  startMs: number,
  session: Session | undefined,
  error: AcpError | undefined,
): Record<string, unknown> {
  const { authMethods, ...info } = agent.info;
  return {
    agent: info,
    startMs: Math.round(startMs),
    advertises: Object.fromEntries(CAPABILITIES.map(([, path]) => [path, agent.advertises(path)])),
    authMethods: authMethods.map(({ id, type, name }) => ({ id, type, name })),
    ...(session && { options: session.options, commands: session.commands }),
    ...(error && { error: errorReport(error) }),
  };
}
