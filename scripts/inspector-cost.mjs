/**
 * `npm run inspector:cost [-- RATE SECONDS]`: what the live page costs the client process while an agent streams RATE updates a
 * second (default 10,000 for 5 s). The agent and the reader of the page are processes of their own, so that the CPU time
 * measured is the client's alone. The agent tells how long it was held back: the time that its stdout took no more.
 */
import { spawn } from 'node:child_process';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';

const ME = fileURLToPath(import.meta.url);
const [role, ...rest] = process.argv.slice(2);
const CHUNK = 'A word or two of an answer. ';

/** Streams at the rate when prompted; the text of the last update tells how long it was held back. */
function agent(rate, seconds) {
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const chunk = (text) => ({
    method: 'session/update',
    params: { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
  });
  const line = `${JSON.stringify({ jsonrpc: '2.0', ...chunk(CHUNK) })}\n`;
  async function turn(id) {
    const start = performance.now();
    let [sent, held] = [0, 0];
    while (sent < rate * seconds) {
      const due = Math.min(rate * seconds, Math.floor(((performance.now() - start) / 1000) * rate));
      if (due > sent && !process.stdout.write(line.repeat(due - sent))) {
        const before = performance.now();
        await new Promise((resolve) => process.stdout.once('drain', resolve));
        held += performance.now() - before;
      }
      sent = Math.max(sent, due);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    send(chunk(JSON.stringify({ held: Math.round(held) })));
    send({ id, result: { stopReason: 'end_turn' } });
  }
  let tail = '';
  process.stdin.setEncoding('utf8').on('data', (text) => {
    const lines = (tail + text).split('\n');
    tail = lines.pop();
    for (const { id, method } of lines.map((one) => JSON.parse(one))) {
      if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
      if (method === 'session/new') send({ id, result: { sessionId: 's' } });
      if (method === 'session/prompt') void turn(id);
    }
  });
}

/** Reads the page's stream and throws it away. */
function reader(url) {
  request(`${url}events`, (response) => {
    let bytes = 0;
    process.send('open');
    response.on('data', (data) => (bytes += data.length));
    response.on('end', () => process.send({ bytes }));
  }).end();
}

async function measure(mode, rate, seconds) {
  const { connect } = await import('../dist/index.js');
  const { inspector } = await import('../dist/inspector.js');
  const view = mode === 'off' ? undefined : await inspector();
  let child;
  let read;
  if (mode === 'open page') {
    child = spawn(process.execPath, [ME, 'reader', view.url], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await new Promise((resolve) => child.once('message', resolve));
    read = new Promise((resolve) => child.once('message', ({ bytes }) => resolve(bytes)));
  }
  const connection = await connect({
    command: process.execPath,
    args: [ME, 'agent', rate, seconds].map(String),
    client: { name: 'cost', version: '0' },
    recorder: view,
  });
  const session = await connection.newSession();
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  const turn = session.prompt('go');
  let last = '';
  for await (const update of turn) last = update.text;
  const { updates } = await turn.result;
  const took = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await connection.close();
  await view?.close();
  const bytes = await read;
  child?.disconnect();
  return { updates, cpu: (user + system) / 1e6, took, ...JSON.parse(last), bytes };
}

if (role === 'agent') agent(Number(rest[0]), Number(rest[1]));
else if (role === 'reader') reader(rest[0]);
else if (role === 'one') console.log(JSON.stringify(await measure(rest[0], Number(rest[1]), Number(rest[2]))));
else {
  const [rate, seconds] = [Number(role ?? 10_000), Number(rest[0] ?? 5)];
  const ROUNDS = 3;
  console.log(`${rate} updates/s for ${seconds} s, the best of ${ROUNDS} rounds, each in a process of its own`);
  const one = (mode) =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [ME, 'one', mode, rate, seconds].map(String), {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.on('data', (data) => (text += data));
      child.on('close', () => resolve(JSON.parse(text)));
    });
  const best = new Map();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const mode of ['off', 'no page', 'open page']) {
      const result = await one(mode);
      if (result.cpu < (best.get(mode)?.cpu ?? Infinity)) best.set(mode, result);
    }
  }
  const off = best.get('off').cpu;
  for (const [mode, { updates, cpu, took, held, bytes }] of best) {
    const core = ((cpu / took) * 100).toFixed(1);
    const each = ((cpu / updates) * 1e6).toFixed(2);
    const more =
      mode === 'off'
        ? ''
        : `, ${(((cpu - off) / off) * 100).toFixed(1)} % more than off, ${(((cpu - off) / took) * 100).toFixed(1)} % of a core`;
    const sent = bytes === undefined ? '' : `, ${Math.round(bytes / 1000)} kB to the page`;
    console.log(
      `${mode.padEnd(9)}  ${updates} updates in ${took.toFixed(1)} s, ${core} % of a core, ${each} µs an update${more}; agent held back ${held} ms${sent}`,
    );
  }
}
