/** Ports that throw, which no port of ours does: what only a broken one makes a chart do is reached so. */
export class Faults {
  readonly #undo: (() => void)[] = [];

  /** The next call of it throws. */
  throwsOnce<T extends object>(prototype: T, port: keyof T): void {
    const whole = prototype[port];
    const heal = (): void => void (prototype[port] = whole);
    prototype[port] = (() => {
      heal();
      throw new Error('a port threw');
    }) as T[keyof T];
    this.#undo.push(heal);
  }

  restore(): void {
    for (const heal of this.#undo.splice(0).reverse()) heal();
  }
}
