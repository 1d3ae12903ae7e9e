import { text } from 'node:stream/consumers';
import { addAbortSignal, type Readable } from 'node:stream';

/** All of stdin. Undefined: it was given up. */
export async function readPrompt(stdin: Readable, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await text(addAbortSignal(signal, stdin));
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
