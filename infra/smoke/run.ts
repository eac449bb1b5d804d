import { newApi } from './client.ts';
import { doMainJob, type Step, type Undo } from './job.ts';

/** How long the job may take, in milliseconds. */
export const MAX_TIME = 50_000;
/** How long the cleaning up may take, in milliseconds. */
export const MAX_CLEANING_TIME = 30_000;
/** How long one attempt of a request may take, in milliseconds. */
const MAX_REQUEST_TIME = 15_000;

/** How one step of the job went. */
export interface Line {
  step: string;
  ok: boolean;
  milliseconds: number;
  error?: string;
}

/** What the job took as a whole. */
export interface Total {
  ok: boolean;
  milliseconds: number;
}

/** The service that is tried. */
interface Tried {
  /** Of the machine API, without `/v1`. */
  url: string;
  /** That reads and writes. */
  key: string;
}

/**
 * Does the main job of a running service, and cleans up behind it, also when a step fails.
 * @param onLine is told of each step when it has ended
 * @param interruption ends the job early; what it has made is deleted even so
 */
export const runSmoke = async (
  { url, key }: Tried,
  onLine: (line: Line) => void,
  interruption?: AbortSignal,
): Promise<Total> => {
  let isWhole = true;
  const step: Step = async (name, work) => {
    const began = performance.now();
    const end = (error?: Error): void => {
      if (error) isWhole = false;
      onLine({
        step: name,
        ok: error === undefined,
        milliseconds: Math.round(performance.now() - began),
        ...(error && { error: error.message }),
      });
    };
    try {
      const result = await work();
      end();
      return result;
    } catch (error) {
      end(error as Error);
      throw error;
    }
  };

  const late = AbortSignal.timeout(MAX_TIME);
  const options = { baseUrl: url.replace(/\/v1\/?$/, ''), apiKey: key, timeout: MAX_REQUEST_TIME };
  const made: { what: string; undo: Undo }[] = [];
  const began = performance.now();
  const api = newApi(options, interruption ? AbortSignal.any([late, interruption]) : late);
  const isDone = await doMainJob({ api, step, onMade: (what, undo) => made.push({ what, undo }) }).then(
    () => true,
    () => false,
  );
  const cleaning = newApi(options, AbortSignal.timeout(MAX_CLEANING_TIME));
  for (const { what, undo } of made.toReversed())
    await step(`clean up: ${what}`, () => undo(cleaning)).catch(() => undefined);
  return { ok: isDone && isWhole, milliseconds: Math.round(performance.now() - began) };
};
