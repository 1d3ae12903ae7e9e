/** `acp-turnstile/inspector`, by itself: nothing that `acp-turnstile` leads to can open a port. */
import { refused } from './client/refused.js';
import { inspector as livePage, type Inspector, type InspectorOptions } from './inspect/inspector.js';

export type { Inspector, InspectorOptions };

/**
 * A live page of one connection, served on 127.0.0.1 alone: `const view = await inspector()`, then `connect({ recorder: view })`
 * and `view.url` in a browser. It shows ids, kinds and sizes; text only `withText`. Rejects with `invalid-argument`, or with
 * what listening throws (`EADDRINUSE` for a port that is taken).
 */
export async function inspector(options?: InspectorOptions): Promise<Inspector> {
  try {
    return await livePage(options);
  } catch (thrown) {
    throw refused(thrown);
  }
}
