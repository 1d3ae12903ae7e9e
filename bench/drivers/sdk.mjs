/** The official SDK as most programs use it: a handler of `session/update`, and the request `session/prompt`. */
import { acp, end, initialize, sdkChild } from './sdkChild.mjs';

export async function open(options) {
  const { child, stream } = sdkChild(options);
  const app = acp
    .client({ name: 'bench' })
    .onNotification(acp.methods.client.session.update, ({ params }) => options.onText(params.update.content?.text));
  const connection = app.connect(stream);
  const request = (method, params) => connection.agent.request(method, params);
  await initialize(connection);
  return {
    pid: child.pid,
    request,
    newSession: async () => (await request('session/new', { cwd: '/', mcpServers: [] })).sessionId,
    prompt: (sessionId, text) => request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    close: () => end(child, connection),
  };
}
