import * as z from 'zod';
import { listQuery, Name, Uuid } from '../common.ts';
import { Weekday } from '../organization.ts';
import { LocalDate } from '../recurrence.ts';
import { derived, initially, optional, resource, shownAs, unseen } from '../resource.ts';

/** Dates of one calendar: some 15 a year for decades. */
export const MAX_HOLIDAYS = 1_000;

/** Characters of an ICS file. */
const MAX_ICS = 500_000;

export const Holiday = z.strictObject({ date: LocalDate, name: Name.nullable().default(null) });
export type Holiday = z.output<typeof Holiday>;

export const { HolidayCalendar, NewHolidayCalendar, HolidayCalendarChanges } = resource(
  'HolidayCalendar',
  {
    name: Name,
    dates: shownAs(
      z.array(Holiday).meta({ description: 'The dates, in ascending order, each once.' }),
      initially([], z.array(Holiday).max(MAX_HOLIDAYS)),
    ),
    ics: unseen(
      optional(
        z.string().max(MAX_ICS).nullable().meta({
          description:
            'The text of an iCalendar file (RFC 5545). The days of its events are added to `dates`; those of recurring events up to ten years from now.',
        }),
      ),
    ),
    weekend_days: initially(
      ['saturday', 'sunday'],
      z.array(Weekday).max(6).meta({ description: 'Days of the week to which no occurrence is shifted.' }),
    ),
    ...derived({ created_by: Uuid }),
  },
  { description: 'Dates on which schedules that name it hold no inspections.' },
);
export type HolidayCalendar = z.output<typeof HolidayCalendar>;
export type NewHolidayCalendar = z.output<typeof NewHolidayCalendar>;
export type HolidayCalendarChanges = Omit<z.output<typeof HolidayCalendarChanges>, 'expected_version'>;

export const holidayCalendarQuery = listQuery({});
export type HolidayCalendarQuery = z.output<typeof holidayCalendarQuery>;
