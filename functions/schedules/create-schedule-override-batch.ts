import * as z from 'zod';
import { createAll } from '../../shared/http/batch.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as overrides from '../../shared/schedules/overrides.ts';
import { scheduleRecords } from '../../shared/schedules/records.ts';
import { batchOf, ROWS_FAIL_ALONE } from '../../shared/schemas/batch.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { NewScheduleOverride, ScheduleOverride } from '../../shared/schemas/schedules/schedule.ts';
import { expectVersion } from '../../shared/table/collection.ts';

export const operation = defineOperation({
  id: 'createScheduleOverrideBatch',
  method: 'POST',
  path: '/inspection-schedules/{schedule_id}/overrides/batch',
  summary: 'Override many occurrences of a schedule',
  description: ROWS_FAIL_ALONE,
  access: 'write',
  params: z.strictObject({ schedule_id: Uuid }),
  ...batchOf('ScheduleOverride', NewScheduleOverride, ScheduleOverride),
  rows: 'rows',
  guarded: true,
  success: 200,
  example: {
    body: {
      rows: [
        { occurrence_date: '2027-03-29', action: 'skip', reason: 'Easter Monday' },
        {
          occurrence_date: '2027-04-12',
          action: 'move',
          new_at: '2027-04-13T07:00:00.000Z',
          client_mutation_id: 'move-2027-04-12',
        },
      ],
    },
  },
});

export const handler = createHandler(operation, async ({ params, body, caller, expectedVersion }) => {
  const schedule = await scheduleRecords.get(caller, params.schedule_id);
  expectVersion(scheduleRecords.noun, schedule, expectedVersion);
  const { id } = schedule;
  // The first override that is made moves the version of the schedule.
  let expected = expectedVersion;
  return createAll(caller, body.rows, {
    operation: `createScheduleOverride ${id}`,
    create: async (row) => {
      const override = await overrides.create(caller, id, row, expected);
      expected = undefined;
      return override;
    },
  });
});
