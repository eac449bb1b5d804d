import * as z from 'zod';
import { Timestamp, Uuid } from '../common.ts';
import { InspectionStatus } from '../inspections/inspection.ts';
import { LocalDate } from '../recurrence.ts';
import { ScheduleOverride } from './schedule.ts';

/** Days of one calendar. */
export const MAX_CALENDAR_DAYS = 366;

export const CalendarQuery = z.strictObject({
  from: LocalDate.meta({ description: 'The first date, in the time zone of the organization.' }),
  to: LocalDate.meta({
    description: `The last date; at most ${MAX_CALENDAR_DAYS} days in all.`,
  }),
  format: z.enum(['json', 'ics']).default('json').meta({
    description: '`ics` replies with `text/calendar` (RFC 5545) instead of JSON.',
  }),
  schedule_id: Uuid.optional(),
  template_family_id: Uuid.optional(),
  location_id: Uuid.optional(),
  assignee_id: Uuid.optional().meta({ description: 'The user id of one of the assignees.' }),
});
export type CalendarQuery = z.output<typeof CalendarQuery>;

export const CalendarRow = z
  .strictObject({
    kind: z.enum(['inspection', 'projected']).meta({
      description: 'Whether the inspection exists, or follows from the schedule as it is now.',
    }),
    schedule_id: Uuid,
    title: z.string(),
    inspection_id: Uuid.nullable(),
    occurrence_date: LocalDate.nullable(),
    starts_at: Timestamp,
    due_at: Timestamp.nullable(),
    location_id: Uuid.nullable(),
    assignee_ids: z.array(Uuid),
    status: z.enum([...InspectionStatus.options, 'projected', 'skipped', 'cancelled']).meta({
      description:
        'The status of the inspection; `projected` where there is none yet, and `skipped` or `cancelled` where an override says that there will be none.',
    }),
    is_overdue: z.boolean(),
    is_missed: z.boolean(),
    override: ScheduleOverride.nullable(),
  })
  .meta({ id: 'CalendarRow', description: 'An inspection of a schedule, or one that is still to come.' });
export type CalendarRow = z.output<typeof CalendarRow>;
