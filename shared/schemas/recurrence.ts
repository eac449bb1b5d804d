import * as z from 'zod';
import { Count, Timestamp } from './common.ts';
import { TimeZone } from './organization.ts';

/** Characters of a rule. */
const MAX_RULE = 500;

/** A day of the calendar, without a time zone. */
export const LocalDate = z.iso.date();

/** What becomes of a day that a month does not have (RFC 7529, section 4.1). */
export const Skip = z.enum(['OMIT', 'BACKWARD', 'FORWARD']);
export type Skip = z.output<typeof Skip>;

export const Recurrence = z
  .strictObject({
    rrule: z
      .string()
      .min(1)
      .max(MAX_RULE)
      .meta({
        description:
          'A recurrence rule of RFC 5545, without the word `RRULE`. `FREQ` is DAILY, WEEKLY, MONTHLY or YEARLY; the other parts may be INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, COUNT, UNTIL, WKST, and of RFC 7529 SKIP and RSCALE. `SKIP` says what happens in a month without the day of a monthly or yearly rule, such as the 31st: `OMIT`, the default, leaves it out; `BACKWARD` takes the last day of that month, and `FORWARD` the first day of the next one. A day counted from the end lies before such a month, so `BACKWARD` takes the last day of the month before, and `FORWARD` the first day. `RSCALE` may be GREGORIAN or left out.',
        examples: ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO'],
      }),
    dtstart_local: z
      .string()
      .refine((text) => START.safeParse(text).success, {
        error: 'Value error, not a date and time such as 2027-03-01T09:00, from 1970 to 2199',
      })
      .meta({
        description:
          'The date from which the rule counts, and the time of day of every occurrence, in `timezone`. The form is `YYYY-MM-DDThh:mm`, without seconds and without an offset. The date is an occurrence itself only if the rule occurs on it.',
        examples: ['2027-03-01T09:00'],
      }),
    timezone: TimeZone,
  })
  .meta({
    id: 'Recurrence',
    description:
      'When something recurs: at most once on a date, always at the same time of day, also after the clocks change. A time that the clocks skip moves forward by as much as they do; of a time that comes twice, the first counts.',
  });
export type Recurrence = z.output<typeof Recurrence>;

const START = z.iso.datetime({ local: true, precision: -1 }).regex(/^(19[7-9]\d|20\d\d|21\d\d)-[^Z]*$/);

/** An ISO 8601 duration without seconds: "P1D", "PT24H", "P1M2DT3H30M", "P2W". */
const DURATION = /^P(?=.)(\d{1,4}Y)?(\d{1,4}M)?(\d{1,4}W)?(\d{1,4}D)?(T(?=.)(\d{1,4}H)?(\d{1,4}M)?)?$/;

/** Days of the longest duration. A month counts as 31 days and a year as 366, the longest that there are. */
const MAX_DURATION_DAYS = 366;

/** The maximum number of minutes that a duration takes; undefined for a text that is not a duration. */
const minutesOf = (text: string): number | undefined => {
  const parts = DURATION.exec(text);
  if (!parts) return undefined;
  const [years, months, weeks, days, , hours, minutes] = parts
    .slice(1)
    .map((part) => parseInt(part ?? '0', 10));
  return ((years! * 366 + months! * 31 + weeks! * 7 + days!) * 24 + hours!) * 60 + minutes!;
};

/** An ISO 8601 duration. @param max days of the longest one */
export const durationUpTo = (max: number) =>
  z
    .string()
    .refine((text) => minutesOf(text) !== undefined, {
      error: 'Value error, not an ISO 8601 duration such as P1D or PT8H',
      abort: true,
    })
    .refine((text) => minutesOf(text)! > 0 && minutesOf(text)! <= max * 24 * 60, {
      error: `Value error, must be longer than 0 and at most ${max} days`,
    });

/** An ISO 8601 duration of whole days or longer. @param max days of the longest one */
export const durationInDays = (max: number) =>
  durationUpTo(max).refine((text) => !text.includes('T'), {
    error: 'Value error, must be whole days, weeks, months or years',
  });

export const Duration = durationUpTo(MAX_DURATION_DAYS).meta({
  description:
    'An ISO 8601 duration. Days and longer units keep the time of day when the clocks change (`P1D`); hours and minutes are exact (`PT24H`).',
  examples: ['P1D'],
});

export const Window = z
  .strictObject({
    due_after: Duration.default('P1D').meta({
      description: 'How long after its start an inspection is due.',
    }),
    miss_after: Duration.nullable().default(null).meta({
      description: 'How long after its start an inspection that nobody has started counts as missed.',
    }),
  })
  .meta({ id: 'Window' });
export type Window = z.output<typeof Window>;

export const OccurrenceWarning = z.enum(['moved_forward', 'first_of_two']).meta({
  description:
    '`moved_forward`: the clocks skip the time of day on this date, and the occurrence is later by as much as they skip. `first_of_two`: the clocks show the time twice, and the first one counts.',
});
export type OccurrenceWarning = z.output<typeof OccurrenceWarning>;

export const RecurrenceWarning = z.enum(['leap_years_only', 'months_left_out']).meta({
  description:
    '`leap_years_only`: the rule is yearly and names 29 February, so it occurs every four years at most. `months_left_out`: the rule names a day that some of its months do not have, such as the 31st or a fifth Friday. `left_out` lists these months.',
});
export type RecurrenceWarning = z.output<typeof RecurrenceWarning>;

/** The numbers of months, in their order. */
const Months = z.array(z.int().min(1).max(12));

export const LeftOut = z
  .strictObject({
    months: Months.meta({
      description: 'The months that lack a day of the rule in every year: 1 is January.',
      examples: [[4, 6, 9, 11]],
    }),
    sometimes: Months.meta({
      description:
        'The months that lack a day of the rule in some years only, such as February for the 29th: 2.',
      examples: [[2]],
    }),
    skip: z.array(Skip.exclude(['OMIT'])).meta({
      description:
        'The values of `SKIP` in the rule with which none of these months is left out. Empty where none helps: `SKIP` has no effect on weekdays, such as a fifth Friday, and on daily rules.',
      examples: [['BACKWARD', 'FORWARD']],
    }),
  })
  .meta({
    id: 'LeftOut',
    description:
      'The months of a rule, within its first and last date, that lack a day which it names. They may have others of its days: with the 15th and the 31st, April is listed. Null when no month lacks any.',
  });
export type LeftOut = z.output<typeof LeftOut>;

export const Occurrence = z
  .strictObject({
    occurrence_date: LocalDate.meta({ description: 'The date that the rule names, in its time zone.' }),
    starts_at: Timestamp,
    due_at: Timestamp,
    warning: OccurrenceWarning.nullable(),
  })
  .meta({ id: 'Occurrence' });
export type Occurrence = z.output<typeof Occurrence>;

export const SchedulePreview = z
  .strictObject({
    description: z.string().meta({
      description: 'The recurrence in words.',
      examples: ['every 2 weeks on Monday at 09:00, Europe/Athens'],
    }),
    occurrences: z.array(Occurrence),
    warnings: z.array(RecurrenceWarning),
    left_out: LeftOut.nullable(),
    is_finite: z
      .boolean()
      .meta({ description: 'Whether the occurrences come to an end by COUNT, UNTIL or `ends_on`.' }),
    total: Count.nullable().meta({
      description:
        'The number of all occurrences of the rule, also of those before `from` and on days off; null where they have no end. A rule is followed for 100 years.',
    }),
  })
  .meta({ id: 'SchedulePreview' });
export type SchedulePreview = z.output<typeof SchedulePreview>;
