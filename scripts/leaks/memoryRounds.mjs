/**
 * Thousands of turns and sessions on one connection in memory. What is kept per session or connection by design (closed
 * ids, the ledger, kept answers, tool calls) is bounded: the rounds before the first measure fill those bounds.
 */
const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

/** An agent in this process: answers each request by `methods`, after a turn of the event loop. */
function memoryAgent(methods) {
  const chunks = [];
  let hungry;
  let over = false;
  const feed = () => {
    if (hungry === undefined || (chunks.length === 0 && !over)) return;
    const resolve = hungry;
    hungry = undefined;
    resolve(chunks.length > 0 ? { done: false, value: chunks.shift() } : { done: true });
  };
  const end = () => {
    over = true;
    feed();
    return Promise.resolve();
  };
  const send = (...messages) => {
    chunks.push(Buffer.from(messages.map(line).join('')));
    feed();
  };
  const take = (chunk) => {
    for (const text of Buffer.from(chunk).toString().split('\n').slice(0, -1)) {
      const frame = JSON.parse(text);
      setImmediate(() => methods[frame.method ?? 'answer']?.(frame, send));
    }
    return Promise.resolve();
  };
  const reader = { read: () => new Promise((resolve) => ((hungry = resolve), feed())), cancel: end, releaseLock() {} };
  const writer = { write: take, close: end, abort: end, ready: Promise.resolve() };
  return { readable: { getReader: () => reader }, writable: { getWriter: () => writer } };
}

const update = (sessionId, update) => ({ method: 'session/update', params: { sessionId, update } });
const say = (id, text) =>
  update(id, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: text.repeat(20) } });
const tool = (id, toolCallId) => update(id, { sessionUpdate: 'tool_call', toolCallId, title: 'A tool', kind: 'read' });
const ask = (id, sessionId, toolCallId) => ({
  id,
  method: 'session/request_permission',
  params: { sessionId, toolCall: { toolCallId }, options: [{ optionId: 'o', name: 'Once', kind: 'allow_once' }] },
});

function methods(counts) {
  let asked = 0;
  const owed = new Map();
  const open = (frame, send) => {
    counts.sessions++;
    const sessionId = frame.params.sessionId ?? `session-${counts.sessions}`;
    const late = say(sessionId, 'before the answer');
    send(late, { id: frame.id, result: { sessionId } });
  };
  return {
    initialize: ({ id }, send) =>
      send({
        id,
        result: {
          protocolVersion: 1,
          agentCapabilities: { loadSession: true, sessionCapabilities: { close: {}, resume: {} } },
        },
      }),
    'session/new': open,
    'session/load': open,
    'session/resume': open,
    'session/close': ({ id }, send) => send({ id, result: {} }),
    'session/prompt': ({ id, params: { sessionId, prompt } }, send) => {
      counts.turns++;
      const done = { id, result: { stopReason: 'end_turn' } };
      const call = `call-${asked % 50}`;
      if (prompt[0].text === 'hang') owed.set(sessionId, id);
      else if (prompt[0].text === 'ask') {
        const question = ++asked;
        owed.set(question, done);
        send(tool(sessionId, call), ask(question, sessionId, call));
      } else send(say(sessionId, 'a'), tool(sessionId, call), say(sessionId, 'b'), done);
    },
    answer: ({ id }, send) => {
      const done = owed.get(id);
      owed.delete(id);
      if (done) send(done);
    },
    'session/cancel': ({ params: { sessionId } }, send) => {
      const id = owed.get(sessionId);
      owed.delete(sessionId);
      if (id !== undefined) send({ id, result: { stopReason: 'cancelled' } }, say(sessionId, 'late'));
    },
    '_x/refuse': ({ id }, send) => send({ id, error: { code: -32001, message: 'no' } }),
    '_x/echo': ({ id, params }, send) => send({ id, result: params }),
    '_x/later': ({ id, params }, send) => setImmediate(() => send({ id, result: params })),
  };
}

const fails = async (promise, kind) => {
  const error = await promise.then(
    () => ({ kind: 'nothing' }),
    (reason) => reason,
  );
  if ((error.kind ?? error.name) !== kind) throw new Error(`expected ${kind}, was told ${error.kind ?? error.name}`);
};
const ends = async (result, outcome) => {
  const { outcome: was } = await result;
  if (was !== outcome) throw new Error(`expected ${outcome}, was told ${was}`);
};
const aborted = () => {
  const own = new AbortController();
  own.abort();
  return own.signal;
};

