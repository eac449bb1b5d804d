/** Only the clock of this process is moved: everything else goes on as it does. */
export const useClock = (): { pass: (seconds: number) => void } => {
  beforeEach(() => {
    jest.useFakeTimers({
      now: Date.now(),
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
    });
  });
  afterEach(() => void jest.useRealTimers());
  return { pass: (seconds) => jest.setSystemTime(Date.now() + seconds * 1_000) };
};
