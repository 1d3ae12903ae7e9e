/** Counters of one connection, readable at any time. All only ever grow. */
export interface Stats {
  /** Well-shaped messages received. */
  framesIn: number;
  /** Messages handed to the writer. */
  framesOut: number;
  bytesIn: number;
  bytesOut: number;
  /** Lines that were neither blank nor a message. */
  skippedFrames: number;
  /** Messages delivered although they held invalid UTF-8 (decoded to U+FFFD). */
  repairedFrames: number;
  /** Answers whose id matches no request still owed. */
  strayResponses: number;
  /** Updates of an open session in which a turn has ended and none is running. */
  lateUpdates: number;
  /** Updates of a kind that the library does not know; they are handed over all the same. */
  unknownUpdates: number;
  /** Known kinds that could not be read; they are handed over raw, as `unknown`. */
  malformedUpdates: number;
  /** Updates dropped because their session id was never known. */
  strayUpdates: number;
  /** Updates dropped because their session is closed. */
  closedUpdates: number;
  listenerErrors: number;
  slowListeners: number;
}

export function newStats(): Stats {
  return {
    framesIn: 0,
    framesOut: 0,
    bytesIn: 0,
    bytesOut: 0,
    skippedFrames: 0,
    repairedFrames: 0,
    strayResponses: 0,
    lateUpdates: 0,
    unknownUpdates: 0,
    malformedUpdates: 0,
    strayUpdates: 0,
    closedUpdates: 0,
    listenerErrors: 0,
    slowListeners: 0,
  };
}
