/** Only the clock of this process is moved: everything else goes on as it does. */
const GOES_ON: Parameters<typeof jest.useFakeTimers>[0] = {
  doNotFake: [
    'hrtime',
    'nextTick',
    'performance',
    'queueMicrotask',
    'setImmediate',
    'clearImmediate',
    'setInterval',
    'clearInterval',
    'setTimeout',
    'clearTimeout',
  ],
};

/**
 * A clock that stands still until a test lets time pass.
 * @param start when each test begins, ISO 8601; now if it is left out
 */
export const useClock = (start?: string): { pass: (seconds: number) => void } => {
  beforeEach(() => {
    jest.useFakeTimers({ ...GOES_ON, now: start === undefined ? Date.now() : Date.parse(start) });
  });
  afterEach(() => void jest.useRealTimers());
  return { pass: (seconds) => jest.setSystemTime(Date.now() + seconds * 1_000) };
};

/** Lets the clock go from another time, until `jest.useRealTimers()`. @param now epoch milliseconds */
export const startClock = (now: number): void => {
  jest.useFakeTimers({ ...GOES_ON, now, advanceTimers: true });
};
