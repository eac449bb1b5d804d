import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { preview as previewOf, problems } from '../domain/recurrence/index.ts';
import type { SchedulePreview } from '../schemas/recurrence.ts';
import type { SchedulePreviewRequest } from '../schemas/schedules/schedule.ts';
import { reference, resolve } from '../table/references.ts';
import { expectCalendar } from './checks.ts';
import { holdingOf } from './holiday-calendars.ts';

/**
 * The occurrences of a schedule, on the dates on which it would hold them. No call without a calendar, else three at most.
 * @throws ApiError 400 for a calendar that does not exist; 422 for a rule that cannot be read or never occurs, and for
 *   holidays of no calendar
 */
export const preview = async (caller: Caller, request: SchedulePreviewRequest): Promise<SchedulePreview> => {
  const found = problems(request.recurrence);
  if (found.length > 0) throw errors.validationFailed(found);
  const { calendar_id = null, on_holiday = null, places = null } = request;
  const daysOff = { calendar_id, on_holiday, places };
  expectCalendar(daysOff);
  await resolve(caller, [reference(caller, 'calendar_id', 'HOLIDAYS', calendar_id)]);
  return previewOf(request, await holdingOf(caller, daysOff));
};
