/** The server of the live page: who may look, what is told, and how much of it. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { AcpError, policy } from '../src/index.js';
import { inspector, type Inspector, type InspectorOptions } from '../src/inspector.js';
import { until } from './support/agents.js';
import { settle } from './support/manualClock.js';
import { connected, opened } from './support/scriptedAgent.js';

const views: Inspector[] = [];
async function page(options?: InspectorOptions): Promise<Inspector> {
  const view = await inspector(options);
  views.push(view);
  return view;
}
afterEach(async () => {
  for (const view of views.splice(0)) await view.close();
});

function get(url: string, headers: OutgoingHttpHeaders = {}, method = 'GET'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(url, { method, headers, agent: false }, resolve);
    asked.once('error', reject);
    asked.end();
  });
}

async function text(response: IncomingMessage): Promise<string> {
  let all = '';
  for await (const chunk of response.setEncoding('utf8')) all += chunk as string;
  return all;
}

interface Told {
  event: string;
  id?: string | undefined;
  data: any;
}

/** The stream, read until it ends or is let go. */
async function listen(
  view: Inspector,
  lastId?: string,
): Promise<{ told: Told[]; lines: () => any[]; stop: () => void }> {
  const response = await get(`${view.url}events`, lastId === undefined ? {} : { 'last-event-id': lastId });
  const told: Told[] = [];
  let rest = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1];
      const event = field('event');
      if (event !== undefined) told.push({ event, id: field('id'), data: JSON.parse(field('data') ?? 'null') });
    }
  });
  response.on('error', () => {});
  return {
    told,
    lines: () => told.flatMap(({ event, data }) => (event === 'lines' ? (data as any[]) : [])),
    stop: () => response.destroy(),
  };
}

