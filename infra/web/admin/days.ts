/** A function that says how far the clocks of a zone are ahead of UTC at an instant; both in milliseconds. */
const offsetIn = (timeZone: string | undefined): ((instant: number) => number) => {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (instant) => {
    const { year, month, day, hour, minute } = Object.fromEntries(
      parts.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    );
    return Date.UTC(year!, month! - 1, day, hour, minute) - instant;
  };
};

/**
 * A function that finds the beginning of a day in a zone, as ISO 8601. The day is such as 2026-11-22; the function takes
 * as well how many days later than that.
 * @param timeZone undefined for that of the machine
 */
export const dayStarts = (timeZone: string | undefined): ((day: string, daysLater?: number) => string) => {
  const offsetAt = offsetIn(timeZone);
  return (day, daysLater = 0) => {
    const midnight = Date.parse(day) + daysLater * 86_400_000;
    // The clocks may change between midnight in UTC and there.
    const offset = offsetAt(midnight);
    const other = offsetAt(midnight - offset);
    const [early, late] = [midnight - Math.max(offset, other), midnight - Math.min(offset, other)];
    // Where the clocks skip midnight, the former day goes on until the later time.
    const isThatDay = early + offsetAt(early) >= midnight;
    return new Date(isThatDay ? early : late).toISOString();
  };
};
