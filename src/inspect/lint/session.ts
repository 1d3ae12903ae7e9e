/** What the lint keeps of one session. */
import type { Asked } from './breach.js';

export class SessionBook {
  /** The agent has opened it, or the client takes it for open, which was told. */
  open = false;
  /** `session/load` and the like that are not answered, during which updates are replay. */
  readonly opening = new Set<Asked>();
  readonly prompts = new Set<Asked>();
  /** Announced in it; updates of another are of nothing. */
  readonly tools = new Set<string>();
  /** Version 2: a prompt was accepted, and its turn goes on until the next idle. */
  accepted = false;
  /** Version 2: the agent's last word on what it does. */
  state: string | undefined;
  /** The turn was cancelled by the client, in this line. */
  cancelledIn: number | undefined;
  closedIn: number | undefined;
  /** What ended last, and in which line. */
  ended: { what: string; line: number } | undefined;
  /** An update was late, and those after it are the same lateness. */
  lateTold = false;

  /** Updates belong to something. */
  get busy(): boolean {
    const atWork = this.state !== undefined && this.state !== 'idle';
    return this.opening.size > 0 || this.prompts.size > 0 || this.accepted || atWork;
  }

  endedBy(what: string, line: number): void {
    this.ended = { what, line };
    this.lateTold = false;
  }
}
