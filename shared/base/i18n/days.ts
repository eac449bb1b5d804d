/** How a day is written, in a time zone. */
type DayForm = Intl.DateTimeFormatOptions & { timeZone: string };

/** A day with the name of its time zone, such as “Sunday, May 4, 2031 (Eastern European Time)”. @param at ISO 8601 */
export const zonedDay = (locale: string, form: DayForm, at: string): string => {
  const format = (options: DayForm) => new Intl.DateTimeFormat(locale, options);
  const zone = format({ timeZone: form.timeZone, timeZoneName: 'longGeneric' })
    .formatToParts(new Date(at))
    .find(({ type }) => type === 'timeZoneName')!.value;
  return `${format(form).format(new Date(at))} (${zone})`;
};
