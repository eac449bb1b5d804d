import * as z from 'zod';
import { ExpectedVersion, listQuery, resourceFields, Timestamp, Uuid } from '../common.ts';
import { InstancePath } from './answer.ts';

export const CorrectionStatus = z.enum(['open', 'closed', 'discarded']);

const Reason = z.string().trim().min(1).max(2_000);

export const Correction = z
  .strictObject({
    ...resourceFields,
    inspection_id: Uuid,
    reason: Reason,
    status: CorrectionStatus,
    revisions_count: z.int().min(0).meta({ description: 'Changes saved in it so far.' }),
    opened_by: Uuid,
    closed_by: Uuid.nullable().meta({ description: 'Who closed or discarded it.' }),
    closed_at: Timestamp.nullable(),
  })
  .meta({ id: 'Correction', description: 'A session in which a completed inspection is corrected.' });
export type Correction = z.output<typeof Correction>;

export const NewCorrection = z
  .strictObject({ reason: Reason, expected_version: ExpectedVersion.optional() })
  .meta({ id: 'NewCorrection' });

export const correctionQuery = listQuery({ status: CorrectionStatus.optional() });
export type CorrectionQuery = z.output<typeof correctionQuery>;

export const Revision = z
  .strictObject({
    id: Uuid,
    sequence: z.int().min(1).meta({ description: 'Its place among all changes of the session.' }),
    answer_source: z.enum(['body', 'start']),
    field_id: z.string().meta({
      description: 'A uuid; the key of the start field where `answer_source` is `start`.',
    }),
    section_id: Uuid.nullable().meta({ description: 'Null in the Start section.' }),
    instance_index: z.int().min(0),
    instance_path: InstancePath,
    previous_value: z.unknown(),
    value: z.unknown(),
    previous_note: z.string(),
    note: z.string(),
    previous_is_na: z.boolean(),
    is_na: z.boolean(),
    version: z.int().min(1).meta({
      description: 'Of the answer’s record, once changed; of the inspection for a start answer.',
    }),
    changed_by: Uuid,
    changed_at: Timestamp,
  })
  .meta({ id: 'Revision', description: 'One saved change of one answer.' });
export type Revision = z.output<typeof Revision>;

export const RevisionPage = z
  .strictObject({
    items: z.array(Revision),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'Where the next page begins; null at the end of what there is.' }),
  })
  .meta({ id: 'RevisionPage' });
export type RevisionPage = z.output<typeof RevisionPage>;

export const revisionQuery = z.strictObject({
  cursor: z.string().max(2_000).optional(),
  limit: z.int().min(1).max(200).default(50),
  include_start: z.boolean().default(false).meta({
    description: 'Whether changes of start answers are merged into the sequence.',
  }),
});
export type RevisionQuery = z.output<typeof revisionQuery>;
