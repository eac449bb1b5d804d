import { Temporal } from 'temporal-polyfill';
import type { OccurrenceWarning } from '../../schemas/recurrence.ts';

const iso = (time: { epochMilliseconds: number }): string => new Date(time.epochMilliseconds).toISOString();

/**
 * The moment at which the clocks of a zone show a time. A time that they skip moves forward by as much as they do; of
 * one that they show twice the first counts. (RFC 5545, section 3.3.5, says the same.)
 * @param local such as "2027-03-28T03:30"
 * @param zone an IANA time zone
 * @returns the moment in UTC, and a warning where the clocks do not show the time exactly once
 */
export const momentOf = (
  local: string,
  zone: string,
): { starts_at: string; warning: OccurrenceWarning | null } => {
  const wall = Temporal.PlainDateTime.from(local);
  const first = wall.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const second = wall.toZonedDateTime(zone, { disambiguation: 'later' });
  if (first.epochMilliseconds === second.epochMilliseconds) return { starts_at: iso(first), warning: null };
  return first.toPlainDateTime().equals(wall)
    ? { starts_at: iso(first), warning: 'first_of_two' }
    : { starts_at: iso(second), warning: 'moved_forward' };
};

/**
 * A moment, later by a duration. Days and longer units keep the time of day on the clocks of the zone; hours and minutes
 * are exact (RFC 5545, section 3.3.6).
 * @param moment in UTC, and so is the result
 * @param duration an ISO 8601 duration, such as "P1D"
 */
export const addDuration = (moment: string, duration: string, zone: string): string =>
  iso(Temporal.Instant.from(moment).toZonedDateTimeISO(zone).add(Temporal.Duration.from(duration)));

/** The date on the clocks of a zone at a moment. */
export const localDate = (moment: string, zone: string): string =>
  Temporal.Instant.from(moment).toZonedDateTimeISO(zone).toPlainDate().toString();

/** A date, later by some days; earlier where they are negative. */
export const addDays = (date: string, days: number): string =>
  Temporal.PlainDate.from(date).add({ days }).toString();
