/** The official SDK's session helper: `prompt()`, then `nextUpdate()` until it says stop. */
import { acp, end, initialize, sdkChild } from './sdkChild.mjs';

export async function open({ onText, ...options }) {
  const { child, stream } = sdkChild(options);
  const connection = acp.client({ name: 'bench' }).connect(stream);
  let session;
  await initialize(connection);
  return {
    pid: child.pid,
    request: (method, params) => connection.agent.request(method, params),
    newSession: async () => {
      session = await connection.agent.buildSession('/').start();
      return session.sessionId;
    },
    prompt: async (_sessionId, text) => {
      session.prompt(text).catch(() => {});
      for (;;) {
        const message = await session.nextUpdate();
        if (message.kind === 'stop') return message.response;
        const held = onText(message.update.content?.text);
        if (held) await held;
      }
    },
    close: () => end(child, connection),
  };
}
