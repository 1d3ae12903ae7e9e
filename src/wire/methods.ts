/** The methods of the protocol: whose they are to call, and in which form. */

export type Side = 'client' | 'agent';

export interface Method {
  /** Who sends it. */
  from: Side | 'either';
  form: 'request' | 'notification' | 'either';
  /** Absent: of both versions. */
  only?: 1 | 2;
}

const list = (names: string, method: Method): [string, Method][] => names.split(' ').map((name) => [name, method]);

/** Of the published schemas and their unstable halves, and what agents in the field still speak of older drafts. */
const METHODS: ReadonlyMap<string, Method> = new Map([
  ...list(
    'initialize session/new session/list session/delete session/resume session/close session/fork session/prompt',
    {
      from: 'client',
      form: 'request',
    },
  ),
  ...list('session/set_config_option session/archive session/unarchive session/status session/set_title', {
    from: 'client',
    form: 'request',
  }),
  ...list('providers/list providers/set providers/disable auth/status', { from: 'client', form: 'request' }),
  // Agents that report modes or models under version 2 serve them there too.
  ...list('session/set_mode session/set_model', { from: 'client', form: 'request' }),
  ...list('authenticate logout session/load', { from: 'client', form: 'request', only: 1 }),
  ...list('auth/login auth/logout tool_call/cancel terminal/cancel', { from: 'client', form: 'request', only: 2 }),
  ...list('session/cancel', { from: 'client', form: 'notification' }),
  ...list('session/request_permission elicitation/create', { from: 'agent', form: 'request' }),
  ...list('fs/read_text_file fs/write_text_file terminal/create terminal/output terminal/release', {
    from: 'agent',
    form: 'request',
    only: 1,
  }),
  ...list('terminal/wait_for_exit terminal/kill', { from: 'agent', form: 'request', only: 1 }),
  ...list('session/update elicitation/complete auth/status_update', { from: 'agent', form: 'notification' }),
  ...list('mcp/connect mcp/message mcp/disconnect', { from: 'either', form: 'either' }),
  ...list('$/cancel_request', { from: 'either', form: 'notification' }),
]);

/** Undefined: none of the protocol's. One that begins with `_` is an extension, which is anybody's right. */
export const methodOf = (method: unknown): Method | undefined =>
  typeof method === 'string' ? METHODS.get(method) : undefined;

export const isExtension = (method: string): boolean => method.startsWith('_');
