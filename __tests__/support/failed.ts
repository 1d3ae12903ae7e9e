import type { AcpError } from '../../src/index.js';

/** The error that a call must end with. */
export const failed = (promise: Promise<unknown>): Promise<AcpError> =>
  promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error as AcpError,
  );
