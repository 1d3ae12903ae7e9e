/**
 * A scripted model server on the loopback interface, for agents that think they have a provider: OpenAI responses (codex) and
 * Gemini. Another kind of provider is another pair of functions here; what is said is decided in mock-model.mjs.
 */
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { answerTo, wordsOf } from './mock-model.mjs';

const MODEL = 'mock-model';
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @returns {Promise<{ port: number, close(): Promise<void> }>} */
export async function startMockLlm() {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(request, response) {
  const url = new URL(request.url, 'http://mock');
  const body = request.method === 'POST' ? await bodyOf(request) : {};
  const model = /models\/([^/:]+):(\w+)$/.exec(url.pathname);
  if (url.pathname.endsWith('/responses')) return responses(response, body);
  if (model) return gemini(response, body, model[1], model[2]);
  if (url.pathname.endsWith('/models')) {
    return json(response, { object: 'list', data: [{ id: MODEL, object: 'model', owned_by: 'mock' }], models: [] });
  }
  json(response, { error: { message: 'the mock knows no such path' } }, 404);
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const bytes = Buffer.concat(parts);
  return JSON.parse((request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8'));
}

function json(response, body, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Server-sent events; `open` turns false when the agent hangs up, as it does when it is cancelled. */
function eventStream(response) {
  const stream = {
    open: true,
    send(data, event) {
      if (stream.open) response.write(`${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`);
    },
    end: () => response.end(),
  };
  response.on('close', () => (stream.open = false));
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  return stream;
}

/** Gives false where the agent hung up meanwhile. */
async function speak({ text, paceMs }, stream, say) {
  for (const word of wordsOf(text)) {
    if (!stream.open) return false;
    say(word);
    if (paceMs > 0) await sleep(paceMs);
  }
  return stream.open;
}

const textOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n');

async function responses(response, body) {
  const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : (body.input ?? []);
  const tools = (body.tools ?? []).map((tool) => ({
    name: tool.name ?? tool.type,
    schema: tool.parameters,
    freeform: tool.type === 'custom',
  }));
  const items = input.map((item) =>
    /_output$/.test(item.type ?? '') ? { role: 'tool', text: '' } : { role: item.role, text: textOf(item.content) },
  );
  const said = answerTo(tools, items);
  const id = `resp_${input.length}`;
  const output = [];
  const stream = eventStream(response);
  let sequence = 0;
  const send = (type, rest) => stream.send({ type, sequence_number: sequence++, ...rest }, type);
  const base = { id, object: 'response', created_at: 1_700_000_000, model: body.model, output: [], usage: null };
  send('response.created', { response: { ...base, status: 'in_progress' } });

  const message = { id: `msg_${id}`, type: 'message', role: 'assistant' };
  const place = { item_id: message.id, output_index: 0, content_index: 0 };
  const content = [{ type: 'output_text', text: said.text, annotations: [] }];
  send('response.output_item.added', { output_index: 0, item: { ...message, status: 'in_progress', content: [] } });
  send('response.content_part.added', { ...place, part: { type: 'output_text', text: '', annotations: [] } });
  if (!(await speak(said, stream, (delta) => send('response.output_text.delta', { ...place, delta })))) return;
  send('response.output_text.done', { ...place, text: said.text });
  output.push({ ...message, status: 'completed', content });
  send('response.output_item.done', { output_index: 0, item: output[0] });

  if (said.call) {
    const { tool, args } = said.call;
    const call = { id: `call_${id}`, call_id: `call_${id}`, name: tool.name, status: 'completed' };
    const item = tool.freeform
      ? { ...call, type: 'custom_tool_call', input: args }
      : { ...call, type: 'function_call', arguments: JSON.stringify(args) };
    output.push(item);
    send('response.output_item.added', { output_index: 1, item: { ...item, status: 'in_progress' } });
    send('response.output_item.done', { output_index: 1, item });
  }
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 12,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 112,
  };
  send('response.completed', { response: { ...base, status: 'completed', output, usage } });
  stream.end();
}

async function gemini(response, body, modelVersion, operation) {
  if (operation === 'countTokens') return json(response, { totalTokens: 100 });
  const declared = (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []);
  const tools = declared.map((tool) => ({ name: tool.name, schema: tool.parametersJsonSchema ?? tool.parameters }));
  const items = (body.contents ?? []).flatMap(({ role, parts = [] }) =>
    role === 'model'
      ? [{ role: 'assistant', text: textOf(parts) }]
      : parts.map((part) =>
          part.functionResponse ? { role: 'tool', text: '' } : { role: 'user', text: part.text ?? '' },
        ),
  );
  const { responseMimeType, responseJsonSchema, responseSchema } = body.generationConfig ?? {};
  const wantsJson = responseMimeType === 'application/json' || responseJsonSchema || responseSchema;
  // Its side questions (who speaks next, which model fits) share one shape that satisfies all of them.
  const aside = {
    reasoning: 'mock',
    next_speaker: 'user',
    model_choice: 'flash',
    complexity_reasoning: 'mock',
    complexity_score: 10,
  };
  const said = wantsJson ? { text: JSON.stringify(aside), paceMs: 0 } : answerTo(tools, items);
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 12, totalTokenCount: 112 };
  const wrap = (parts, finishReason) => ({
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason ? { finishReason } : {}) }],
    usageMetadata,
    modelVersion,
  });
  const call = said.call
    ? [{ functionCall: { id: 'call_mock', name: said.call.tool.name, args: said.call.args } }]
    : [];
  if (operation !== 'streamGenerateContent') return json(response, wrap([{ text: said.text }, ...call], 'STOP'));
  const stream = eventStream(response);
  if (!(await speak(said, stream, (text) => stream.send(wrap([{ text }]))))) return;
  stream.send(wrap(call.length > 0 ? call : [{ text: '' }], 'STOP'));
  stream.end();
}
