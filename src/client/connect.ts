import { resolve } from 'node:path';
import type { Hub } from '../join/hub.js';
import type { Settings } from '../join/settings.js';
import type { Events } from '../join/listeners.js';
import { BadArgument } from '../rpc/badArgument.js';
import { checkTools } from '../session/tools.js';
import type { Agent } from './agent.js';
import { AgentHandle } from './agentHandle.js';
import { acpError, type AgentText } from './errors.js';
import type { ConnectOptions } from './options.js';
import { settingsOf } from './settings.js';

/**
 * Starts an agent (or takes your streams) and does the handshake: `initialize`, with a second offer where the first is
 * refused.
 *
 * Rejects with one `AcpError` whatever part failed: `invalid-argument` before anything was started, `spawn-failed`,
 * `agent-exited` with `exit`, a bound (`idle`, `absolute`, `request-limit`) with `budget`, `version-unsupported`,
 * `auth-required`, `agent-error`, `protocol`, `frame-too-large`, `io`, `write-timeout`; or with the reason of `signal`.
 * It rejects at once; the process, if there is one, is ended in its stages behind it.
 */
export async function connect(options: ConnectOptions): Promise<Agent> {
  let hub: Hub | undefined;
  const toError: Settings['toError'] = (failure) => {
    const link = hub?.link;
    const exposes = options?.exposeAgentText === true;
    const text: AgentText | undefined = exposes
      ? {
          ...(failure.said?.message === undefined ? {} : { message: failure.said.message }),
          ...(failure.said?.data === undefined ? {} : { data: failure.said.data }),
          stderr: link?.process?.stderr.tail() ?? '',
        }
      : undefined;
    return acpError(failure, link?.stats, text);
  };
  try {
    const settings = settingsOf(options, toError);
    const { signal, cwd, tools, on } = options;
    if (signal !== undefined && !(signal instanceof AbortSignal)) throw new BadArgument('signal');
    const declared = tools === undefined ? undefined : checkTools(tools, settings.client.name);
    if (declared && !declared.ok) {
      const { code, server } = declared;
      throw toError({ kind: 'invalid-argument', phase: 'spawn', argument: 'tools', detail: { code, server } });
    }
    signal?.throwIfAborted();
    // With the charts and XState, most of what there is to load: an import alone is not to cost it.
    const { Hub: Connection } = await import('../join/hub.js');
    signal?.throwIfAborted();
    hub = new Connection(settings);
    for (const [name, fn] of Object.entries(on ?? {})) {
      if (fn !== undefined) hub.link.listeners.on(name as keyof Events, fn);
    }
    await start(hub, signal);
    return new AgentHandle(hub, {
      cwd: cwd === undefined ? undefined : resolve(cwd),
      tools: declared?.servers,
    });
  } catch (thrown) {
    if (!(thrown instanceof BadArgument)) throw thrown;
    const { argument, offered } = thrown;
    throw toError({ kind: 'invalid-argument', phase: 'spawn', argument, offered });
  }
}

async function start(hub: Hub, signal: AbortSignal | undefined): Promise<void> {
  const onAbort = (): void => void hub.close();
  signal?.addEventListener('abort', onAbort, { once: true });
  void hub.closed.then(() => signal?.removeEventListener('abort', onAbort));
  try {
    await hub.connect();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
