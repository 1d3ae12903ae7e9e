/** What can go wrong on the way from an agent to us, put into a replay. */

/** An integer in [0, n), the next of a repeatable row. */
type Below = (n: number) => number;

function mulberry32(seed: number): Below {
  let state = seed >>> 0;
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

export interface Fault {
  /** Seed: the bytes come cut and glued at random. */
  chunks?: number;
  /** Seed: lines that are no frames come between the frames. */
  garbage?: number;
  /** After this many frames of the agent its stream ends, or it says nothing any more and does not leave either. */
  after?: { frames: number; how: 'cut' | 'stall' };
}

/** Lines that are no message. Blank ones are separators and not counted (rule 2 of the semantics). */
const GARBAGE: readonly (readonly [line: string, counted: 0 | 1])[] = [
  ['Loaded cached credentials.', 1],
  ['[DEBUG] {"jsonrpc":"2.0","method":"session/update","params":{}}', 1],
  ['{"jsonrpc":"2.0","id":1,"method":', 1],
  ['{"jsonrpc":"2.0"}', 1],
  ['{"error":{"code":-32700,"message":"Parse error"}}', 1],
  ['[{"jsonrpc":"2.0","id":1,"result":{}}]', 1],
  ['[]', 1],
  ['{}', 1],
  ['42', 1],
  ['null', 1],
  ['"text"', 1],
  ['\u0000\u0007\ufffd', 1],
  ['', 0],
  ['   \t', 0],
  ['\r', 0],
];

const NOTHING = new Uint8Array();

/** Brings the lines of an agent to the client as the fault says. */
export class Wire {
  /** Garbage lines so far that the client has to count. */
  garbage = 0;
  readonly #push: (bytes: Uint8Array) => void;
  readonly #chunks: Below | undefined;
  readonly #garbage: Below | undefined;
  readonly #encoder = new TextEncoder();
  #rest: Uint8Array = NOTHING;

  constructor(push: (bytes: Uint8Array) => void, { chunks, garbage }: Fault) {
    this.#push = push;
    this.#chunks = chunks === undefined ? undefined : mulberry32(chunks);
    this.#garbage = garbage === undefined ? undefined : mulberry32(garbage);
  }

  /** `more`: another line follows at once, so that the end of this one may come with it. */
  line(text: string, more: boolean): void {
    const garbage = this.#garbage;
    let lines = `${text}\n`;
    while (garbage && garbage(5) < 2) {
      const [line, counted] = GARBAGE[garbage(GARBAGE.length)]!;
      lines = garbage(2) === 0 ? `${line}\n${lines}` : `${lines}${line}\n`;
      this.garbage += counted;
    }
    const bytes = this.#encoder.encode(lines);
    if (this.#chunks) this.#cut(this.#chunks, bytes, more);
    else this.#push(bytes);
  }

  /** What is still held back comes now. */
  flush(): void {
    if (this.#rest.length > 0) this.#push(this.#rest);
    this.#rest = NOTHING;
  }

  #cut(below: Below, bytes: Uint8Array, more: boolean): void {
    const all = new Uint8Array(this.#rest.length + bytes.length);
    all.set(this.#rest);
    all.set(bytes, this.#rest.length);
    const sizes = all.length < 600 ? [1, 5, 40, 400] : [200, 2_000, 20_000];
    const largest = sizes[below(sizes.length)]!;
    let at = 0;
    while (at < all.length) {
      const end = Math.min(all.length, at + 1 + below(largest));
      if (end === all.length && more && below(5) < 3) break;
      this.#push(all.slice(at, end));
      at = end;
    }
    this.#rest = all.slice(at);
  }
}
