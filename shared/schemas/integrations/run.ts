import * as z from 'zod';
import { Timestamp, Count, resourceFields, Uuid } from '../common.ts';

/** Why something in an integration does not work, for people. */
export const IntegrationProblem = z
  .strictObject({
    code: z.string().meta({ description: 'A stable word for programs.', examples: ['unauthorized'] }),
    message: z.string(),
    at: Timestamp,
  })
  .meta({ id: 'IntegrationProblem', description: 'Why a connection, a source or a run does not work.' });
export type IntegrationProblem = z.output<typeof IntegrationProblem>;

/** Errors of single rows that a run lists. It counts all of them. */
export const MAX_RUN_ERRORS = 100;

export const RunStatus = z.enum(['queued', 'running', 'succeeded', 'partial', 'failed', 'cancelled']);
export type RunStatus = z.output<typeof RunStatus>;

export const RunCounts = z
  .strictObject({
    read: Count,
    created: Count,
    updated: Count,
    unchanged: Count,
    deactivated: Count,
    failed: Count,
  })
  .meta({
    id: 'RunCounts',
    description: 'What a run did with the items that it read, and with missing ones.',
  });
export type RunCounts = z.output<typeof RunCounts>;

export const RunError = z
  .strictObject({
    item_id: z.string().nullable(),
    field: z.string().nullable(),
    code: z.string(),
    message: z.string(),
  })
  .meta({ id: 'RunError', description: 'Why one item was not taken.' });
export type RunError = z.output<typeof RunError>;

export const SyncRun = z
  .strictObject({
    ...resourceFields,
    source_id: Uuid,
    trigger: z.enum(['manual', 'schedule']),
    status: RunStatus.meta({
      description:
        '`partial`: some items failed, or the run had to stop before its end; nothing that was not read is deactivated then. `cancelled`: the source was paused or deleted meanwhile.',
    }),
    started_at: Timestamp.nullable(),
    finished_at: Timestamp.nullable(),
    counts: RunCounts,
    calls: Count.meta({ description: 'Requests to the vendor, which its plans limit.' }),
    errors: z.array(RunError).meta({ description: `The first ${MAX_RUN_ERRORS} items that failed.` }),
    error: IntegrationProblem.nullable().meta({ description: 'Why the run as a whole did not succeed.' }),
    requested_by: Uuid.nullable().meta({
      description: 'Who started the run, by `user_id`; null for a scheduled one.',
    }),
  })
  .meta({ id: 'SyncRun', description: 'One sync of a source. It is kept for 90 days.' });
export type SyncRun = z.output<typeof SyncRun>;

export const NewSyncRun = z
  .strictObject({
    allow_mass_deactivation: z.boolean().default(false).meta({
      description:
        'Whether the run may deactivate more than half of the rows. Without it, a run that would do so to 20 or more rows ends as `partial`.',
    }),
  })
  .meta({ id: 'NewSyncRun' });
export type NewSyncRun = z.output<typeof NewSyncRun>;
