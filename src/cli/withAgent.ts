/** One agent for as long as a command runs: started, used, closed, whatever comes in between. */
import { turnOfTheLoop } from '../framing/clock.js';
import { AcpError, type Agent, connect, type ConnectOptions } from '../index.js';
import { exitCodeOf } from './exitCodes.js';
import type { Interrupts } from './interrupts.js';

export interface AgentUse {
  options: ConnectOptions;
  interrupts: Interrupts;
  /** Tells of a failure. */
  failed: (error: AcpError) => void;
  /** Gives the exit code. */
  body: (agent: Agent) => Promise<number>;
}

/** The exit code. Rejects only with what is no failure of an agent. */
export async function withAgent({ options, interrupts, failed, body }: AgentUse): Promise<number> {
  let agent: Agent | undefined;
  try {
    agent = await connect({ ...options, signal: interrupts.signal });
    const code = await body(agent);
    return interrupts.exitCode ?? code;
  } catch (error) {
    // What fails because everything was closed is no failure.
    if (interrupts.exitCode !== undefined) return interrupts.exitCode;
    if (!(error instanceof AcpError)) throw error;
    await stderrRead(error, agent);
    failed(error);
    return exitCodeOf(error);
  } finally {
    await agent?.close();
  }
}

/** What the agent wrote to stderr before its answer comes by another pipe, perhaps a moment after it. */
async function stderrRead({ agentText }: AcpError, agent: Agent | undefined): Promise<void> {
  if (!agentText || !agent) return;
  await turnOfTheLoop();
  await turnOfTheLoop();
  agentText.stderr = agent.stderr.tail();
}
