/** The practical limit: bytes split at newlines, JSON.parse, count. One request at a time, no table, no queue, no cap. */
import { spawn } from 'node:child_process';

export async function open({ command, args, onText }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let parts = [];
  let newest = 0;
  let settle;
  const line = (bytes, from, to) => {
    const message = JSON.parse(bytes.toString('utf8', from, to));
    if (message.id === newest) settle(message.result);
    else onText(message.params.update.content.text);
  };
  child.stdout.on('data', (chunk) => {
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      if (parts.length > 0) {
        parts.push(chunk.subarray(from, to));
        const whole = Buffer.concat(parts);
        parts = [];
        line(whole, 0, whole.length);
      } else line(chunk, from, to);
      from = to + 1;
    }
    if (from < chunk.length) parts.push(from > 0 ? chunk.subarray(from) : chunk);
  });
  const request = (method, params) =>
    new Promise((resolve) => {
      newest += 1;
      settle = resolve;
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: newest, method, params })}\n`);
    });
  await request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  return {
    pid: child.pid,
    request,
    newSession: async () => (await request('session/new', { cwd: '/', mcpServers: [] })).sessionId,
    prompt: (sessionId, text) => request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    close: async () => void child.kill(),
  };
}
