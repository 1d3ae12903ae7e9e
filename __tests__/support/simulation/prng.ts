/** mulberry32: small, fast, and the same everywhere. One of these drives a whole world. */
export interface Prng {
  /** In [0, 1). */
  next(): number;
  /** An integer in [0, n). */
  int(n: number): number;
  /** An integer in [low, high]. */
  between(low: number, high: number): number;
  chance(p: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** One of the rows `[weight, item]`, by weight. */
  weighted<T>(rows: readonly (readonly [number, T])[]): T;
}

export function prng(seed: number): Prng {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const int = (n: number): number => Math.floor(next() * n);
  return {
    next,
    int,
    between: (low, high) => low + int(high - low + 1),
    chance: (p) => next() < p,
    pick: <T>(from: readonly T[]): T => from[int(from.length)] as T,
    weighted: <T>(rows: readonly (readonly [number, T])[]): T => {
      let left = next() * rows.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, item] of rows) {
        left -= weight;
        if (left < 0) return item;
      }
      return (rows.at(-1) as readonly [number, T])[1];
    },
  };
}
