/** Whose traffic a session id is (rule 18), and what it means that it is nobody's. */
import type { Link } from './link.js';
import type { Owned, Seats } from './seats.js';

/** A session's, a closed one's, nobody's. */
export type Owner = Owned | 'closed' | 'unknown';

export class Owners {
  constructor(
    readonly link: Link,
    readonly seats: Seats,
  ) {}

  of(id: string | undefined): Owner {
    const known = id === undefined ? undefined : this.seats.owned(id);
    if (known) return known;
    const only = this.link.settings.scope === 'accept' ? this.seats.only() : undefined;
    if (only) return { seat: only };
    return id !== undefined && this.seats.wasClosed(id) ? 'closed' : 'unknown';
  }

  /** An update that is nobody's. */
  stray(owner: 'closed' | 'unknown'): void {
    const { stats } = this.link;
    if (owner === 'closed') stats.closedUpdates += 1;
    else {
      stats.strayUpdates += 1;
      this.mismatch();
    }
  }

  /** Strict scope: an id that is nobody's is past trusting the agent. */
  mismatch(): void {
    const { link } = this;
    if (link.settings.scope === 'strict') link.tell({ type: 'transport.fatal', reason: 'scope-mismatch' });
  }
}
