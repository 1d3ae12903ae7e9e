/**
 * A fake agent on stdio: plain Node, no dependencies. What it does in a turn is chosen by its arguments; sizes in bytes,
 * newline included.
 *   --updates N --size B   N updates of B bytes each, then the answer
 *   --garbage              one line that is no message after each update
 *   --line B               one update of B bytes
 *   --endless B            B bytes without a newline, and no answer
 *   --stream MS            updates as fast as the pipe takes them, for MS or until cancelled; a permission half-way
 */
const option = (name) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? 0 : Number(process.argv[at + 1]);
};
const UPDATES = option('updates');
const SIZE = option('size') || 200;
const LINE = option('line');
const ENDLESS = option('endless');
const STREAM_MS = option('stream');
const GARBAGE = process.argv.includes('--garbage')
  ? '[2026-01-01T00:00:00Z] DEBUG adapter: some diagnostic that went to stdout by mistake\n'
  : '';
const BLOCK_BYTES = 64 * 1024;
const FIRST_SESSION = 'sess_1';

const write = (bytes) =>
  new Promise((resolve) => (process.stdout.write(bytes) ? resolve() : process.stdout.once('drain', resolve)));
const send = (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const loop = () => new Promise((resolve) => setImmediate(resolve));

const chunkOf = (text) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: {
    sessionId: FIRST_SESSION,
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
  },
});

function updateOf(bytes) {
  const prose = 'The quick brown fox edits src/index.ts; ';
  const room = Math.max(0, bytes - JSON.stringify(chunkOf('')).length - 1);
  return `${JSON.stringify(chunkOf(prose.repeat(Math.ceil(room / prose.length)).slice(0, room)))}\n`;
}

const perBlock = Math.max(1, Math.floor(BLOCK_BYTES / SIZE));
const unit = updateOf(SIZE) + GARBAGE;
const block = Buffer.from(unit.repeat(perBlock));

async function updates(count) {
  for (let left = count; left > 0; left -= perBlock) {
    await write(left >= perBlock ? block : Buffer.from(unit.repeat(left)));
    await loop();
  }
}

async function bytes(count) {
  const mebibyte = Buffer.alloc(1 << 20, 'a');
  for (let left = count; left > 0; left -= mebibyte.length) {
    await write(left >= mebibyte.length ? mebibyte : mebibyte.subarray(0, left));
  }
}

async function line(size) {
  const [head, tail] = JSON.stringify(chunkOf('|')).split('|');
  await write(head);
  await bytes(size - head.length - tail.length - 1);
  await write(`${tail}\n`);
}

let cancelled = false;
const asked = new Map();
function permission() {
  const id = `ask-${asked.size}`;
  const options = [
    { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  ];
  const toolCall = { toolCallId: 't1', title: 'build', kind: 'execute' };
  void send({ id, method: 'session/request_permission', params: { sessionId: FIRST_SESSION, toolCall, options } });
  return new Promise((resolve) => asked.set(id, resolve));
}

async function stream(ms) {
  const end = Date.now() + ms;
  let wasAsked = false;
  while (!cancelled && Date.now() < end) {
    if (!wasAsked && Date.now() > end - ms / 2) {
      wasAsked = true;
      void permission();
    }
    await write(block);
    await loop();
  }
}

async function prompt(id) {
  cancelled = false;
  if (ENDLESS > 0) return bytes(ENDLESS);
  if (LINE > 0) await line(LINE);
  if (UPDATES > 0) await updates(UPDATES);
  if (STREAM_MS > 0) await stream(STREAM_MS);
  await send({ id, result: { stopReason: cancelled ? 'cancelled' : 'end_turn' } });
}

let sessions = 0;
function handle({ id, method, result }) {
  switch (method) {
    case 'initialize':
      return send({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } });
    case 'session/new':
      sessions += 1;
      return send({ id, result: { sessionId: `sess_${sessions}` } });
    case 'session/prompt':
      return prompt(id);
    case 'session/cancel':
      cancelled = true;
      return;
    case 'session/set_mode':
      return void process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{}}\n`);
    case undefined:
      return asked.get(id)?.(result);
    default:
      return send({ id, error: { code: -32601, message: 'Method not found' } });
  }
}

let held = '';
process.stdin.on('data', (chunk) => {
  const lines = (held + chunk).split('\n');
  held = lines.pop();
  for (const one of lines) void handle(JSON.parse(one));
});
process.stdin.on('end', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
