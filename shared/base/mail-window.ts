import { optionalEnvironment } from './environment.ts';

/** How long a mail waits for more news for its recipient by default, in seconds. */
const DEFAULT_WINDOW = 300;

/** SQS holds a task back no longer than this, in seconds (Amazon SQS, "Message timers"). */
const MAX_WINDOW = 900;

/** How long a mail waits for more news for its recipient, in seconds. */
export const mailWindow = (): number => {
  const seconds = Number(optionalEnvironment('MAIL_WINDOW_SECONDS') ?? DEFAULT_WINDOW);
  return Math.min(Math.max(0, seconds), MAX_WINDOW);
};
