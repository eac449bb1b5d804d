const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/** How long after midnight (UTC) a source continues that has used up its calls for a day, in milliseconds. */
const AFTER_RESET_MS = 5 * MINUTE_MS;

/**
 * When a source is synced next, as ISO 8601 in UTC.
 * @param last when the last sync began, in epoch milliseconds
 * @param now epoch milliseconds
 * @returns null without a schedule
 */
export const nextSyncAt = (scheduleMinutes: number | null, last: number, now: number): string | null =>
  scheduleMinutes === null
    ? null
    : new Date(Math.max(last + scheduleMinutes * MINUTE_MS, now + MINUTE_MS)).toISOString();

/** When a source may make calls again on the next day. Vendors count days in UTC. @param now epoch milliseconds */
export const nextDayAt = (now: number): string => {
  const day = DAY_MINUTES * MINUTE_MS;
  return new Date((Math.floor(now / day) + 1) * day + AFTER_RESET_MS).toISOString();
};

/**
 * A warning when a schedule would need more than half of the calls that a small plan of the vendor allows in a day. The
 * other half is for people and other sources.
 * @param calls of one sync
 */
export const scheduleWarning = (
  scheduleMinutes: number | null,
  calls: number,
  callsPerDay: number | null,
): string | null => {
  if (scheduleMinutes === null || callsPerDay === null) return null;
  const needed = Math.ceil((DAY_MINUTES / scheduleMinutes) * calls);
  if (needed <= callsPerDay / 2) return null;
  return `The schedule needs about ${needed} requests a day; small plans of the vendor allow ${callsPerDay}.`;
};
