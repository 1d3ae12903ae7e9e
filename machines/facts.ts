/** The small facts that the charts hand to each other. All of them are error kinds or counts; none is agent text. */

/** The bounds that can end a wait. */
export type Bound = 'idle' | 'absolute' | 'request-limit';

/** Why a connection is over. */
export type Loss =
  | Bound
  | 'closed'
  | 'spawn-failed'
  | 'agent-exited'
  | 'io'
  | 'frame-too-large'
  | 'write-timeout'
  | 'protocol'
  | 'version-unsupported'
  | 'auth-required'
  | 'agent-error'
  | 'cancel-unconfirmed'
  | 'scope-mismatch';

/** What can fail a turn. */
export type TurnFailure = Loss;

/** What a finished turn or session leaves behind: `wedged` climbs to the connection, which closes. */
export type Leaves = 'usable' | 'wedged' | 'gone';
