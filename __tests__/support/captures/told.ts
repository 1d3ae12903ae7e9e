/** What came of a call, in the words of the truth table: a first line, and indented ones that say more. */
import { AcpError, type Agent, type Session, type TurnHeard, type TurnResult } from '../../../src/index.js';

const WIDTH = 26;
export const row = (name: string, text: string): string => `${name.padEnd(WIDTH)}${text}`;
const more = (name: string, text: string): string => row(`  ${name}`, text);

const DETAILS = ['agentCode', 'capability', 'argument', 'state', 'reason'];

export function toldFailure(error: unknown): string[] {
  if (!(error instanceof AcpError)) return [`threw ${String(error)}`];
  const facts = DETAILS.map((name) => Reflect.get(error, name) as string | number | undefined);
  const details = facts.filter((fact) => fact !== undefined);
  return [[error.kind, ...details].join(' '), ...(error.turn ? toldHeard(error.turn) : [])];
}

export const toldAgent = ({ info }: Agent): string[] => [`v${info.protocolVersion} ${info.name} ${info.version}`];

export function toldOptions({ options }: Session): string[] {
  const { models, efforts, modes, config } = options;
  const choices = Object.entries({ models, efforts, modes })
    .filter(([, { available }]) => available.length > 0)
    .map(([name, { current, available }]) => {
      const ids = available.map(({ id }) => id);
      const shown = ids.length > 6 ? [...ids.slice(0, 2), '…', ...ids.slice(-2)] : ids;
      return more(name, `${ids.length}, ${String(current)} of ${shown.join(' ')}`);
    });
  const settings = config.map(({ id, value, values }) => `${id}=${String(value)}/${values.length}`);
  return settings.length === 0 ? choices : [...choices, more('config', settings.join(' '))];
}

export const toldSession = (session: Session): string[] => [
  `${session.origin} ${session.id.slice(-6)}`,
  ...toldOptions(session),
];

export const toldTurn = (result: TurnResult): string[] => [
  `${result.outcome} ${String(result.stopReason)}`,
  ...toldHeard(result),
];

function toldHeard({ text, toolCalls, usage, permissions, updates, unread, cancelRequested }: TurnHeard): string[] {
  const counted = [
    `${updates} updates`,
    ...(unread > 0 ? [`${unread} unread`] : []),
    ...(usage?.totalTokens === undefined ? [] : [`${usage.totalTokens} tokens`]),
    ...(cancelRequested ? ['cancel requested'] : []),
  ];
  return [
    more('heard', counted.join(', ')),
    ...(text === '' ? [] : [more('text', text)]),
    ...toolCalls.map(({ toolCallId, kind, status, title }) =>
      more('tool', `${toolCallId} ${String(kind)} ${status}: ${String(title)}`),
    ),
    ...permissions.map(({ requestId, outcome, optionId, optionKind, cause }) => {
      const option = optionId === undefined ? '' : ` ${optionId} (${String(optionKind)})`;
      return more('permission', `${requestId} ${outcome}${option} by ${cause}`);
    }),
  ];
}

export const toldList = (sessions: readonly { sessionId: string; title?: string }[]): string[] => [
  `${sessions.length} sessions`,
  ...sessions.map(({ sessionId, title }) => more('listed', `${sessionId.slice(-6)} ${String(title)}`)),
];
