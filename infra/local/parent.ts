/** Read before the service starts, because the parent may end meanwhile. */
const FIRST_PARENT = process.ppid;

/** How often the parent is looked for, in milliseconds. */
const WATCH_INTERVAL = 500;

/**
 * Calls `onEnd` when npm, which runs the service, has ended without a signal to it, as after SIGKILL. A service that
 * was started without npm may outlive its parent, such as a shell that starts it in the background.
 */
export const watchNpm = (onEnd: () => void): void => {
  if (!process.env['npm_lifecycle_event']) return;
  const timer = setInterval(() => {
    if (process.ppid === FIRST_PARENT) return;
    clearInterval(timer);
    onEnd();
  }, WATCH_INTERVAL);
  timer.unref();
};
