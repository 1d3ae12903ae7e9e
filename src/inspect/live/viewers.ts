/** The open pages. Each reads at its own pace from the history: a slow one falls behind alone, and never holds the agent back. */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../framing/clock.js';
import { HEADERS } from './gate.js';
import type { Feed } from './feed.js';

export const MOST_VIEWERS = 16;
/** The eye takes it for at once, and a stream of thousands a second costs five writes a second. */
const SOON_MS = 200;
/** Clocks run down while nothing happens. */
const AT_REST_MS = 1_000;
const MOST_UNSENT_BYTES = 512 * 1024;
const CHUNK_CHARS = 256 * 1024;
const RETRY_MS = 1_000;

interface Viewer {
  response: ServerResponse;
  run: number;
  next: number;
}

export class Viewers {
  readonly #viewers = new Set<Viewer>();
  readonly #feed: Feed;
  readonly #clock: Clock;
  #handle: unknown;
  #soon = false;
  #over = false;

  constructor(feed: Feed, clock: Clock) {
    this.#feed = feed;
    this.#clock = clock;
  }

  get full(): boolean {
    return this.#viewers.size >= MOST_VIEWERS;
  }

  /** `lastId`: what a page that was here before had heard last. */
  add(response: ServerResponse, lastId: string | undefined): void {
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream; charset=utf-8' });
    response.write(`retry: ${RETRY_MS}\n\n`);
    const [run = -1, last = -1] = /^\d+\.\d+$/.test(lastId ?? '') ? (lastId ?? '').split('.').map(Number) : [];
    const viewer: Viewer = { response, run, next: last + 1 };
    this.#viewers.add(viewer);
    // A page that goes amid a write is no fault of anybody's.
    response.on('error', () => {});
    response.once('close', () => {
      this.#viewers.delete(viewer);
      if (this.#viewers.size === 0) this.#sleep();
    });
    response.on('drain', () => this.#send(viewer));
    this.#flush();
  }

  /** There is something new. */
  readonly changed = (): void => {
    if (this.#soon || this.#viewers.size === 0) return;
    this.#soon = true;
    this.#wake(SOON_MS);
  };

  /** It is told now. */
  readonly turned = (): void => {
    if (this.#viewers.size > 0) this.#flush();
  };

  /** Says good-bye to every page; they keep what they have. */
  close(): void {
    this.turned();
    this.#over = true;
    this.#sleep();
    for (const { response } of this.#viewers) response.end('event: bye\ndata: {}\n\n');
    this.#viewers.clear();
  }

  #wake(ms: number): void {
    this.#sleep();
    this.#handle = this.#clock.setTimeout(() => this.#flush(), ms);
    // A page that is open is no reason for the embedding program to go on.
    (this.#handle as { unref?: () => void } | undefined)?.unref?.();
  }

  #sleep(): void {
    if (this.#handle !== undefined) this.#clock.clearTimeout(this.#handle);
    this.#handle = undefined;
  }

  #flush(): void {
    if (this.#over) return;
    this.#feed.settle();
    this.#soon = false;
    const tick = this.#feed.tick;
    const line = tick && `event: tick\ndata: ${JSON.stringify(tick)}\n\n`;
    for (const viewer of this.#viewers) {
      const { response } = viewer;
      // Lines and tick go out in one write.
      response.cork();
      this.#send(viewer);
      if (line !== undefined && response.writableLength < MOST_UNSENT_BYTES) response.write(line);
      response.uncork();
    }
    this.#wake(AT_REST_MS);
  }

  #send(viewer: Viewer): void {
    const { history, run } = this.#feed;
    const { response } = viewer;
    if (run === 0) return;
    if (viewer.run !== run || viewer.next < history.first || viewer.next > history.next) {
      viewer.run = run;
      viewer.next = history.first;
      const [base, missing] = [history.base.join(','), history.first];
      response.write(`event: reset\ndata: {"missing":${missing},"base":[${base}]}\n\n`);
    }
    while (viewer.next < history.next && response.writableLength < MOST_UNSENT_BYTES) {
      const lines = history.from(viewer.next, CHUNK_CHARS);
      viewer.next += lines.length;
      response.write(`id: ${run}.${viewer.next - 1}\nevent: lines\ndata: [${lines.join(',')}]\n\n`);
    }
  }
}
