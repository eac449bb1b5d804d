/** Milliseconds between two polls that find nothing: the pause starts at `min` and doubles up to `max`. */
const PAUSE = { min: 25, max: 1_000 };

/** Looks once for work and does it. Resolves to whether there was any. */
export type Poll = () => Promise<boolean>;

/** A poll that is repeated until it is aborted. */
export interface Polling {
  /** Polls again now instead of after the pause. */
  nudge(): void;
  /** Polls now. Resolves to whether the first poll that starts after this call finds work. */
  pollNow(): Promise<boolean>;
  /** Resolves once polling has ended. */
  ended: Promise<void>;
}

/** How often the failures of pollers are told, in milliseconds: while an engine is down, all of them fail all the time. */
const TOLD_MS = 60_000;

/** Calls a function at most once a minute. */
export const onceAMinute = <Args extends unknown[]>(tell: (...args: Args) => void) => {
  let toldAt = -Infinity;
  return (...args: Args): void => {
    if (performance.now() - toldAt < TOLD_MS) return;
    toldAt = performance.now();
    tell(...args);
  };
};

/** Starts to poll: again at once while there is work, and with growing pauses while there is none. */
export const startPolling = (poll: Poll, signal: AbortSignal, onError: (error: unknown) => void): Polling => {
  let next = Promise.withResolvers<boolean>();
  let isNudged = false;
  let wake = () => {};
  const nudge = () => {
    isNudged = true;
    wake();
  };
  const rest = (pause: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pause).unref();
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (isNudged) wake();
    });
  const repeat = async () => {
    let pause = PAUSE.min;
    while (!signal.aborted) {
      const current = next;
      next = Promise.withResolvers();
      if (isNudged) pause = PAUSE.min;
      isNudged = false;
      const worked = await poll().catch((error: unknown) => {
        onError(error);
        return false;
      });
      current.resolve(worked);
      if (worked) {
        pause = PAUSE.min;
      } else if (!signal.aborted) {
        await rest(pause);
        pause = Math.min(pause * 2, PAUSE.max);
      }
    }
    next.resolve(false);
  };
  return {
    nudge,
    pollNow: () => {
      nudge();
      return next.promise;
    },
    ended: repeat(),
  };
};
