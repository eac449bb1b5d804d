import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Existing } from '../../shared/http/reply/reply.ts';
import * as schedules from '../../shared/schedules/schedules.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { CreatedInspections, CreatedPolicy, DryRun } from '../../shared/schemas/schedules/schedule.ts';

export const operation = defineOperation({
  id: 'deleteSchedule',
  method: 'DELETE',
  path: '/inspection-schedules/{schedule_id}',
  summary: 'Delete a schedule',
  description:
    'The inspections that it has created keep its id, and stay as they are unless `created` says otherwise. Pause the schedule instead to go on later.',
  access: 'write',
  params: z.strictObject({ schedule_id: Uuid }),
  query: z.strictObject({
    created: CreatedPolicy.extract(['keep', 'archive']).default('keep').meta({
      description:
        'What happens to inspections that the schedule has created and nobody has started. `archive` archives them, soon after where there are many; their history says why.',
    }),
    dry_run: DryRun,
  }),
  guarded: true,
  success: 204,
  existing: 200,
  existingMeans: 'A dry run: nothing was changed.',
  response: CreatedInspections,
});

export const handler = createHandler(operation, async ({ params, query, caller, expectedVersion }) => {
  const counts = await schedules.remove(caller, params.schedule_id, query, expectedVersion);
  return counts && new Existing(counts);
});
