/**
 * Mutants made by hand: what a person might get wrong in the charts and the join. What is replaced stands exactly once in
 * the file (a row that does not fit any more is an error); `says` is the promise that is broken.
 */
import { turnMutants } from './table/turn.mjs';
import { turnsOfSessionMutants } from './table/turnsOfSession.mjs';
import { questionsMutants } from './table/questions.mjs';
import { sessionMutants } from './table/session.mjs';
import { connectionMutants } from './table/connection.mjs';
import { processMutants } from './table/process.mjs';
import { joinMutants } from './table/join.mjs';

export const table = [
  ...turnMutants,
  ...turnsOfSessionMutants,
  ...questionsMutants,
  ...sessionMutants,
  ...connectionMutants,
  ...processMutants,
  ...joinMutants,
];
