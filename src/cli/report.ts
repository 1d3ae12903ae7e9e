/** How a failure is told on stderr. */
import type { AcpError } from '../index.js';
import { adviceFor, type AdviceContext } from './advice.js';
import { bounded } from './jsonLines.js';
import type { Output } from './output.js';
import { printable } from './printable.js';

const STDERR_LINES = 20;
const LONGEST_QUOTE = 4_000;

const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => `  | ${line}`)
    .join('\n');

/** The agent's words: there only where the connection was told to expose them. */
function saidBy(error: AcpError): string[] {
  const { agentText } = error;
  if (!agentText) return [];
  const parts: string[] = [];
  const { message, data, stderr } = agentText;
  if (message !== undefined) parts.push(`the agent said:\n${quoted(printable(message.slice(0, LONGEST_QUOTE)))}`);
  if (data !== undefined) {
    const json = JSON.stringify(bounded(data).copy, undefined, 2);
    parts.push(`with this data:\n${quoted(printable(json.slice(0, LONGEST_QUOTE)))}`);
  }
  const tail = printable(stderr).trimEnd();
  if (tail !== '') {
    const lines = tail.split('\n').slice(-STDERR_LINES).join('\n');
    parts.push(`the end of its stderr:\n${quoted(lines.slice(-LONGEST_QUOTE))}`);
  }
  return parts;
}

/** Kind, phase and bound, then what to do next, then the agent's words where they were asked for. */
export function reportError(output: Output, error: AcpError, context: AdviceContext): void {
  const { bold, red } = output.errColors;
  const lines = [`${red(bold('error:'))} ${error.message}`, `  ${adviceFor(error, context)}`, ...saidBy(error)];
  output.note(lines.join('\n'));
}