describe('the server of the live page', () => {
  it('gives the page and its files to whoever has the address, with a policy that forbids all else', async () => {
    const view = await page();
    const index = await get(view.url);
    expect(index.statusCode).toBe(200);
    expect(index.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(index.headers['referrer-policy']).toBe('no-referrer');
    expect(await text(index)).toContain('<title>acp-turnstile</title>');
    for (const name of ['main.js', 'style.css', 'icon.svg', 'charts/session.svg']) {
      expect([name, (await get(`${view.url}${name}`)).statusCode]).toEqual([name, 200]);
    }
  });

  it.each([
    ['without a token', (url: URL) => [new URL('/', url).href, {}]],
    ['with a wrong token', (url: URL) => [new URL(`/${'a'.repeat(32)}/`, url).href, {}]],
    ['with a wrong token for the stream', (url: URL) => [new URL(`/${'a'.repeat(32)}/events`, url).href, {}]],
    ['of a foreign origin', (url: URL) => [`${url.href}events`, { origin: 'https://example.com' }]],
    ['of an opaque origin', (url: URL) => [`${url.href}events`, { origin: 'null' }]],
    ['of another port of this machine', (url: URL) => [`${url.href}events`, { origin: 'http://127.0.0.1:1' }]],
    ['by a name that was bound to this machine', (url: URL) => [url.href, { host: `evil.example:${url.port}` }]],
    ['that another site made', (url: URL) => [`${url.href}main.js`, { 'sec-fetch-site': 'cross-site' }]],
  ] as const)('refuses a request %s', async (_, made) => {
    const view = await page();
    const [url, headers] = made(new URL(view.url));
    const response = await get(url as string, headers);
    expect(response.statusCode).toBe(403);
    expect(await text(response)).toBe('403\n');
  });

  it('takes no other method, and knows no other file', async () => {
    const view = await page();
    expect((await get(view.url, {}, 'POST')).statusCode).toBe(405);
    expect((await get(view.url, {}, 'HEAD')).statusCode).toBe(200);
    expect((await get(`${view.url}events`, {}, 'HEAD')).statusCode).toBe(405);
    for (const name of ['%2e%2e/package.json', 'tsconfig.json', 'types.d.ts', 'charts/..%2fmain.js', 'nothing']) {
      expect([name, (await get(`${view.url}${name}`)).statusCode]).toEqual([name, name.startsWith('%') ? 403 : 404]);
    }
  });

  it('listens on 127.0.0.1 alone', async () => {
    const view = await page();
    expect(new URL(view.url).hostname).toBe('127.0.0.1');
    await expect(get(view.url.replace('127.0.0.1', '127.0.0.2'))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('rejects a port that is none by name, and one that is taken with what listening says', async () => {
    await expect(page({ port: -1 })).rejects.toBeInstanceOf(AcpError);
    await expect(page({ port: 1.5 })).rejects.toMatchObject({ kind: 'invalid-argument', argument: 'port' });
    const { port } = await page();
    await expect(page({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('what the page is told', () => {
  it('is everything so far and then what happens, without its text', async () => {
    const view = await page();
    const world = await connected({ recorder: view, permissions: policy.unattended({ select: 'allow_once' }) });
    const session = await opened(world);
    const heard = await listen(view);
    const turn = session.prompt('a secret plan');
    await settle();
    world.script.chunk('s-1', 'a secret answer');
    world.script.ask(1, 's-1');
    await settle();
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    await world.agent.close();
    await until(() => heard.lines().some(({ closed }) => closed !== undefined));
    const methods = heard.lines().flatMap(({ d, m }) => (m?.method === undefined ? [] : [`${d} ${m.method}`]));
    expect(methods).toEqual(
      expect.arrayContaining([
        'out initialize',
        'out session/new',
        'out session/prompt',
        'in session/update',
        'in session/request_permission',
      ]),
    );
    const steps = heard.lines().flatMap(({ actor, event }) => (actor === undefined ? [] : [`${actor} ${event}`]));
    expect(steps).toEqual(
      expect.arrayContaining(['connection/session.1/turn begin', 'connection/session.1 user.decide']),
    );
    const decisions = heard.lines().flatMap(({ decision }) => (decision === undefined ? [] : [decision]));
    expect(decisions).toMatchObject([{ outcome: 'selected', optionKind: 'allow_once', policy: 'unattended' }]);
    expect(JSON.stringify(heard.told)).not.toMatch(/secret|May I/);
    heard.stop();
  });

  it('has the text where that was asked for, none of it long', async () => {
    const view = await page({ withText: true });
    const world = await connected({ recorder: view });
    const session = await opened(world);
    const heard = await listen(view);
    const turn = session.prompt('a plan');
    await settle();
    world.script.chunk('s-1', 'x'.repeat(100_000));
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    await world.agent.close();
    await until(() => heard.lines().some(({ closed }) => closed !== undefined));
    const all = JSON.stringify(heard.lines());
    expect(all).toContain('a plan');
    expect(all).toContain('96000 more chars');
    expect(all.length).toBeLessThan(40_000);
    heard.stop();
  });

  it('tells of both clocks and the counters', async () => {
    const view = await page();
    const world = await connected({ recorder: view });
    const session = await opened(world);
    const turn = session.prompt('go', { budget: { idleMs: 60_000, absoluteMs: 600_000 } });
    await settle();
    world.clock.advance(1_000);
    const heard = await listen(view);
    await until(() => heard.told.some(({ event }) => event === 'tick'));
    const tick = heard.told.find(({ event }) => event === 'tick')?.data;
    expect(tick.stats).toMatchObject({ framesIn: 2, framesOut: 3 });
    expect(tick.waits).toEqual([
      {
        phase: 'turn',
        sessionId: 's-1',
        paused: false,
        idle: { ms: 60_000, leftMs: 59_000 },
        absolute: { ms: 600_000, leftMs: 599_000 },
      },
    ]);
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    heard.stop();
    await world.agent.close();
  });

  it('counts what comes too fast to be read instead of listing it', async () => {
    const view = await page();
    const world = await connected({ recorder: view });
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.ask(1, 's-1');
    await settle();
    const FLOOD = 20_000;
    const before = world.agent.stats.framesIn;
    for (let sent = 0; sent < FLOOD; sent += 1_000) {
      for (let i = 0; i < 1_000; i += 1) world.script.chunk('s-1', 'word ');
      // A clock that moves lets a few more of them in.
      world.clock.advance(100);
      await until(() => world.agent.stats.framesIn - before === sent + 1_000);
    }
    const heard = await listen(view);
    await until(() => heard.lines().some(({ gap }) => gap !== undefined));
    const listed = heard.lines().filter(({ m }) => m?.method === 'session/update').length;
    const counted = heard.lines().reduce((sum: number, { gap }) => sum + Number(gap ?? 0), 0);
    expect(listed).toBeLessThan(2_000);
    expect(listed + counted).toBe(FLOOD);
    heard.stop();
    void turn.cancel();
    await world.agent.close();
  });

  it('goes on where a page stopped, and begins anew for one that knows another connection', async () => {
    const view = await page();
    const world = await connected({ recorder: view });
    await opened(world);
    const first = await listen(view);
    await until(() => first.lines().length > 0);
    const id = first.told.findLast((told) => told.id !== undefined)?.id;
    const seen = first.lines().length;
    first.stop();
    await opened(world, 's-2');
    const again = await listen(view, id);
    await until(() => again.lines().length > 0);
    expect(again.told.some(({ event }) => event === 'reset')).toBe(false);
    expect(JSON.stringify(again.lines())).not.toContain('"initialize"');
    again.stop();
    const other = await listen(view, '7.3');
    await until(() => other.lines().length > seen);
    expect(other.told[0]?.event).toBe('reset');
    other.stop();
    await world.agent.close();
  });

  it('waits for no page: one that reads nothing holds back neither the agent nor the turn', async () => {
    const view = await page({ withText: true });
    const world = await connected({ recorder: view });
    const session = await opened(world);
    const response = await get(`${view.url}events`);
    response.pause();
    const turn = session.prompt('go');
    await settle();
    const before = world.agent.stats.framesIn;
    for (let sent = 0; sent < 5_000; sent += 100) {
      for (let i = 0; i < 100; i += 1) world.script.chunk('s-1', 'x'.repeat(4_000));
      world.clock.advance(5_000);
      await until(() => world.agent.stats.framesIn - before === sent + 100);
    }
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    expect((await turn.result).updates).toBe(5_000);
    response.destroy();
    await world.agent.close();
  });

  it('ends with a good-bye, and the server with it', async () => {
    const view = await page();
    const heard = await listen(view);
    await Promise.all([view.close(), view.close()]);
    await until(() => heard.told.at(-1)?.event === 'bye');
    await expect(get(view.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
