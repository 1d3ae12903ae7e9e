/** The server of the live page: a few files, and one stream of what happens. */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../framing/clock.js';
import { assets } from './assets.js';
import { Feed } from './feed.js';
import { Gate, HEADERS } from './gate.js';
import { Viewers } from './viewers.js';

const HOST = '127.0.0.1';
const STREAM = 'events';

export interface PageOptions {
  port: number;
  withText: boolean;
  clock: Clock;
}

export interface Page {
  feed: Feed;
  port: number;
  url: string;
  close(): Promise<void>;
}

/** Rejects with what listening throws: the port is taken, or not ours to take. */
export async function servePage({ port: wanted, withText, clock }: PageOptions): Promise<Page> {
  const gate = new Gate();
  const files = assets();
  const feed: Feed = new Feed({ withText, changed: () => viewers.changed(), turned: () => viewers.turned() });
  const viewers = new Viewers(feed, clock);

  const refuse = (response: ServerResponse, status: number): void => {
    response.writeHead(status, { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(`${status}\n`);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = gate.pass(request, port);
    if (typeof path === 'number') return refuse(response, path);
    if (path === STREAM) {
      if (request.method !== 'GET') return refuse(response, 405);
      if (viewers.full) return refuse(response, 503);
      viewers.add(response, request.headers['last-event-id']?.toString());
      return;
    }
    const asset = files.get(path);
    if (!asset) return refuse(response, 404);
    const body = await readFile(asset.file);
    response.writeHead(200, { ...HEADERS, 'Content-Type': asset.type, 'Content-Length': body.length });
    response.end(request.method === 'HEAD' ? undefined : body);
  };

  const server: Server = createServer((request, response) => {
    answer(request, response).catch(() => {
      if (!response.headersSent) refuse(response, 500);
      else response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, HOST, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  // The page of a connection is no reason for the embedding program to go on.
  server.unref();
  const { port } = server.address() as AddressInfo;

  let closing: Promise<void> | undefined;
  return {
    feed,
    port,
    url: `http://${HOST}:${port}/${gate.token}/`,
    close: () =>
      (closing ??= new Promise<void>((resolve) => {
        viewers.close();
        server.close(() => resolve());
        server.closeIdleConnections();
        // What a page does not take in by then is lost to it.
        const handle = clock.setTimeout(() => server.closeAllConnections(), 500);
        server.once('close', () => clock.clearTimeout(handle));
      })),
  };
}
