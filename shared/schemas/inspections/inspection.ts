import * as z from 'zod';
import { ExpectedVersion, ExternalRef, Instant, Name, resourceFields, Timestamp, Uuid } from '../common.ts';
import { CorrectionMode } from '../templates/family.ts';

export const InspectionStatus = z.enum([
  'scheduled',
  'in_progress',
  'pending_approval',
  'pending_sign_off',
  'completed',
  'archived',
]);
export type InspectionStatus = z.output<typeof InspectionStatus>;

const ParticipantRole = z.enum(['inspector', 'lead', 'approver', 'signatory']).meta({
  description:
    'Inspectors and leads have a part to submit before the inspection moves on; approvers and signatories take part once it has.',
});

export const Participant = z
  .strictObject({
    user_id: Uuid,
    name: z.string().meta({ description: 'As it was when the member was assigned.' }),
    role: ParticipantRole,
    section_ids: z.array(Uuid),
    status: z.enum(['assigned', 'started', 'submitted']),
    submitted_at: Timestamp.nullable(),
    reopened_at: Timestamp.nullable(),
  })
  .meta({ id: 'Participant', description: 'A member who takes part in an inspection.' });
export type Participant = z.output<typeof Participant>;

const NewParticipant = z
  .strictObject({
    user_id: Uuid,
    role: ParticipantRole.default('inspector'),
    section_ids: z.array(Uuid).max(300).default([]).meta({
      description: 'The sections that are this participant’s part; empty when the parts are not divided.',
    }),
  })
  .meta({ id: 'NewParticipant' });
export type NewParticipant = z.output<typeof NewParticipant>;

/** Each is two rows of their own, and an exchange of all of them has to fit into one transaction. */
const MOST_PARTICIPANTS = 20;
/** All of them have to fit into the inspection's row. */
const MOST_SECTION_IDS = 2_000;

const Participants = z
  .array(NewParticipant)
  .max(MOST_PARTICIPANTS)
  .check(({ value: participants, issues }) => {
    const refuse = (input: unknown, path: PropertyKey[], message: string) =>
      issues.push({ code: 'custom', message: `Value error, ${message}`, input, path });
    const seen = new Set<string>();
    for (const [position, { user_id }] of participants.entries()) {
      if (seen.has(user_id)) refuse(user_id, [position, 'user_id'], 'member is named twice');
      seen.add(user_id);
    }
    const count = participants.reduce((sum, { section_ids }) => sum + section_ids.length, 0);
    if (count > MOST_SECTION_IDS) {
      refuse(participants, [], `all section_ids together are at most ${MOST_SECTION_IDS}`);
    }
  });

const StartAnswers = z.record(z.string().max(100), z.unknown());

export const Score = z
  .strictObject({
    percentage: z.number().nullable().meta({ description: 'Null where nothing could be scored.' }),
    points: z.number(),
    max: z.number(),
    result: z.enum(['pass', 'fail']).nullable(),
  })
  .meta({
    id: 'Score',
    description:
      'What the answers earn of what they could, frozen when the inspection is handed in. `points` and `max` add up the fields that count, whatever the method.',
  });
export type Score = z.output<typeof Score>;

export const Signature = z
  .strictObject({ user_id: Uuid, signed_name: z.string(), signed_at: Timestamp })
  .meta({ id: 'Signature', description: 'Who signed the inspection off, and who handed the signature in.' });
export type Signature = z.output<typeof Signature>;

const fields = {
  name: Name,
  client_account_id: Uuid.nullable().meta({
    description: 'Where the location belongs to a client, that client, also when it is left out.',
  }),
  location_id: Uuid.nullable(),
  scheduled_for: Instant.nullable(),
  due_at: Instant.nullable(),
  participants: Participants,
  approver_id: Uuid.nullable(),
  start_answers: StartAnswers.meta({ description: 'Answers to the start fields, by their keys.' }),
  external_ref: ExternalRef.nullable(),
};

export const Inspection = z
  .strictObject({
    ...resourceFields,
    ...fields,
    number: z.int().min(1).meta({ description: 'Counted up within the organization; gaps are possible.' }),
    template_family_id: Uuid,
    template_id: Uuid.meta({ description: 'The published version that it pinned when it was created.' }),
    status: InspectionStatus,
    requires_approval: z.boolean(),
    requires_sign_off: z.boolean(),
    correction_mode: CorrectionMode,
    active_correction_id: Uuid.nullable(),
    source: z.enum(['manual', 'api', 'self', 'schedule', 'duplicate', 'issue']),
    schedule_id: Uuid.nullable(),
    occurrence_date: z.iso.date().nullable(),
    scheduled_for: Timestamp.nullable(),
    due_at: Timestamp.nullable(),
    started_at: Timestamp.nullable(),
    submitted_at: Timestamp.nullable(),
    approved_at: Timestamp.nullable(),
    signed_off_at: Timestamp.nullable(),
    completed_at: Timestamp.nullable(),
    archived_at: Timestamp.nullable(),
    archived_from: InspectionStatus.nullable().meta({
      description: 'The status it had when it was archived.',
    }),
    is_overdue: z.boolean().meta({ description: 'Past `due_at` while scheduled or in progress.' }),
    participants: z.array(Participant),
    approval_outcome: z.enum(['approved', 'changes_requested', 'rejected']).nullable().meta({
      description: 'The last decision on it.',
    }),
    comment: z.string().nullable().meta({ description: 'What was said with the last advance.' }),
    signatures: z.array(Signature),
    score: Score.nullable().meta({
      description:
        'Null until the inspection is handed in, and where its template does not score. What it would be by now is in `GET /inspections/{inspection_id}/score`.',
    }),
    progress: z
      .strictObject({ answered: z.int().min(0), required: z.int().min(0), total: z.int().min(0) })
      .meta({ id: 'Progress' }),
    findings_count: z.int().min(0),
    open_corrective_actions_count: z.int().min(0),
    created_by: Uuid,
    version: z
      .int()
      .min(1)
      .meta({ description: 'Moves on with each change but those of answers and findings.' }),
  })
  .meta({ id: 'Inspection', description: 'One inspection: a pinned template version, answered.' });
