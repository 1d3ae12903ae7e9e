/** Works on all items, at most so many at once, in order of the list. Every result has its own promise. */
export function pool<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R>[] {
  let running = 0;
  const waiting: (() => void)[] = [];
  const one = async (item: T): Promise<R> => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work(item);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
  const results = items.map(one);
  // Awaited one after another: a later one that fails meanwhile is no unhandled rejection.
  for (const result of results) result.catch(() => undefined);
  return results;
}
