import { type TypeRules, written } from './checks.ts';

/** Whether a text is a date of the calendar, `YYYY-MM-DD`. */
export const isDay = (input: string): boolean => {
  const day = new Date(`${input}T00:00:00Z`);
  return (
    /^\d{4}-\d\d-\d\d$/.test(input) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(input)
  );
};

const CLOCK = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;

/** RFC 3339, section 5.6, without leap seconds. */
const TIMESTAMP =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const date = written(
  (input) => (isDay(input) ? input : undefined),
  'date_from_datetime_parsing',
  'Input should be a valid date, YYYY-MM-DD',
);

const time = written(
  (input) => (CLOCK.test(input) ? input : undefined),
  'value_error',
  'Value error, a time has the form HH:MM or HH:MM:SS',
);

export const datetime = written(
  (input) => {
    const value = input.toUpperCase();
    return isDay(TIMESTAMP.exec(value)?.[1] ?? '') ? value : undefined;
  },
  'datetime_parsing',
  'Input should be a valid date-time with its offset (RFC 3339)',
);

export const DATE: TypeRules = { check: () => date };
export const TIME: TypeRules = { check: () => time };
export const DATETIME: TypeRules = { check: () => datetime };

/** A value for comparison: times and date-times in a form that sorts by time, whatever their precision or offset. */
export const comparable = (value: unknown) => {
  if (typeof value !== 'string') return value;
  if (TIMESTAMP.test(value)) return Date.parse(value);
  return CLOCK.test(value) ? value.padEnd(8, ':00') : value;
};
