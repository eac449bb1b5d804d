import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { preview } from '../../shared/schedules/preview.ts';
import { SchedulePreview } from '../../shared/schemas/recurrence.ts';
import { SchedulePreviewRequest } from '../../shared/schemas/schedules/schedule.ts';

export const operation = defineOperation({
  id: 'previewSchedule',
  method: 'POST',
  path: '/inspection-schedules/preview',
  summary: 'Preview a schedule',
  description:
    'The recurrence in words, and its occurrences. Nothing is stored. Refused with `422` when the rule cannot be read, or does not occur within 100 years after its start. The body of a schedule that is to be created can be sent as it is: only `recurrence`, `window`, `starts_on`, `ends_on` and the days off of its calendar matter: an occurrence that `on_holiday` leaves out is not shown, and one that it shifts starts on the day on which it is held. A schedule with `after` instead of a rule has no occurrences to preview.',
  access: 'read',
  body: SchedulePreviewRequest,
  success: 200,
  response: SchedulePreview,
  example: {
    body: {
      recurrence: {
        rrule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU',
        dtstart_local: '2027-03-14T03:30',
        timezone: 'Europe/Athens',
      },
      count: 2,
    },
    response: {
      description: 'every 2 weeks on Sunday at 03:30, Europe/Athens',
      occurrences: [
        {
          occurrence_date: '2027-03-14',
          starts_at: '2027-03-14T01:30:00.000Z',
          due_at: '2027-03-15T01:30:00.000Z',
          warning: null,
        },
        {
          occurrence_date: '2027-03-28',
          starts_at: '2027-03-28T01:30:00.000Z',
          due_at: '2027-03-29T01:30:00.000Z',
          warning: 'moved_forward',
        },
      ],
      warnings: [],
      left_out: null,
      is_finite: false,
      total: null,
    },
  },
});

export const handler = createHandler(operation, ({ body, caller }) => preview(caller, body));
