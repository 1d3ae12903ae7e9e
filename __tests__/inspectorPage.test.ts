/** The live page in a real Chromium: what a person sees, and what never leaves the machine. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { policy, recorder, type ConnectOptions } from '../src/index.js';
import { inspector, type Inspector, type InspectorOptions } from '../src/inspector.js';
import { systemClock } from '../src/framing/clock.js';
import { chromiumPath, launch } from './support/browser.js';
import { clearUp, folder } from './support/cli.js';
import { settle } from './support/manualClock.js';
import { connected, INITIALIZED, opened, type World } from './support/scriptedAgent.js';

const path = chromiumPath();
if (path === undefined) {
  process.stderr.write(
    'SKIPPED inspectorPage.test.ts: no Chromium at $CHROMIUM, /usr/bin/chromium or /usr/bin/chromium-browser.\n',
  );
}

const NAMED = { ...INITIALIZED[1], agentInfo: { name: 'scripted', version: '1.2.3' } };
const EVIL = '<img src="https://example.com/x.png" onerror="document.title=\'owned\'"><b>bold</b>';

interface Watched extends World {
  view: Inspector;
  page: Page;
  /** Of every request that the page made. */
  requests: string[];
}

(path === undefined ? describe.skip : describe)('the live page, in Chromium', () => {
  let browser: Browser;
  const undo: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    browser = await launch(path!);
  }, 60_000);
  afterAll(() => browser?.close());
  afterEach(async () => {
    for (const act of undo.splice(0).reverse()) await act();
    await clearUp();
  });

  async function open(view: Inspector): Promise<{ page: Page; requests: string[] }> {
    const page = await browser.newPage();
    undo.push(() => page.close());
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('pageerror', (error) => requests.push(`error: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') requests.push(`error: ${message.text()}`);
    });
    await page.goto(view.url);
    await page.locator('.chart svg').waitFor();
    return { page, requests };
  }

  async function watched(options: Partial<ConnectOptions> = {}, how: InspectorOptions = {}): Promise<Watched> {
    const view = await inspector(how);
    undo.push(() => view.close());
    const shown = await open(view);
    const others = options.recorder === undefined ? [] : [options.recorder].flat();
    const world = await connected({ clock: systemClock, ...options, recorder: [view, ...others] }, NAMED);
    undo.push(() => world.agent.close());
    return { ...world, ...shown, view };
  }

  const lit = (page: Page): Promise<string[]> =>
    page
      .locator('.state.active')
      .evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-state') ?? '').sort());
  const actor = (page: Page, name: string): Promise<string | null> =>
    page.locator(`[data-actor="${name}"] .states`).textContent();
  /** Fails with what it last was. */
  async function becomes<T>(look: () => Promise<T>, wanted: T): Promise<void> {
    const until = performance.now() + 10_000;
    let last = await look();
    while (JSON.stringify(last) !== JSON.stringify(wanted) && performance.now() < until) last = await look();
    expect(last).toEqual(wanted);
  }

  it('lights the states of a live turn, marks the last edge, and lists frames, actors, clocks and counters', async () => {
    const world = await watched();
    const { page, script } = world;
    const session = await opened(world);
    await becomes(() => page.locator('#who').textContent(), 'scripted  ·  1.2.3  ·  ACP 1  ·  without text');
    await becomes(() => lit(page), ['session.open.permissions.deciding', 'session.open.turns.idle']);
    const turn = session.prompt('go', { budget: { idleMs: 60_000, absoluteMs: 600_000 } });
    await becomes(() => lit(page), ['turn.running']);
    await becomes(() => actor(page, 'connection/session.1'), 'turning · deciding');

    const clock = page.locator('.clock.absolute');
    await page.locator('.wait', { hasText: 'turn' }).waitFor();
    expect(await clock.locator('.left').textContent()).toMatch(/^(10:00|9:5\d) of 10 min$/);
    const left = async (): Promise<number> => Number(await clock.getAttribute('data-left-ms'));
    const first = await left();
    const until = performance.now() + 5_000;
    while ((await left()) >= first && performance.now() < until) await settle();
    expect(await left()).toBeLessThan(first);

    script.chunk('s-1', 'one');
    await page.locator('.row.in.update', { hasText: 'agent_message_chunk' }).waitFor();
    script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    await becomes(() => lit(page), ['session.open.permissions.deciding', 'session.open.turns.idle']);
    const last = page.locator('.edge.last');
    expect(await last.evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-to')))).toEqual([
      'session.open.turns.idle',
    ]);
    await becomes(() => actor(page, 'connection/session.1/turn'), 'ended');
    await becomes(() => page.locator('[data-counter="framesIn"]').textContent(), '4');
    const answer = page.locator('.row.answer', { hasText: 'session/prompt' });
    expect(await answer.locator('.detail').textContent()).toBe('end_turn');
    await answer.locator('button').click();
    expect(await answer.locator('.body').textContent()).toContain('"stopReason": "end_turn"');
    await page.locator('[data-chart="connection"].tab').click();
    await becomes(() => lit(page), ['connection.live.ready.open']);
  }, 30_000);

  it('shows a permission that waits, and how it was answered', async () => {
    let decide: (id: string) => void = () => {};
    const permissions = policy.ask(() => new Promise<string>((resolve) => (decide = resolve)));
    const world = await watched({ permissions });
    const { page, script } = world;
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    script.ask(7, 's-1');
    const card = page.locator('[data-question="7"]');
    await card.waitFor();
    expect(await card.locator('.about').allTextContents()).toEqual(['edit', 't-7', 's-1']);
    expect(await card.locator('.option').allTextContents()).toEqual(['allow_once', 'reject_once']);
    await page.locator('.clock.idle.stands').waitFor();
    decide('o-0-allow_once');
    await card.waitFor({ state: 'detached' });
    const entry = page.locator('.ledger .decision.selected');
    expect(await entry.locator('.outcome').textContent()).toBe('allow_once');
    script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
  }, 30_000);

  it('asks nothing of any other server, and shows a prompt that holds HTML as text', async () => {
    const world = await watched({}, { withText: true });
    const { page, requests, view, script } = world;
    const session = await opened(world);
    const turn = session.prompt(EVIL);
    await settle();
    script.chunk('s-1', EVIL);
    script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    const row = page.locator('.row.out.request', { hasText: 'session/prompt' });
    expect(await row.locator('.text').textContent()).toBe(EVIL);
    await row.locator('button').click();
    expect(await row.locator('.body').textContent()).toContain('<b>bold</b>');
    expect(await page.locator('#rows img, #rows b, #rows script').count()).toBe(0);
    expect(await page.title()).toBe('acp-turnstile');
    expect(requests.filter((url) => !url.startsWith(view.url))).toEqual([]);
  }, 30_000);

  it('has no text of prompt or answer unless that was asked for', async () => {
    const world = await watched();
    const { page, script } = world;
    const session = await opened(world);
    const turn = session.prompt('a secret plan');
    await settle();
    script.chunk('s-1', 'a secret answer');
    script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    for (const row of await page.locator('.row.frame button').all()) await row.click();
    await page.locator('.row.update').waitFor();
    expect(await page.content()).not.toContain('secret');
  }, 30_000);

  it('is not to be had by a wrong token, nor by a page of another origin that knows the right one', async () => {
    const { view } = await watched();
    const page = await browser.newPage();
    undo.push(() => page.close());
    const wrong = await page.goto(view.url.replace(/.$/, 'x/'));
    expect(wrong?.status()).toBe(403);

    const other = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>other</title>');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', () => resolve()));
    undo.push(() => new Promise((resolve) => other.close(resolve)));
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    const seen: number[] = [];
    page.on('response', (response) => {
      if (response.url().startsWith(view.url)) seen.push(response.status());
    });
    const heard = (await page.evaluate(async (url) => {
      const { document, EventSource } = globalThis as any;
      const plain = await fetch(`${url}main.js`).then(
        () => 'read',
        () => 'refused',
      );
      const stream = await new Promise((resolve) => {
        const source = new EventSource(`${url}events`);
        source.onopen = () => resolve('read');
        source.onerror = () => resolve('refused');
      });
      const framed = await new Promise((resolve) => {
        const frame = document.createElement('iframe');
        frame.onload = () => resolve(frame.contentDocument === null ? 'refused' : 'read');
        frame.src = url;
        document.body.append(frame);
      });
      const blind = await fetch(`${url}events`, { mode: 'no-cors' }).then(
        ({ type }) => type,
        () => 'refused',
      );
      return [plain, stream, framed, blind];
    }, view.url)) as string[];
    expect(heard.slice(0, 3)).toEqual(['refused', 'refused', 'refused']);
    expect(seen.every((status) => status === 403)).toBe(true);
    expect(seen.length).toBeGreaterThan(0);
  }, 30_000);

  it('pauses, steps, filters, and goes on, by mouse and by keyboard', async () => {
    const world = await watched();
    const { page, script } = world;
    const session = await opened(world);
    const turn = session.prompt('go');
    await becomes(() => lit(page), ['turn.running']);
    await page.keyboard.press('Space');
    await becomes(() => page.locator('#status').textContent(), 'paused');
    script.chunk('s-1', 'one');
    script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    await page.locator('#pause', { hasText: /^Go on \(\+\d+\)$/ }).waitFor();
    expect(await lit(page)).toEqual(['turn.running']);

    await page.keyboard.press('Shift+ArrowLeft');
    await becomes(
      () => page.locator('#caption').textContent(),
      'connection / session.1 user.prompt → open.turns.prompting',
    );
    await page.keyboard.press('Home');
    await becomes(() => lit(page), []);
    await page.keyboard.press('Shift+ArrowRight');
    await becomes(() => page.locator('[data-actor]').count(), 1);
    await page.locator('#last').click();
    await becomes(() => lit(page), ['session.open.permissions.deciding', 'session.open.turns.idle']);
    await page.locator('#pause').click();
    await becomes(() => page.locator('#status').textContent(), 'live');

    await page.keyboard.press('/');
    await page.keyboard.type('session/new');
    await becomes(() => page.locator('.row').count(), 2);
    await page.keyboard.press('Escape');
    await page.locator('.chip[data-group="transitions"]').click();
    await becomes(() => page.locator('.row.step').count(), 0);
    expect(await page.locator('.row.frame').count()).toBeGreaterThan(4);
    await page.keyboard.press('1');
    await becomes(() => lit(page), ['connection.live.ready.open']);
    await page.keyboard.press('?');
    await page.locator('dialog[open]').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('d');
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  }, 30_000);

  it('opens a recording that is dropped on it, and steps through that', async () => {
    const file = join(folder(), 'run.jsonl');
    const world = await watched({ recorder: recorder(file) });
    const { page, script, agent } = world;
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    await agent.close();
    await page.locator('.row.closed').waitFor();
    const drop = (name: string, text: string): Promise<void> =>
      page.evaluate(
        ([called, content]) => {
          const { document, DataTransfer, DragEvent } = globalThis as any;
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([content], called));
          for (const type of ['dragenter', 'dragover', 'drop']) {
            document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
          }
        },
        [name, text] as const,
      );
    await drop('notes.txt', 'nothing of ours');
    await becomes(() => page.locator('#status').textContent(), 'notes.txt: this is not a recording of acp-turnstile');
    await drop('run.jsonl', readFileSync(file, 'utf8'));
    await becomes(() => page.locator('#status').textContent(), 'recording run.jsonl');
    await becomes(() => actor(page, 'connection/session.1/turn'), 'ended');
    for (let steps = 0; (await lit(page))[0] !== 'turn.running' && steps < 40; steps += 1) {
      await page.keyboard.press('Shift+ArrowLeft');
      await page.waitForTimeout(20);
    }
    expect(await lit(page)).toEqual(['turn.running']);
    await page.locator('#back').click();
    await becomes(() => page.locator('#status').textContent(), 'the connection is over: closed');
  }, 30_000);

  it('says when the connection is over and when the inspector has gone, and keeps the history', async () => {
    const world = await watched();
    const { page, script, view, agent } = world;
    await opened(world);
    script.pipe.end();
    await agent.closed;
    await becomes(() => page.locator('#status').textContent(), 'the connection is over: agent-exited');
    await view.close();
    const gone = 'the connection is over: agent-exited; the inspector has ended, the history stays here';
    await becomes(() => page.locator('#status').textContent(), gone);
    expect(await page.locator('.row.request').count()).toBe(2);
    await page.keyboard.press('Home');
    await becomes(() => lit(page), []);
  }, 30_000);
});
