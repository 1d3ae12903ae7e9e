/** What `run` shows while it runs. One form for people, one for programs. */
import type { AcpError, Agent, Decision, Session, Stats, TurnResult, Update, Where } from '../index.js';

export interface RunView {
  connected(agent: Agent): void;
  opened(session: Session): void;
  state(of: 'connection' | 'session', state: string): void;
  /** A promise holds the agent back until its reader has caught up. */
  update(update: Update, where: Where): void | Promise<void>;
  decision(decision: Decision): void;
  result(result: TurnResult, stats: Stats, exitCode: number): void;
  failed(error: AcpError, exitCode: number): void;
  /** Everything was closed before there was a result: by a signal, or because nobody reads the output any more. */
  interrupted(signal: string | undefined, exitCode: number): void;
}
