import type { Context } from 'aws-lambda';

/** How much of its time a function keeps for the work after a failure, in milliseconds. */
const TIME_AFTER_FAILURE_MS = 10_000;

/** A task did not end before its time limit. */
export class OutOfTime extends Error {
  override name = 'OutOfTime';
}

/**
 * Ends work before Lambda ends the function, which could then do nothing more for the task. The work itself goes on
 * until the function sleeps; it may be repeated, so this does no harm.
 * @throws OutOfTime
 */
export const inTime = async <Result>(
  context: Pick<Context, 'getRemainingTimeInMillis'> | undefined,
  work: () => Promise<Result>,
): Promise<Result> => {
  if (!context) return work();
  const { promise, reject } = Promise.withResolvers<never>();
  const left = context.getRemainingTimeInMillis() - TIME_AFTER_FAILURE_MS;
  const timer = setTimeout(() => reject(new OutOfTime('the task took too long')), Math.max(0, left));
  try {
    return await Promise.race([work(), promise]);
  } finally {
    clearTimeout(timer);
  }
};
