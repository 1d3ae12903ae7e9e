/** Raw, and what little correlation needs: a table of requests, errors, a byte cap, garbage counted, agent requests answered. */
import { spawn } from 'node:child_process';

export async function open({ command, args, onText, maxFrameBytes = 32 * 1024 * 1024 }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const pending = new Map();
  let parts = [];
  let held = 0;
  let newest = 0;
  let dead;
  const fail = (error) => {
    if (dead) return;
    dead = error;
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  };
  const send = (message) => {
    if (!dead) child.stdin.write(`${JSON.stringify(message)}\n`);
  };
  const stats = { skipped: 0 };
  const line = (bytes, from, to) => {
    if (to > from && bytes[to - 1] === 13) to -= 1;
    if (to <= from) return;
    let message;
    try {
      message = JSON.parse(bytes.toString('utf8', from, to));
    } catch {
      stats.skipped += 1;
      return;
    }
    if (message === null || typeof message !== 'object') {
      stats.skipped += 1;
      return;
    }
    const { id, method, params } = message;
    if (typeof method === 'string') {
      if (id !== undefined) send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
      else if (method === 'session/update') onText(params?.update?.content?.text);
      return;
    }
    const waiting = pending.get(id);
    if (!waiting) {
      stats.skipped += 1;
      return;
    }
    pending.delete(id);
    if (message.error) waiting.reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
    else waiting.resolve(message.result);
  };
  const tooLarge = () => {
    parts = [];
    fail(new Error('frame too large'));
    child.stdout.destroy();
  };
  child.stdout.on('data', (chunk) => {
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      if (held + to - from > maxFrameBytes) return tooLarge();
      if (parts.length > 0) {
        parts.push(chunk.subarray(from, to));
        const whole = Buffer.concat(parts);
        parts = [];
        held = 0;
        line(whole, 0, whole.length);
      } else line(chunk, from, to);
      from = to + 1;
    }
    if (from >= chunk.length) return;
    held += chunk.length - from;
    if (held > maxFrameBytes) tooLarge();
    else parts.push(from > 0 ? chunk.subarray(from) : chunk);
  });
  child.stdout.on('close', () => fail(new Error('the agent closed stdout')));
  child.on('exit', () => setImmediate(() => fail(new Error('the agent exited'))));
  child.on('error', fail);
  child.stdin.on('error', fail);
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      if (dead) return reject(dead);
      newest += 1;
      pending.set(newest, { resolve, reject });
      send({ jsonrpc: '2.0', id: newest, method, params });
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
