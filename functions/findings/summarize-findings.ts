import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { file } from '../../shared/http/operation/responses.ts';
import * as numbers from '../../shared/inspections/numbers/summaries.ts';
import { numbersFile } from '../../shared/reports/formats/numbers-csv.ts';
import { FindingSummary, FindingSummaryQuery } from '../../shared/schemas/numbers.ts';

export const operation = defineOperation({
  id: 'summarizeFindings',
  method: 'GET',
  path: '/findings/summary',
  summary: 'Count findings',
  description:
    'Numbers of the findings of all inspections that were created in the months from `from` to `to`, in the time zone of their location; with `group_by` in groups. Grouped by `field`, also how often each question was answered, has failed and was not applicable in the inspections that were completed in these months. The filters are those of the list. With filters by place, template family, question, severity and status alone, the numbers are those that are kept: they follow all changes within seconds, `as_of` says until when all changes are counted, and the duration does not depend on the number of findings. With any other filter the findings that the list would show are counted one by one, up to 10,000 of them.',
  access: 'read',
  people: ['admin'],
  query: FindingSummaryQuery,
  success: 200,
  response: FindingSummary,
  alsoAs: file('A row for each group, for `format=csv`.', 'text/csv; charset=utf-8'),
});

export const handler = createHandler(operation, async ({ query, caller }) => {
  const summary = await numbers.ofFindings(caller, query);
  return query.format === 'csv' ? numbersFile(summary, query.group_by ?? [], 'findings') : summary;
});