/** One of each thing that a caller can do in a turn. */
async function turnsOf(session, { watch, signal }) {
  const prompt = (text, options) => watch(session.prompt(text, { signal, ...options }));
  await ends(prompt('say').result, 'completed');
  const read = prompt('say');
  let updates = 0;
  for await (const update of read) updates += update.kind === 'text' ? 1 : 0;
  if (updates !== 2) throw new Error(`expected two texts, read ${updates}`);
  const broken = prompt('say');
  for await (const update of broken) if (update.kind === 'text') break;
  await broken.result;
  await ends(prompt('ask').result, 'completed');
  const cancelled = prompt('hang');
  const waiting = prompt('say', { queue: true });
  const withdrawn = prompt('say', { queue: true });
  await withdrawn.cancel();
  await ends(withdrawn.result, 'cancelled');
  await fails(prompt('say').result, 'busy');
  await cancelled.cancel();
  await ends(cancelled.result, 'cancelled');
  await ends(waiting.result, 'completed');
  const own = new AbortController();
  const stopped = prompt('hang', { signal: own.signal });
  await stopped.sent;
  own.abort();
  await ends(stopped.result, 'cancelled');
  await ends(prompt('say', { signal: aborted() }).result, 'cancelled');
}

/** Sessions of every origin, opened, used, given up, closed, forgotten. */
async function sessionsOf(agent, { watch, signal, n }) {
  const first = watch(await agent.newSession({ signal }));
  const off = first.subscribe(() => {});
  const sub = first.actor.subscribe(() => {});
  await ends(watch(first.prompt('ask', { signal })).result, 'completed');
  off();
  sub.unsubscribe();
  await first.close({ signal });
  const loaded = watch(await agent.loadSession(`old-${n}`, { signal }));
  await loaded[Symbol.asyncDispose]();
  const resumed = watch(await agent.openSession({ id: `older-${n}`, signal }));
  const running = watch(resumed.prompt('hang', { signal }));
  await running.sent;
  const closing = resumed.close({ signal });
  await running.result.catch(() => {});
  await closing;
  // Given up while the agent opens it: its late answer is matched, and the session is closed again.
  const own = new AbortController();
  const opening = agent.newSession({ signal: own.signal });
  own.abort();
  await fails(opening, 'AbortError');
}

async function callsOf(agent, { signal }) {
  const offs = ['update', 'decision', 'notification'].map((name) => agent.on(name, () => {}));
  offs.push(agent.subscribe(() => {}));
  const echo = agent.sendRequest('_x/echo', { a: 1 });
  await agent.awaitResponse(echo, { signal });
  await fails(agent.awaitResponse(agent.sendRequest('_x/refuse'), { signal }), 'agent-error');
  const twice = agent.sendRequest('_x/later', {});
  const own = new AbortController();
  const first = agent.awaitResponse(twice, { signal: own.signal });
  own.abort();
  await fails(first, 'AbortError');
  await agent.awaitResponse(twice, { signal });
  for (const nobody of ['waits', 'cares']) agent.sendRequest('_x/echo', { nobody });
  await agent.notify('_x/note', {});
  for (const off of offs) off();
}

/**
 * `rounds` of everything on one connection; `measure` is called before the first and after each window. `filling` rounds go
 * before: after 520 whatever is kept by design is full, at two decisions, two answers and four closed ids a round.
 */
export async function memoryRounds({ acp, clock, signal, watch, filling, rounds, windows, measure }) {
  const counts = { turns: 0, sessions: 0 };
  const agent = await acp.connect({
    transport: memoryAgent(methods(counts)),
    client: { name: 'leaks', version: '0' },
    permissions: acp.policy.unattended({ select: 'allow_once' }),
    replayQuietMs: 1,
    clock,
    signal,
  });
  const session = await agent.newSession({ signal });
  for (let n = 1 - filling; n <= rounds; n++) {
    await turnsOf(session, { watch, signal });
    await sessionsOf(agent, { watch, signal, n });
    await callsOf(agent, { signal });
    if (n === 0 || (n > 0 && n % Math.ceil(rounds / windows) === 0)) await measure(n, agent);
  }
  if (agent.state !== 'ready') throw new Error(`the connection was lost: ${agent.closeReason}`);
  await agent.close();
  return counts;
}
