/** The live page, in code. Node's server is loaded when one is asked for. */
import { systemClock, type Clock } from '../framing/clock.js';
import { BadArgument } from '../rpc/badArgument.js';
import type { Observer } from './observer.js';

export interface InspectorOptions {
  /** Default: one that is free. */
  port?: number | undefined;
  /** Show the text of prompts, messages, files and tools too. Default: only ids, kinds and sizes. */
  withText?: boolean | undefined;
  clock?: Clock | undefined;
}

/** Watches one connection at a time: `connect({ recorder: view })`. A later one takes the place of the one before. */
export interface Inspector extends Observer, AsyncDisposable {
  /** Of the page. It holds a secret: whoever knows it, on this machine, can look. */
  readonly url: string;
  readonly port: number;
  /** Ends the server; open pages keep what they show. Idempotent, never rejects. */
  close(): Promise<void>;
}

/** Throws `BadArgument`; rejects with what listening throws. */
export async function inspector(options: InspectorOptions = {}): Promise<Inspector> {
  const { port: wanted = 0, withText = false, clock = systemClock } = options;
  if (!Number.isInteger(wanted) || wanted < 0 || wanted > 65_535) throw new BadArgument('port');
  const { servePage } = await import('./live/server.js');
  const page = await servePage({ port: wanted, withText, clock });
  const { feed, url, port } = page;
  const close = (): Promise<void> => page.close();
  const { opened, frame, skipped, transition, decision, closed } = feed;
  return {
    ...{ opened, frame, skipped, transition, decision, closed },
    ...{ url, port, close, [Symbol.asyncDispose]: close },
  };
}
