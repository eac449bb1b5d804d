import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as runs from '../../shared/integrations/rows/runs.ts';
import { listQuery, Uuid } from '../../shared/schemas/common.ts';
import { SyncRun } from '../../shared/schemas/integrations/run.ts';

export const operation = defineOperation({
  id: 'listSyncRuns',
  method: 'GET',
  path: '/integrations/sources/{source_id}/sync-runs',
  summary: 'List the syncs of a source',
  description: 'Newest first. A directory source has its syncs here as well.',
  access: 'read',
  app: { path: '/integrations/sources/{source_id}/sync-runs', roles: ['admin'] },
  params: z.strictObject({ source_id: Uuid }),
  query: listQuery({}),
  success: 200,
  response: z.array(SyncRun),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  runs.list(caller, params.source_id, query),
);
