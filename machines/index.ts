/** The charts, as they run. They are the documentation of the lifecycle, and they can be drawn, walked and provided. */
export { connectionMachine } from './connection.js';
export type { ConnectionContext, ConnectionEvent, ConnectionInput, ConnectionOutput } from './connectionSetup.js';
export type { Bound, Leaves, Loss, TurnFailure } from './facts.js';
export { processMachine } from './process.js';
export type { ProcessContext, ProcessEvent, ProcessInput, ProcessOutput } from './process.js';
export type { Dismissal, Question } from './questions.js';
export { sessionMachine } from './session.js';
export type { SessionContext, SessionEvent, SessionInput, SessionOutput } from './sessionSetup.js';
export { turnMachine } from './turn.js';
export type { Settlement, TurnContext, TurnEvent, TurnInput, TurnOutput } from './turn.js';
