import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as runs from '../../shared/integrations/rows/runs.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { NewSyncRun, SyncRun } from '../../shared/schemas/integrations/run.ts';

export const operation = defineOperation({
  id: 'startDirectorySync',
  method: 'POST',
  path: '/integrations/directory-sources/{source_id}/sync',
  summary: 'Sync a directory source',
  description:
    'Works as `POST /integrations/sources/{source_id}/sync` does for other sources. `GET /integrations/sources/{source_id}/sync-runs` shows the progress.',
  access: 'write',
  app: { path: '/integrations/directory-sources/{source_id}/sync', roles: ['admin'] },
  params: z.strictObject({ source_id: Uuid }),
  body: NewSyncRun.default({ allow_mass_deactivation: false }),
  success: 202,
  location: '/integrations/sources/{source_id}/sync-runs',
  response: SyncRun,
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  runs.start(caller, params.source_id, true, { trigger: 'manual', ...body }),
);
