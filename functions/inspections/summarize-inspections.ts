import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { file } from '../../shared/http/operation/responses.ts';
import * as inspections from '../../shared/inspections/lists.ts';
import * as numbers from '../../shared/inspections/numbers/summaries.ts';
import { numbersFile } from '../../shared/reports/formats/numbers-csv.ts';
import { GroupedInspectionSummary, InspectionSummaryQuery } from '../../shared/schemas/numbers.ts';

export const operation = defineOperation({
  id: 'summarizeInspections',
  method: 'GET',
  path: '/inspections/summary',
  summary: 'Count inspections by status',
  description:
    'Counts the inspections that the list would show with the same filters. Without filters, the counts come from counters, so the duration does not depend on the number of inspections.\n\nWith `group_by`, the reply has numbers of the months from `from` to `to`, in groups. An inspection counts in the month in which it was completed, or else in that of its `scheduled_for`, its `due_at` or its creation, in the time zone of its location. A completed one keeps its client account. These numbers follow all changes, corrections and deletions within seconds: `as_of` says until when all changes are counted. The duration does not depend on the number of inspections. The only filters that can be combined with `group_by` are `client_account_id`, `location_id`, `within`, `region_id` and `template_family_id`.',
  access: 'read',
  people: ['admin'],
  actsFor: ['admin', 'approver', 'inspector'],
  query: InspectionSummaryQuery,
  success: 200,
  response: GroupedInspectionSummary,
  alsoAs: file('A row for each group, for `format=csv`.', 'text/csv; charset=utf-8'),
});

export const handler = createHandler(operation, async ({ query, caller }) => {
  const { group_by, from, to, format, sort, min_count, limit, ...filters } = query;
  if (!group_by) return inspections.summary(caller, filters);
  const { client_account_id, location_id, within, region_id, template_family_id } = filters;
  const grouped = await numbers.ofInspections(caller, {
    group_by,
    from,
    to,
    sort,
    min_count,
    limit,
    client_account_id,
    location_id,
    within,
    region_id,
    template_family_id,
  });
  if (format === 'csv') return numbersFile(grouped, group_by, 'inspections');
  const { scheduled, in_progress, pending_approval, pending_sign_off, completed, archived, overdue, total } =
    grouped.totals;
  return {
    scheduled,
    in_progress,
    pending_approval,
    pending_sign_off,
    completed,
    archived,
    overdue,
    total,
    ...grouped,
  };
});
