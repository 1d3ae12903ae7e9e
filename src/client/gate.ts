/** What stands before every call: the embedding program's mistakes are told before anything is sent. */
import { BadArgument } from '../rpc/badArgument.js';
import { badBound, Budget } from '../policy/budget.js';
import { CAPABILITY_OF_CALL, type GatedCall } from '../session/capabilities.js';
import { requiredCapabilities, toBlocks } from '../session/content.js';
import { advertisesLogout } from '../wire/capabilities.js';
import { isObject } from '../wire/values.js';
import type { CallOptions } from '../join/calls.js';
import type { Phase } from '../join/failure.js';
import type { Link } from '../join/link.js';

export class Gate {
  constructor(readonly link: Link) {}

  /** Does the agent advertise it? Paths are v1's, in v2 too. */
  advertises(path: string): boolean {
    const { dialect, facts } = this.link;
    if (path === CAPABILITY_OF_CALL.logout) return advertisesLogout(facts);
    return dialect.advertises(facts.capabilities, path);
  }

  /** Advertised, and not found missing when it was called. */
  serves(call: GatedCall): boolean {
    const { dialect, missing } = this.link;
    return this.advertises(CAPABILITY_OF_CALL[call]) && !missing.has(dialect.methodOf(call));
  }

  need(path: string, phase: Phase, sessionId?: string): void {
    if (this.advertises(path)) return;
    throw this.link.error({ kind: 'capability-absent', phase, capability: path, sessionId });
  }

  needCall(call: GatedCall, phase: Phase, sessionId?: string): void {
    if (this.serves(call)) return;
    throw this.link.error({ kind: 'capability-absent', phase, capability: CAPABILITY_OF_CALL[call], sessionId });
  }

  /** Runs a check of a lower floor; what it finds bad becomes the public error. */
  legal<T>(phase: Phase, check: () => T): T {
    try {
      return check();
    } catch (thrown) {
      if (!(thrown instanceof BadArgument)) throw thrown;
      const { argument, offered } = thrown;
      throw this.link.error({ kind: 'invalid-argument', phase, argument, offered });
    }
  }

  refuse(argument: string, phase: Phase, offered?: readonly string[]): never {
    throw this.link.error({ kind: 'invalid-argument', phase, argument, offered });
  }

  object(value: unknown, argument: string, phase: Phase = 'request'): void {
    if (!isObject(value)) this.refuse(argument, phase);
  }

  /** The content blocks of a prompt; what the agent does not take is refused by the argument and the capability. */
  blocks(prompt: unknown, context: unknown, sessionId: string | undefined): readonly unknown[] {
    const embeds = this.advertises('promptCapabilities.embeddedContext');
    const blocks = this.legal('turn', () => toBlocks(prompt, context, embeds));
    const absent = requiredCapabilities(blocks).find((path) => !this.advertises(path));
    if (absent === undefined) return blocks;
    const argument = 'prompt';
    throw this.link.error({ kind: 'capability-absent', phase: 'turn', capability: absent, argument, sessionId });
  }

  /** The last argument of every call. */
  call(options: CallOptions | undefined, phase: Phase = 'request'): void {
    if (options === undefined) return;
    this.object(options, 'options', phase);
    const { budget, signal } = options;
    const bad = budget === undefined || budget instanceof Budget ? undefined : badBound(budget);
    if (bad !== undefined) this.refuse(bad === 'bounds' ? 'budget' : `budget.${bad}`, phase);
    if (signal !== undefined && !(signal instanceof AbortSignal)) this.refuse('signal', phase);
  }
}
