import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { file } from '../../shared/http/operation/responses.ts';
import * as numbers from '../../shared/inspections/numbers/summaries.ts';
import { numbersFile } from '../../shared/reports/formats/numbers-csv.ts';
import { ActionSummary, ActionSummaryQuery } from '../../shared/schemas/numbers.ts';

export const operation = defineOperation({
  id: 'summarizeCorrectiveActions',
  method: 'GET',
  path: '/corrective-actions/summary',
  summary: 'Count corrective actions',
  description:
    'Numbers of the actions of all inspections that were created in the months from `from` to `to`, in the time zone of their location; with `group_by` in groups. The filters are those of the list. With filters by place, template family, status and priority alone, the numbers are those that are kept: they follow all changes within seconds, `as_of` says until when all changes are counted, and the duration does not depend on the number of actions. With any other filter the actions that the list would show are counted one by one, up to 10,000 of them.',
  access: 'read',
  people: ['admin'],
  query: ActionSummaryQuery,
  success: 200,
  response: ActionSummary,
  alsoAs: file('A row for each group, for `format=csv`.', 'text/csv; charset=utf-8'),
});

export const handler = createHandler(operation, async ({ query, caller }) => {
  const summary = await numbers.ofActions(caller, query);
  return query.format === 'csv' ? numbersFile(summary, query.group_by ?? [], 'corrective-actions') : summary;
});
