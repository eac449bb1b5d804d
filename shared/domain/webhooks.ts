import { type EventType, isSent } from '../schemas/event-data.ts';

/** Whether a type is among these names: `*`, `inspection.*` or types. */
export const isNamed = (names: readonly string[], type: string): boolean =>
  names.some(
    (each) => each === '*' || each === type || (each.endsWith('.*') && type.startsWith(each.slice(0, -1))),
  );

/** Whether events of a type are sent to an endpoint. @param types what it subscribes to */
export const isSubscribed = (types: readonly string[], type: EventType): boolean =>
  isSent(type) && isNamed(types, type);

/**
 * How long a delivery waits after each failed attempt, in milliseconds. The delivery fails with the attempt after
 * these.
 */
const RETRY_WAITS_MS = [5, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400].map((seconds) => seconds * 1_000);

/**
 * The maximum additional wait, as a share of the wait. Deliveries that failed together are therefore not repeated
 * together.
 */
const JITTER = 0.2;

/**
 * The longest time between two probes of an endpoint that fails, in milliseconds. A probe is the next attempt of one
 * delivery; all others wait for its success.
 */
const MAX_PROBE_WAIT_MS = 300_000;

/** For how long an endpoint may fail without a success before it is disabled, in milliseconds: 3 days. */
const MAX_FAILING_MS = 3 * 86_400_000;

/** The status by which an endpoint says that it is gone for good (RFC 9110, section 15.5.11). */
const GONE = 410;

const jittered = (wait: number): number => Math.round(wait * (1 + JITTER * Math.random()));

/**
 * How long a delivery waits for its next attempt, in milliseconds; undefined when there is none.
 * @param attempts so far
 */
export const retryWait = (attempts: number): number | undefined => {
  const wait = RETRY_WAITS_MS[attempts - 1];
  return wait === undefined ? undefined : jittered(wait);
};

/** How long an endpoint waits for its next probe, in milliseconds. @param failures in a row */
export const probeWait = (failures: number): number =>
  jittered(Math.min(RETRY_WAITS_MS[failures - 1] ?? MAX_PROBE_WAIT_MS, MAX_PROBE_WAIT_MS));

/** The health of an endpoint. */
export interface Health {
  failures: number;
  failing_since: string | null;
  last_success_at: string | null;
  last_failure: { at: string; status_code: number | null; message: string } | null;
  probe_at: string | null;
}

/** The outcome of an attempt. */
interface AttemptOutcome {
  at: string;
  status_code: number | null;
  /** Null for a success. */
  error: string | null;
}

/**
 * The health of an endpoint after attempts that were made at the same time. A success among them means that the
 * endpoint works.
 */
export const healthAfter = (before: Health, outcomes: readonly AttemptOutcome[], now: number): Health => {
  const failed = outcomes.findLast(({ error }) => error !== null);
  const succeeded = outcomes.findLast(({ error }) => error === null);
  const last_failure = failed
    ? { at: failed.at, status_code: failed.status_code, message: failed.error! }
    : before.last_failure;
  if (succeeded) {
    return { failures: 0, failing_since: null, last_success_at: succeeded.at, last_failure, probe_at: null };
  }
  if (!failed) return before;
  const failures = before.failures + 1;
  return {
    failures,
    failing_since: before.failing_since ?? failed.at,
    last_success_at: before.last_success_at,
    last_failure,
    probe_at: new Date(now + probeWait(failures)).toISOString(),
  };
};

/** Why an endpoint is disabled after some attempts; undefined when it is not. */
export const reasonToDisable = (
  { failing_since }: Health,
  outcomes: readonly AttemptOutcome[],
  now: number,
): 'gone' | 'failing' | undefined => {
  if (outcomes.some(({ status_code }) => status_code === GONE)) return 'gone';
  if (failing_since !== null && now - Date.parse(failing_since) >= MAX_FAILING_MS) return 'failing';
  return undefined;
};
