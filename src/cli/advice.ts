/** What to do next, one line for each kind of failure. Of the agent's words only ids that have to be typed are in it. */
import type { AcpError, AuthMethod } from '../index.js';
import { formatDuration } from './durations.js';
import { oneLine } from './printable.js';
import { spawnTrouble } from './spawnTrouble.js';

export interface AdviceContext {
  agent: { command: string; args: readonly string[] };
  cwd: string;
  /** The agent's words are shown already. */
  verbose: boolean;
  /** The option that sets both bounds, where it is not --idle and --max. */
  limitFlag?: string;
}

const LONGEST_ID = 60;
const IDS_SHOWN = 12;
const MORE_TO_SEE = 'Add --verbose to see what the agent said of it.';
const IS_IT_ACP = 'Does the command speak ACP? Many agents need an argument for it, as in `gemini --acp`.';

function idList(ids: readonly string[]): string {
  const shown = ids.slice(0, IDS_SHOWN).map((id) => oneLine(id, LONGEST_ID));
  return ids.length > shown.length ? `${shown.join(', ')} and ${ids.length - shown.length} more` : shown.join(', ');
}

/** The names of the variables that a method by environment wants, where it says them. */
function variablesOf({ raw }: AuthMethod): string[] {
  const vars = (raw as { vars?: unknown } | null)?.vars;
  if (!Array.isArray(vars)) return [];
  return vars.map((one) => (one as { name?: unknown } | null)?.name).filter((name) => typeof name === 'string');
}

function methodLabel(method: AuthMethod): string {
  const id = oneLine(method.id, LONGEST_ID);
  if (method.type === 'terminal') return `${id} (in a terminal of yours)`;
  const variables = method.type === 'env_var' ? variablesOf(method) : [];
  return variables.length === 0 ? id : `${id} (set ${idList(variables)})`;
}

function aboutLogin(methods: readonly AuthMethod[]): string {
  const own = "log in with the agent's own command line";
  if (methods.length === 0) return `It names no method: ${own}.`;
  const callable = methods.find(({ type }) => type !== 'terminal');
  const typed = callable && `add \`--auth ${oneLine(callable.id, LONGEST_ID)}\`, or `;
  const shown = methods.slice(0, IDS_SHOWN).map(methodLabel).join(', ');
  return `Its methods: ${shown}. Here: ${typed ?? ''}${own}.`;
}

function aboutAbsence(capability: string): string {
  if (capability === 'loadSession') return 'This agent cannot open a session again: leave out --load.';
  if (capability === 'models') return 'This agent offers no models: leave out --model.';
  if (capability === 'modes') return 'This agent offers no modes: leave out --mode.';
  if (capability === 'configOptions') return 'This agent offers no efforts: leave out --effort.';
  return '`acp-turnstile probe` shows what the agent advertises.';
}

const FLAG_OF_ARGUMENT: ReadonlyMap<string, string> = new Map([
  ['model', '--model'],
  ['effort', '--effort'],
  ['mode', '--mode'],
  ['methodId', '--auth'],
  ['id', '--load'],
]);

function aboutArgument({ argument, offered }: Extract<AcpError, { kind: 'invalid-argument' }>): string {
  const flag = FLAG_OF_ARGUMENT.get(argument) ?? argument;
  if (offered === undefined) return `${flag} is not legal here.`;
  return offered.length === 0 ? `${flag}: the agent offers none.` : `${flag}: the agent offers ${idList(offered)}.`;
}

function aboutExit(error: AcpError, { verbose }: AdviceContext): string {
  const began = error.phase === 'spawn' || error.phase === 'initialize';
  const look = verbose ? 'Its last words on stderr, if any, are below.' : 'Add --verbose to see the end of its stderr.';
  return began ? `It ended before it answered. ${look} ${IS_IT_ACP}` : look;
}

/** The line for an error. */
export function adviceFor(error: AcpError, context: AdviceContext): string {
  const seeMore = context.verbose ? 'What the agent said of it, if anything, is below.' : MORE_TO_SEE;
  switch (error.kind) {
    case 'spawn-failed':
      return spawnTrouble(context.agent.command, context.cwd);
    case 'agent-exited':
      return aboutExit(error, context);
    case 'io':
      return `The pipe to the agent broke. ${seeMore}`;
    case 'frame-too-large':
    case 'protocol':
      return error.phase === 'initialize' ? IS_IT_ACP : `The agent is at fault here. ${seeMore}`;
    case 'version-unsupported':
      return 'Try --protocol 1 or --protocol 2, or leave the option out to offer both.';
    case 'auth-required':
      return aboutLogin(error.authMethods ?? []);
    case 'agent-error':
      return error.phase === 'initialize' ? `${seeMore} ${IS_IT_ACP}` : seeMore;
    case 'capability-absent':
      return aboutAbsence(error.capability);
    case 'invalid-argument':
      return aboutArgument(error);
    case 'idle':
      return `Nothing came for ${formatDuration(error.budget.idleMs)} (${context.limitFlag ?? '--idle'}): give it longer, if it was at work.`;
    case 'absolute':
      return `It took more than ${formatDuration(error.budget.absoluteMs)} in all (${context.limitFlag ?? '--max'}): give it longer, if it was at work.`;
    case 'request-limit':
      return `It left a call unanswered for the usual limit. ${context.limitFlag ?? '--idle'} 5m lets it be silent longer. ${IS_IT_ACP}`;
    case 'write-timeout':
      return 'The agent does not read its stdin any more.';
    case 'cancel-unconfirmed':
      return 'It was asked to stop, did not confirm it in time, and was ended.';
    case 'busy':
      return 'The session works on something of its own: try again later.';
    case 'closed':
      return `The connection was over already, because of ${error.reason}. ${seeMore}`;
    case 'scope-mismatch':
      return `The agent mixes sessions up. ${seeMore}`;
    case 'illegal-transition':
      return 'This is a fault of acp-turnstile: please report it.';
  }
}