export type Inspection = z.output<typeof Inspection>;

export const NewInspection = z
  .strictObject({
    template_family_id: Uuid,
    name: Name.optional().meta({ description: "The family's name when left out." }),
    client_account_id: fields.client_account_id.default(null),
    location_id: fields.location_id.default(null),
    scheduled_for: fields.scheduled_for.default(null),
    due_at: fields.due_at.default(null),
    participants: Participants.default([]),
    approver_id: fields.approver_id.default(null),
    start_answers: fields.start_answers.default({}),
    external_ref: fields.external_ref.default(null),
  })
  .meta({ id: 'NewInspection' });
export type NewInspection = z.output<typeof NewInspection>;

export const InspectionChanges = z
  .strictObject({
    ...fields,
    start_answers: StartAnswers.meta({ description: 'Only the keys present are written; null clears one.' }),
    expected_version: ExpectedVersion,
  })
  .partial()
  .meta({ id: 'InspectionChanges' });
export type InspectionChanges = Omit<z.output<typeof InspectionChanges>, 'expected_version'>;

const { participants: _participants, ...ownFields } = NewInspection.shape;

export const NewOwnInspection = z.strictObject(ownFields).meta({
  id: 'NewOwnInspection',
  description: 'An inspection that its creator carries out alone, from now on.',
});
export type NewOwnInspection = z.output<typeof NewOwnInspection>;

const { participants: _changed, ...ownChanges } = InspectionChanges.shape;

export const OwnInspectionChanges = z.strictObject(ownChanges).meta({ id: 'OwnInspectionChanges' });
export type OwnInspectionChanges = Omit<z.output<typeof OwnInspectionChanges>, 'expected_version'>;

export const Advance = z
  .strictObject({
    to: InspectionStatus.optional().meta({
      description: 'Refused with 409 unless the step leads to this status.',
    }),
    decision: z.enum(['approve', 'request_changes', 'reject']).optional(),
    comment: z
      .string()
      .trim()
      .min(1)
      .max(10_000)
      .optional()
      .meta({ description: 'Required to request changes.' }),
    sign_off: z
      .strictObject({ signed_name: Name })
      .optional()
      .meta({ description: 'A signature; the last required one completes the inspection.' }),
    expected_version: ExpectedVersion.optional(),
  })
  .check(({ value: { decision, comment, sign_off }, issues }) => {
    if (decision === 'request_changes' && comment === undefined) {
      issues.push({ code: 'invalid_type', expected: 'string', input: undefined, path: ['comment'] });
    }
    if (decision !== undefined && sign_off !== undefined) {
      issues.push({
        code: 'custom',
        message: 'Value error, decision and sign_off are two steps',
        input: sign_off,
        path: ['sign_off'],
      });
    }
  })
  .meta({ id: 'Advance', description: 'The step to take; an empty body takes the one forward.' });
export type Advance = Omit<z.output<typeof Advance>, 'expected_version'>;

/** What inspections are filtered by, in lists and in the summary. */
export const inspectionFilters = {
  status: z.array(InspectionStatus).max(6).optional().meta({ description: 'Repeatable: any of these.' }),
  client_account_id: Uuid.optional(),
  location_id: Uuid.optional(),
  template_family_id: Uuid.optional(),
  assignee_id: Uuid.optional().meta({ description: 'A participant, by user id.' }),
  schedule_id: Uuid.optional(),
  due_after: Instant.optional().meta({ description: 'Due at or after this time.' }),
  due_before: Instant.optional().meta({ description: 'Due before this time.' }),
  completed_after: Instant.optional().meta({ description: 'Completed at or after this time.' }),
  completed_before: Instant.optional().meta({ description: 'Completed before this time.' }),
  overdue: z.boolean().optional(),
  external_ref: ExternalRef.optional(),
  archived: z
    .boolean()
    .optional()
    .meta({ description: 'false leaves the archived out, true lists only them.' }),
  q: z.string().trim().min(1).max(200).optional().meta({ description: 'The number, or a part of the name.' }),
};
const InspectionFilters = z.strictObject(inspectionFilters);
export type InspectionFilters = z.output<typeof InspectionFilters>;

const Count = z.int().min(0);

export const InspectionSummary = z
  .strictObject({
    scheduled: Count,
    in_progress: Count,
    pending_approval: Count,
    pending_sign_off: Count,
    completed: Count,
    archived: Count,
    overdue: Count.meta({ description: 'Of the scheduled and those in progress.' }),
    total: Count,
  })
  .meta({ id: 'InspectionSummary', description: 'How many inspections are in which status.' });
export type InspectionSummary = z.output<typeof InspectionSummary>;
