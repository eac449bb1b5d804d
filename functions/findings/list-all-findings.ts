import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as findings from '../../shared/inspections/findings/lists.ts';
import { allFindingsQuery, ListedFinding } from '../../shared/schemas/finding.ts';

export const operation = defineOperation({
  id: 'listAllFindings',
  method: 'GET',
  path: '/findings',
  summary: 'List findings',
  description:
    'The findings of all inspections, newest first, each with the client account, location and template family of its inspection. A finding is listed when it matches all filters. Filters by place, question, asset, status, severity, `external_ref`, tag and metadata are fast, because they have an index. `q` and the filters by time have none: used alone, they search the list until the page is full. With a filter by place, template family, status or severity, the list can be a moment behind: a finding that has just changed to the value may be missing, but one that has another value is never listed.',
  access: 'read',
  people: ['admin'],
  query: allFindingsQuery,
  success: 200,
  response: z.array(ListedFinding),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => findings.listAll(caller, query));
