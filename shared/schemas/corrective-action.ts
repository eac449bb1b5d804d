import * as z from 'zod';
import {
  ExpectedVersion,
  ExternalRef,
  Instant,
  listQuery,
  resourceFields,
  Timestamp,
  Uuid,
} from './common.ts';
import { Priority } from './templates/content.ts';

const Title = z.string().trim().min(1).max(500);
const Text = z.string().max(10_000);
/** What must be said, and not by white space alone. */
const Said = z.string().trim().min(1).max(10_000);

export const CorrectiveActionStatus = z.enum([
  'open',
  'in_progress',
  'pending_verification',
  'verified',
  'cancelled',
]);
export type CorrectiveActionStatus = z.output<typeof CorrectiveActionStatus>;

const fields = {
  title: Title,
  description: Text,
  priority: Priority,
  assignee_id: Uuid.nullable().meta({ description: 'An active member, or the service identity of a key.' }),
  due_at: Instant.nullable(),
  evidence_required: z.boolean().meta({
    description: 'Whether it awaits verification only with an attachment of stage `after`.',
  }),
  external_ref: ExternalRef.nullable(),
};

export const CorrectiveAction = z
  .strictObject({
    ...resourceFields,
    ...fields,
    finding_id: Uuid,
    inspection_id: Uuid,
    client_account_id: Uuid.nullable().meta({ description: 'The inspection’s.' }),
    location_id: Uuid.nullable().meta({ description: 'The inspection’s.' }),
    number: z.int().min(1).meta({ description: 'Counted up within the organization; gaps are possible.' }),
    status: CorrectiveActionStatus,
    due_at: Timestamp.nullable().meta({
      description: 'Of one that a failed answer led to, the template’s `due_in_days` times 24 hours later.',
    }),
    is_overdue: z.boolean().meta({ description: 'Past `due_at` while open or in progress.' }),
    evidence_count: z.int().min(0).meta({ description: 'Attachments of stage `after`.' }),
    completed_at: Timestamp.nullable(),
    completed_by: Uuid.nullable(),
    completion_note: Text,
    verified_at: Timestamp.nullable(),
    verified_by: Uuid.nullable(),
    verification_note: Text.meta({ description: 'Said with the last verdict, whichever it was.' }),
    reopened_at: Timestamp.nullable(),
    reopen_reason: Text,
    reopen_count: z.int().min(0),
    created_by: Uuid,
    version: z.int().min(1).meta({
      description: 'Moves on with each change, and with each comment and attachment.',
    }),
  })
  .meta({ id: 'CorrectiveAction', description: 'What is done about a finding, until someone verifies it.' });
export type CorrectiveAction = z.output<typeof CorrectiveAction>;

export const NewCorrectiveAction = z
  .strictObject({
    title: Title,
    description: fields.description.default(''),
    priority: fields.priority.default('medium'),
    assignee_id: fields.assignee_id.default(null),
    due_at: fields.due_at.default(null),
    evidence_required: fields.evidence_required.default(false),
    external_ref: fields.external_ref.default(null),
  })
  .meta({ id: 'NewCorrectiveAction' });
export type NewCorrectiveAction = z.output<typeof NewCorrectiveAction>;

export const CorrectiveActionChanges = z
  .strictObject({
    ...fields,
    status: CorrectiveActionStatus.meta({
      description: '`in_progress`, `pending_verification` or `cancelled`, where the step there is open.',
    }),
    completion_note: Text,
    expected_version: ExpectedVersion,
  })
  .partial()
  .meta({ id: 'CorrectiveActionChanges' });
export type CorrectiveActionChanges = Omit<z.output<typeof CorrectiveActionChanges>, 'expected_version'>;

export const Verification = z
  .strictObject({
    accepted: z.boolean().default(true).meta({ description: 'false sends it back to be done again.' }),
    note: Text.default(''),
    expected_version: ExpectedVersion.optional(),
  })
  .meta({ id: 'Verification', description: 'Whether what was done is enough.' });
export type Verification = Omit<z.output<typeof Verification>, 'expected_version'>;

export const Reopening = z
  .strictObject({ reason: Said, expected_version: ExpectedVersion.optional() })
  .meta({ id: 'Reopening' });

const ActivityKind = z.enum([
  'created',
  'status_changed',
  'assigned',
  'due_changed',
  'commented',
  'attachment_added',
  'attachment_removed',
  'verified',
  'reopened',
]);
export type ActivityKind = z.output<typeof ActivityKind>;

export const Activity = z
  .strictObject({
    id: Uuid,
    kind: ActivityKind,
    actor_id: Uuid,
    from: z.string().nullable().meta({ description: 'The status, assignee or due time before.' }),
    to: z.string().nullable().meta({ description: 'The same after; of an attachment, its document.' }),
    note: Text,
    at: Timestamp,
  })
  .meta({ id: 'Activity', description: 'What happened to a corrective action.' });
export type Activity = z.output<typeof Activity>;

export const NewComment = z.strictObject({ note: Said }).meta({ id: 'NewComment' });
export type NewComment = z.output<typeof NewComment>;

const Stage = z.enum(['before', 'after']);
const Caption = z.string().max(500);

export const Attachment = z
  .strictObject({
    ...resourceFields,
    document_id: Uuid,
    stage: Stage,
    caption: Caption,
    added_by: Uuid,
    file_name: z.string(),
    mime_type: z.string(),
    size_bytes: z.int().min(1),
  })
  .meta({ id: 'Attachment', description: 'A document linked to a corrective action.' });
export type Attachment = z.output<typeof Attachment>;

export const DownloadableAttachment = z
  .strictObject({
    ...Attachment.shape,
    download_url: z.url().meta({ description: 'Signed, valid for 15 minutes, made anew on each read.' }),
  })
  .meta({ id: 'DownloadableAttachment' });
export type DownloadableAttachment = z.output<typeof DownloadableAttachment>;

export const NewAttachment = z
  .strictObject({
    document_id: Uuid,
    stage: Stage.default('after').meta({ description: 'Whether it shows what was found, or what was done.' }),
    caption: Caption.default(''),
  })
  .meta({ id: 'NewAttachment' });
export type NewAttachment = z.output<typeof NewAttachment>;

const status = z
  .array(CorrectiveActionStatus)
  .max(5)
  .optional()
  .meta({ description: 'Repeatable: any of these.' });

export const myCorrectiveActionQuery = listQuery({ status, external_ref: ExternalRef.optional() });
export type MyCorrectiveActionQuery = z.output<typeof myCorrectiveActionQuery>;

export const correctiveActionQuery = listQuery({
  status,
  finding_id: Uuid.optional(),
  assignee_id: Uuid.optional(),
  external_ref: ExternalRef.optional(),
});
export type CorrectiveActionQuery = z.output<typeof correctiveActionQuery>;
