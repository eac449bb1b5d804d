import { Temporal } from 'temporal-polyfill';
import { Weekday } from '../../schemas/organization.ts';

/** The local hour at which a digest is sent. */
const HOUR = 7;

const zoned = (time: string, timeZone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.from(time).toZonedDateTimeISO(timeZone);

const iso = ({ epochMilliseconds }: Temporal.ZonedDateTime): string =>
  new Date(epochMilliseconds).toISOString();

/** The first time after `now` at which the digest of a day of the week is sent. Times are ISO 8601 in UTC. */
export const nextDigest = (now: string, weekday: Weekday, timeZone: string): string => {
  const today = zoned(now, timeZone).toPlainDate();
  const days = (Weekday.options.indexOf(weekday) + 8 - today.dayOfWeek) % 7;
  const [first, second] = [days, days + 7].map((after) =>
    iso(today.add({ days: after }).toZonedDateTime({ timeZone, plainTime: { hour: HOUR } })),
  ) as [string, string];
  return first > now ? first : second;
};

/** The same time of the clocks a week earlier. */
export const weekBefore = (time: string, timeZone: string): string =>
  iso(zoned(time, timeZone).subtract({ weeks: 1 }));
