import { Temporal } from 'temporal-polyfill';
import type { OccurrenceWarning } from '../../schemas/recurrence.ts';

const iso = (time: { epochMilliseconds: number }): string => new Date(time.epochMilliseconds).toISOString();

interface Moment {
  /** In UTC. */
  starts_at: string;
  /** Where the clocks do not show the time exactly once. */
  warning: OccurrenceWarning | null;
}

/** The clocks change by a day at most. */
const MS_OF_DAY = 86_400_000;

const exactMoment = (local: string, zone: string): Moment & { zoned: Temporal.ZonedDateTime } => {
  const wall = Temporal.PlainDateTime.from(local);
  const first = wall.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const second = wall.toZonedDateTime(zone, { disambiguation: 'later' });
  if (first.epochMilliseconds === second.epochMilliseconds) {
    return { starts_at: iso(first), warning: null, zoned: first };
  }
  return first.toPlainDateTime().equals(wall)
    ? { starts_at: iso(first), warning: 'first_of_two', zoned: first }
    : { starts_at: iso(second), warning: 'moved_forward', zoned: second };
};

/**
 * A function that finds the moment at which the clocks of a zone show a time, such as "2027-03-28T03:30". A time that
 * the clocks skip moves forward by the skipped duration. Of a time that they show twice, the first counts (RFC 5545,
 * section 3.3.5).
 *
 * The function remembers how long the offset from UTC stays the same. Times in ascending order therefore cost a
 * twentieth of single ones.
 * @param zone an IANA time zone
 */
export const clockOf = (zone: string): ((local: string) => Moment) => {
  let steady = { from: Infinity, until: -Infinity, offset: 0 };
  return (local) => {
    const time = Date.parse(`${local}Z`) - steady.offset;
    if (time >= steady.from + MS_OF_DAY && time < steady.until - MS_OF_DAY) {
      return { starts_at: new Date(time).toISOString(), warning: null };
    }
    const { zoned, ...moment } = exactMoment(local, zone);
    steady = {
      from: zoned.epochMilliseconds,
      until: zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity,
      offset: zoned.offsetNanoseconds / 1_000_000,
    };
    return moment;
  };
};

/**
 * A moment, later by a duration. Days and longer units keep the time of day on the clocks of the zone; hours and
 * minutes are exact (RFC 5545, section 3.3.6).
 * @param moment in UTC; the result is in UTC, too
 * @param duration an ISO 8601 duration, such as "P1D"
 */
export const addDuration = (moment: string, duration: string, zone: string): string =>
  iso(Temporal.Instant.from(moment).toZonedDateTimeISO(zone).add(Temporal.Duration.from(duration)));

/** The date on the clocks of a zone at a moment. */
export const localDate = (moment: string, zone: string): string =>
  Temporal.Instant.from(moment).toZonedDateTimeISO(zone).toPlainDate().toString();

/** The date and time that the clocks of a zone show at a moment: "2027-03-28T03:30:00". */
export const localTime = (moment: string, zone: string): string =>
  Temporal.Instant.from(moment).toZonedDateTimeISO(zone).toPlainDateTime().toString();

/**
 * A date, later by a duration. A month that lacks the day gives its last one.
 * @param duration an ISO 8601 duration of whole days or longer
 */
export const dateAfter = (date: string, duration: string): string =>
  Temporal.PlainDate.from(date).add(duration).toString();

/** A date, later by some days; earlier where they are negative. */
export const addDays = (date: string, days: number): string =>
  Temporal.PlainDate.from(date).add({ days }).toString();
