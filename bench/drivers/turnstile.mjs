/** Ours, with everything on as it is by default. How the updates of a turn are taken is the style's. */
import { connect, policy } from '../../dist/index.js';

export async function openWith(style, { command, args, onText, maxFrameBytes, ...more }) {
  const agent = await connect({
    command,
    args,
    client: { name: 'bench', version: '1.0.0' },
    maxFrameBytes,
    on: style.listener ? { update: style.listener(onText) } : {},
    ...more,
  });
  const sessions = new Map();
  return {
    agent,
    pid: agent.pid,
    request: (method, params) => agent.awaitResponse(agent.sendRequest(method, params)),
    newSession: async () => {
      const session = await agent.newSession({ cwd: '/' });
      sessions.set(session.id, session);
      return session.id;
    },
    prompt: (sessionId, text, options) => style.turn(sessions.get(sessionId).prompt(text, options), onText),
    cancel: (sessionId) => sessions.get(sessionId).turn?.cancel(),
    close: () => agent.close(),
  };
}

/** A policy that allows, and tells of it. */
export const permissions = (onAsked) =>
  policy.ask(() => {
    onAsked();
    return 'yes';
  });
