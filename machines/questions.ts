/** Open permission questions, as the session keeps them: a sorted list of small facts. */

export interface Question {
  /** The join's number of the request. */
  request: number;
  /** The turn that it was asked in; 0: none. */
  turn: number;
}

/** Why a question was answered `cancelled`, in the words of the decision ledger. */
export type Dismissal =
  'answer' | 'policy' | 'timeout' | 'threw' | 'not-offered' | 'cancel' | 'bound' | 'withdrawn' | 'closed';

export const isAsked = (questions: readonly Question[], request: number): boolean =>
  questions.some((question) => question.request === request);

export const without = (questions: readonly Question[], request: number): readonly Question[] =>
  questions.filter((question) => question.request !== request);

export const outsideTurn = (questions: readonly Question[], turn: number): readonly Question[] =>
  questions.filter((question) => question.turn !== turn);

export const ofTurn = (questions: readonly Question[], turn: number): readonly number[] =>
  requests(questions.filter((question) => question.turn === turn));

export const requests = (questions: readonly Question[]): readonly number[] =>
  questions.map((question) => question.request);
