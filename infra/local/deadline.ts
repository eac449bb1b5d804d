/** A time limit for one piece of work. */
export interface Deadline {
  /** The work's own outcome; rejects once the time is up. */
  limit<Value>(work: Promise<Value>): Promise<Value>;
  /** Stops the clock. */
  clear(): void;
}

/** Starts a time limit of this many milliseconds; work that exceeds it rejects with the error that `late` makes. */
export const startDeadline = (milliseconds: number, late: () => Error): Deadline => {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), milliseconds);
  return {
    limit: (work) => Promise.race([work, promise]),
    clear: () => clearTimeout(timer),
  };
};
