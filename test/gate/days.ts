import { Temporal } from 'temporal-polyfill';

/** When the clock of a run of the tests begins: what it shows, `2027-01-31T23:40`, and its time zone. */
export interface Day {
  local: string;
  zone: string;
}

/** The last of a month, a leap day, the night in which the clocks of Europe go back, and the last minutes of a year. */
const TIMES = ['2027-01-31T23:40', '2028-02-29T12:00', '2027-10-31T00:40', '2026-12-31T23:58'];

const ZONES = ['UTC', 'Pacific/Auckland'];

/** The days on which a night runs the tests, one in each night. */
export const DAYS: readonly Day[] = TIMES.flatMap((local) => ZONES.map((zone) => ({ local, zone })));

/**
 * The day with a number, or the one whose turn it is in a run with a seed.
 * @throws Error that lists the days, if there is none with the number
 */
export const dayNumbered = (given: string | undefined, seed: number): Day & { number: number } => {
  const number = given === undefined ? seed % DAYS.length : Number(given);
  const day = DAYS[number];
  if (given?.trim() === '' || day === undefined)
    throw new Error(
      `There is no day ${given}. The days are ${DAYS.map(({ local, zone }, at) => `${at}: ${local} in ${zone}`).join(', ')}.`,
    );
  return { ...day, number };
};

/** How many seconds a clock must go forward from a time to show a day. @param now epoch milliseconds */
export const secondsUntil = ({ local, zone }: Day, now: number): number => {
  const { epochMilliseconds } = Temporal.PlainDateTime.from(local).toZonedDateTime(zone);
  return Math.round((epochMilliseconds - now) / 1_000);
};
