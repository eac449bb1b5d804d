import * as z from 'zod';
import {
  ActedViaKeyId,
  Count,
  ExpectedVersion,
  listQuery,
  MAX_CURSOR,
  MAX_PAGE,
  RequiredText,
  resourceFields,
  Timestamp,
  Uuid,
  VisibleText,
} from '../common.ts';
import { anyOf } from '../surroundings.ts';
import { InstancePath } from './answer.ts';

export const CorrectionStatus = z.enum(['open', 'pending_approval', 'closed', 'rejected', 'discarded']).meta({
  description:
    '`closed`: its changes are in force. `pending_approval`: it was closed, and a decision is awaited. `rejected` and `discarded`: its changes were taken back.',
});
export type CorrectionStatus = z.output<typeof CorrectionStatus>;

const Reason = VisibleText.min(1).max(2_000);

export const Correction = z
  .strictObject({
    ...resourceFields,
    inspection_id: Uuid,
    reason: Reason,
    status: CorrectionStatus,
    number: z.int().min(1).nullable().meta({
      description:
        'The number among the corrections of the inspection that are in force, from 1; null until this one is.',
    }),
    revisions_count: Count.meta({ description: 'The number of changes saved in this correction.' }),
    opened_by: Uuid,
    closed_by: Uuid.nullable().meta({
      description: 'Who closed or discarded the correction; null while it is open.',
    }),
    closed_at: Timestamp.nullable(),
    decision: z.enum(['approved', 'changes_requested', 'rejected']).nullable().meta({
      description:
        'The last decision; null before the first. The activity of the inspection has all of them.',
    }),
    decided_by: Uuid.nullable(),
    decided_via_key_id: ActedViaKeyId,
    decided_at: Timestamp.nullable(),
    comment: z.string().nullable().meta({ description: 'The comment of the last decision.' }),
  })
  .meta({
    id: 'Correction',
    description: 'A session in which the answers and the setup of a completed inspection are corrected.',
  });
export type Correction = z.output<typeof Correction>;

/** A decision on a correction that awaits approval. */
export type CorrectionDecision = 'approve' | 'request_changes' | 'reject';

export const NewCorrection = z
  .strictObject({ reason: Reason, expected_version: ExpectedVersion.optional() })
  .meta({ id: 'NewCorrection' });

export const CorrectionComment = z
  .strictObject({ comment: RequiredText.optional(), expected_version: ExpectedVersion.optional() })
  .meta({ id: 'CorrectionComment' });

export const RequestedChanges = z
  .strictObject({ comment: RequiredText, expected_version: ExpectedVersion.optional() })
  .meta({ id: 'RequestedChanges' });

export const correctionQuery = listQuery({ status: anyOf(CorrectionStatus, 'Any of these statuses.') });
export type CorrectionQuery = z.output<typeof correctionQuery>;

export const Revision = z
  .strictObject({
    id: Uuid,
    sequence: z
      .int()
      .min(1)
      .meta({ description: 'The position among all changes of the correction, from 1.' }),
    answer_source: z.enum(['body', 'start', 'setup']).meta({
      description:
        '`body`: an answer; `start`: a start answer; `setup`: a field of the inspection itself, or a finding that was added.',
    }),
    field_id: z.string().meta({
      description:
        'A UUID; the key of the start field when `answer_source` is `start`; the name of the inspection’s field when it is `setup`, and `finding` for a finding.',
    }),
    section_id: Uuid.nullable().meta({
      description: 'Null for a start answer and for a field of the setup.',
    }),
    instance_index: z.int().min(0),
    instance_path: InstancePath,
    previous_value: z.unknown(),
    value: z.unknown(),
    previous_note: z.string(),
    note: z.string(),
    previous_is_na: z.boolean(),
    is_na: z.boolean(),
    previous_client_answered_at: Timestamp.nullable(),
    client_answered_at: Timestamp.nullable().meta({
      description: 'As in the answer; null for a start answer and for the setup.',
    }),
    version: z.int().min(1).meta({
      description:
        'The version of the answer’s record after the change; for a start answer and the setup, of the inspection; for a finding, its own.',
    }),
    changed_by: Uuid,
    acted_via_key_id: ActedViaKeyId,
    changed_at: Timestamp,
  })
  .meta({ id: 'Revision', description: 'A saved change of one answer, or of one field of the setup.' });
export type Revision = z.output<typeof Revision>;

export const RevisionPage = z
  .strictObject({
    items: z.array(Revision),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'The `cursor` of the next page; null on the last page.' }),
  })
  .meta({ id: 'RevisionPage' });
export type RevisionPage = z.output<typeof RevisionPage>;

export const revisionQuery = z.strictObject({
  cursor: z.string().max(MAX_CURSOR).optional(),
  limit: z.int().min(1).max(MAX_PAGE).default(50),
  include_start: z.boolean().default(false).meta({
    description: 'Whether to include changes of start answers, at their place in the sequence.',
  }),
  include_setup: z.boolean().default(false).meta({
    description:
      'Whether to include changes of the setup and findings that were added, at their place in the sequence.',
  }),
});
export type RevisionQuery = z.output<typeof revisionQuery>;
