import type { SchedulePreview, SchedulePreviewRequest } from '../../schemas/recurrence.ts';
import { addDuration } from './clock.ts';
import { describe } from './describe.ts';
import { isFinite, occurrences, total } from './occurrences.ts';

/**
 * What a schedule with this recurrence would do.
 * @param request whose recurrence has no problems
 */
export const preview = (request: SchedulePreviewRequest): SchedulePreview => {
  const { recurrence, window, from, count } = request;
  const shown = occurrences(recurrence, request, from === null ? {} : { from }).take(count);
  return {
    description: describe(recurrence),
    occurrences: [...shown].map(({ occurrence_date, starts_at, warning }) => ({
      occurrence_date,
      starts_at,
      due_at: addDuration(starts_at, window.due_after, recurrence.timezone),
      warning,
    })),
    is_finite: isFinite(recurrence, request),
    total: total(recurrence, request),
  };
};
