import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as runs from '../../shared/integrations/rows/runs.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { NewSyncRun, SyncRun } from '../../shared/schemas/integrations/run.ts';
import { refusedBeyond } from '../../shared/schemas/slots.ts';

export const operation = defineOperation({
  id: 'startSync',
  method: 'POST',
  path: '/integrations/sources/{source_id}/sync',
  summary: 'Sync a source',
  description: `The sync runs in the background. \`GET …/sync-runs\` shows its progress. \`409\` names the run that has not ended, or says that the source is paused or that its connection does not work. A row that is missing at the vendor is deactivated only after the whole board was read. ${refusedBeyond('SYNC')}`,
  access: 'write',
  app: { path: '/integrations/sources/{source_id}/sync', roles: ['admin'] },
  params: z.strictObject({ source_id: Uuid }),
  body: NewSyncRun.default({ allow_mass_deactivation: false }),
  success: 202,
  location: '/integrations/sources/{source_id}/sync-runs',
  response: SyncRun,
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  runs.start(caller, params.source_id, false, { trigger: 'manual', ...body }),
);
