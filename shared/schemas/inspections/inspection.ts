import * as z from 'zod';
import {
  CorrectionMode,
  ParticipantRole,
  ActedViaKeyId,
  Count,
  ExpectedVersion,
  ExternalRef,
  Instant,
  Name,
  RequiredText,
  SearchText,
  Timestamp,
  UNTOLD,
  Uuid,
} from '../common.ts';
import { NewOutsideContact, OutsideContact } from '../contact.ts';
import { labelFields, labelFilters } from '../labels.ts';
import {
  changedAs,
  derived,
  initially,
  omittable,
  once,
  optional,
  resource,
  shownAs,
  unseen,
} from '../resource.ts';
import { aboveFilters, anyOf, overdueFilters } from '../surroundings.ts';
import { InstancePath, NewInstance } from './answer.ts';

export const InspectionStatus = z.enum([
  'scheduled',
  'in_progress',
  'pending_approval',
  'pending_sign_off',
  'completed',
  'archived',
]);
export type InspectionStatus = z.output<typeof InspectionStatus>;

export const InspectionSource = z.enum([
  'manual',
  'api',
  'self',
  'schedule',
  'duplicate',
  'issue',
  'reinspection',
]);

const ReinspectionScope = z.enum(['failed', 'all']).meta({
  description:
    '`failed` asks again what failed and carries over all other answers; `all` asks everything again and carries over nothing.',
});

const Role = ParticipantRole.meta({
  description:
    'Inspectors and leads each submit a part of the inspection. Approvers and signatories act after all parts are submitted.',
});

export const Participant = z
  .strictObject({
    user_id: Uuid,
    name: z.string().meta({ description: 'The member’s name at the time of the assignment.' }),
    role: Role,
    section_ids: z.array(Uuid),
    status: z.enum(['assigned', 'started', 'submitted']),
    submitted_at: Timestamp.nullable(),
    reopened_at: Timestamp.nullable(),
  })
  .meta({ id: 'Participant', description: 'A member who takes part in an inspection.' });
export type Participant = z.output<typeof Participant>;

/** Sections of one participant's part; a template has no more. */
const MAX_PART_SECTIONS = 300;

const NewParticipant = z
  .strictObject({
    user_id: Uuid.meta({
      description:
        'An active member whose role fits: `GET /members/assignable` lists who can be an inspector or lead. A key that was revoked, has expired or may only read cannot take part.',
    }),
    role: Role.default('inspector'),
    section_ids: z.array(Uuid).max(MAX_PART_SECTIONS).default([]).meta({
      description: 'The sections of this participant’s part; empty when the work is not divided by sections.',
    }),
  })
  .meta({ id: 'NewParticipant' });
export type NewParticipant = z.output<typeof NewParticipant>;

/** Participants of an inspection. Each has two rows, and one transaction must be able to replace them all. */
const MAX_PARTICIPANTS = 20;

const ARCHIVE_REASONS = [
  'location_inactive',
  'asset_decommissioned',
  'schedule_changed',
  'schedule_deleted',
] as const;
/** Section ids of all participants together, which are stored in the inspection's row. */
const MAX_SECTION_IDS = 2_000;

const Participants = z
  .array(NewParticipant)
  .max(MAX_PARTICIPANTS)
  .check(({ value: participants, issues }) => {
    const refuse = (input: unknown, path: PropertyKey[], message: string) =>
      issues.push({ code: 'custom', message: `Value error, ${message}`, input, path });
    const seen = new Set<string>();
    for (const [position, { user_id }] of participants.entries()) {
      if (seen.has(user_id)) refuse(user_id, [position, 'user_id'], 'member is listed twice');
      seen.add(user_id);
    }
    const count = participants.reduce((sum, { section_ids }) => sum + section_ids.length, 0);
    if (count > MAX_SECTION_IDS) {
      refuse(participants, [], `participants should have at most ${MAX_SECTION_IDS} section_ids in total`);
    }
  });

const StartAnswers = z.record(z.string().max(100), z.unknown());

export const ScoreResult = z.enum(['pass', 'fail']);

export const Score = z
  .strictObject({
    percentage: z.number().nullable().meta({ description: 'Null when nothing could be scored.' }),
    points: z.number(),
    max: z.number(),
    result: ScoreResult.nullable(),
  })
  .meta({
    id: 'Score',
    description:
      'The points that the answers earned, and the maximum. Frozen when the inspection is submitted. `points` and `max` are sums over the fields that count, whatever the scoring method.',
  });
export type Score = z.output<typeof Score>;

export const Signature = z
  .strictObject({
    user_id: Uuid,
    acted_via_key_id: ActedViaKeyId,
    signed_name: z.string(),
    signed_at: Timestamp.meta({ description: 'When the signature was given, or refused.' }),
    contact: OutsideContact.nullable().meta({
      description: 'How somebody who signed for another party is reached; null when it was not given.',
    }),
    declined: z.boolean().meta({
      description: 'Whether this person refused to sign. The refusal counts as their answer.',
    }),
    reason: z.string().meta({ description: 'Why they refused to sign; empty for a signature.' }),
    before_correction: z.int().min(1).nullable().meta({
      description:
        'The number of the first correction that has changed something since the signature was given; null when none has.',
    }),
  })
  .meta({
    id: 'Signature',
    description:
      'Who signed off the inspection or refused to (`signed_name`), and who submitted this (`user_id`).',
  });
export type Signature = z.output<typeof Signature>;

export const { Inspection, NewInspection, InspectionChanges } = resource(
  'Inspection',
  {
    name: omittable(Name, "The family's name when left out."),
    client_account_id: optional(
      Uuid.nullable().meta({
        description: 'When left out, the client account of the location, if it has one.',
      }),
    ),
    location_id: optional(Uuid.nullable()),
    asset_id: optional(
      Uuid.nullable().meta({
        description:
          'The asset that is inspected; `409` for a decommissioned one. An inspection that is created without a `location_id` takes place where the asset is.',
      }),
    ),
    allow_inactive: once(
      unseen(
        omittable(
          z
            .boolean()
            .meta({ description: 'Whether the location may be inactive, which is `409` otherwise.' }),
        ),
      ),
    ),
    scheduled_for: shownAs(Timestamp.nullable(), optional(Instant.nullable())),
    due_at: shownAs(Timestamp.nullable(), optional(Instant.nullable())),
    participants: shownAs(z.array(Participant), initially([], Participants)),
    approver_id: optional(
      Uuid.nullable().meta({
        description:
          'A member who can approve: an active admin or approver, or a key that can write, where the template family lets keys decide. The approver takes no part in the inspection.',
      }),
    ),
    start_answers: changedAs(
      StartAnswers.meta({ description: 'Changes only the keys that are present; null clears an answer.' }),
      initially({}, StartAnswers.meta({ description: 'The answers to the start fields, by key.' })),
    ),
    external_ref: optional(ExternalRef.nullable()),
    ...labelFields,
    ...derived({
      number: z
        .int()
        .min(1)
        .meta({ description: 'A sequential number within the organization; gaps are possible.' }),
    }),
    template_family_id: once(Uuid),
    ...derived({
      template_id: Uuid.meta({
        description:
          'The template version that was published when the inspection was created, or that of the inspection which it duplicates or inspects again; it never changes.',
      }),
      status: InspectionStatus,
      requires_approval: z.boolean(),
      requires_sign_off: z.boolean(),
      correction_mode: CorrectionMode,
      active_correction_id: Uuid.nullable().meta({
        description: 'The correction that is open or awaits approval.',
      }),
      correction_status: z.enum(['none', 'open', 'pending_approval']).meta({
        description:
          'Whether a correction is open, or awaits approval. The inspection stays `completed` meanwhile, and what it was completed with stays as it is.',
      }),
      source: InspectionSource,
      schedule_id: Uuid.nullable(),
      issue_id: Uuid.nullable().meta({ description: 'The issue that it was started from.' }),
    }),
    prefill_from_inspection_id: shownAs(
      Uuid.nullable().meta({
        description: 'The earlier inspection that it was started from; null for none.',
      }),
      once(
        optional(
          Uuid.nullable(),
          'An earlier inspection of the same template family. Its answers are suggestions in this one (`is_prefilled`) until they are confirmed: those to fields that this template version still has, with a value that the field still takes. Photos, files and signatures are evidence of their day and are not taken over.',
        ),
      ),
    ),
    ...derived({
      reinspection_of_id: Uuid.nullable().meta({
        description: 'The inspection that this one inspects again; null for none.',
      }),
      reinspection_scope: ReinspectionScope.nullable().meta({
        description: 'What a re-inspection asks again; null for any other inspection.',
      }),
      reinspections_count: Count.meta({
        description: `The re-inspections that follow from it: its own, which \`GET /inspections?reinspection_of_id=…\` lists, and those of each of them. ${UNTOLD}`,
      }),
      occurrence_date: z.iso.date().nullable(),
      started_at: Timestamp.nullable(),
      submitted_at: Timestamp.nullable(),
      approved_at: Timestamp.nullable(),
      signed_off_at: Timestamp.nullable(),
      completed_at: Timestamp.nullable(),
      archived_at: Timestamp.nullable(),
      archived_from: InspectionStatus.nullable().meta({
        description: 'The status before the inspection was archived; null unless it is archived.',
      }),
      archive_reason: z.enum(ARCHIVE_REASONS).nullable().meta({
        description:
          'Why the service archived the inspection before anybody had started it: its asset was decommissioned, the location of an inspection of a schedule became inactive, or its schedule was changed or deleted with `created=archive`. When the location is active again before the inspection would start, it is restored. Null for an inspection that somebody has archived.',
      }),
      is_overdue: z.boolean().meta({
        description: 'Whether `due_at` has passed while the inspection is scheduled or in_progress.',
      }),
      missed_after: Timestamp.nullable().meta({
        description:
          'When the inspection counts as missed unless it has been started; null when it never does.',
      }),
      is_missed: z.boolean().meta({
        description: 'Whether the inspection was not started by `missed_after`. It can still be started.',
      }),
      approval_outcome: z.enum(['approved', 'changes_requested', 'rejected']).nullable().meta({
        description:
          'The last decision of an approver or signatory on the inspection; null before the first.',
      }),
      comment: z
        .string()
        .nullable()
        .meta({ description: 'The comment of the last advance; null when it had none.' }),
      signatures: z.array(Signature),
      score: Score.nullable().meta({
        description:
          'Null until the inspection is submitted, and for a template without scoring. `GET /inspections/{inspection_id}/score` returns the current score at any time.',
      }),
      progress: z.strictObject({ answered: Count, required: Count, total: Count }).meta({
        id: 'Progress',
        description: `How many questions are answered, must be, and are asked. ${UNTOLD}`,
      }),
      findings_count: Count.meta({ description: `How many findings it has. ${UNTOLD}` }),
      open_corrective_actions_count: Count.meta({
        description: `How many of the corrective actions of its findings are neither verified nor cancelled. ${UNTOLD}`,
      }),
      updated_at: Timestamp.meta({
        description: `When it was last changed, or its answers, findings or corrective actions were. ${UNTOLD}`,
      }),
      created_by: Uuid,
    }),
  },
  {
    description: 'An inspection: the answers to one fixed version of a template.',
    version:
      'Increases with every change of the inspection, but not with changes of its answers and findings.',
    created: { before: { template_family_id: 'name' } },
  },
);
export type Inspection = z.output<typeof Inspection>;
export type NewInspection = z.output<typeof NewInspection>;
export type InspectionChanges = Omit<z.output<typeof InspectionChanges>, 'expected_version'>;

/** Fields that a request names to be asked again. */
const MAX_ALSO_ASKED = 100;

/** Instances that a request adds: each takes a write in the transaction that creates the re-inspection. */
const MAX_ADDED = 20;

/** Instances that a request removes. */
const MAX_REMOVED = 100;

const ReinspectedInstances = z
  .strictObject({
    add: z.array(NewInstance).max(MAX_ADDED).default([]).meta({
      description:
        'New instances of repeat sections, in which everything is asked. Each gets the next index, reserved for its `client_instance_id`.',
    }),
    remove: z.array(InstancePath.min(1).toLowerCase()).max(MAX_REMOVED).default([]).meta({
      description:
        'The paths of instances that are not inspected again, such as a unit that is gone. Nothing in them is asked or carried over; the first inspection keeps them, and findings in them stay as they are.',
    }),
  })
  .meta({
    id: 'ReinspectedInstances',
    description: 'With `scope` `failed`, how the instances differ from those of the first inspection.',
  });

export const NewReinspection = z
  .strictObject({
    scope: ReinspectionScope.default('failed'),
    template: z.enum(['pinned', 'current']).default('pinned').meta({
      description:
        'The template version: `pinned` is that of the first inspection, `current` the published one. Answers to fields that the published version no longer has, or no longer takes, are left out; its new fields can be answered.',
    }),
    name: Name.optional().meta({ description: 'That of the first inspection when left out.' }),
    scheduled_for: NewInspection.shape.scheduled_for,
    due_at: NewInspection.shape.due_at,
    participants: Participants.optional().meta({
      description: 'When left out, those of the first inspection who can still take part.',
    }),
    approver_id: Uuid.nullable().optional().meta({
      description: 'When left out, that of the first inspection, if they can still approve.',
    }),
    start_answers: StartAnswers.default({}).meta({
      description: 'Changes to the start answers of the first inspection, by key; null clears an answer.',
    }),
    external_ref: NewInspection.shape.external_ref,
    also_ask: z.array(Uuid).max(MAX_ALSO_ASKED).default([]).meta({
      description:
        'With `scope` `failed`, fields that are asked again although they have not failed, such as a temperature beside a failed question, with the fields that depend on them. In a repeat section they are asked in the instances in which something failed, or that are added; in all instances where there are none.',
    }),
    instances: ReinspectedInstances.prefault({}),
  })
  .check(({ value: { scope, also_ask, instances }, issues }) => {
    const { add, remove } = instances;
    const given = { also_ask, 'instances.add': add, 'instances.remove': remove };
    for (const [name, list] of Object.entries(given))
      if (scope === 'all' && list.length > 0) {
        const message = `Value error, needs the scope failed: with all, everything is asked and can be changed`;
        issues.push({ code: 'custom', message, input: list, path: name.split('.') });
      }
    const ids = add.map(({ client_instance_id }) => client_instance_id);
    if (new Set(ids).size < ids.length) {
      const message = 'Value error, a client_instance_id is listed twice';
      issues.push({ code: 'custom', message, input: ids, path: ['instances', 'add'] });
    }
  })
  .meta({ id: 'NewReinspection' });
export type NewReinspection = z.output<typeof NewReinspection>;

const { participants: _participants, allow_inactive: _allowed, ...ownFields } = NewInspection.shape;

export const NewOwnInspection = z.strictObject(ownFields).meta({
  id: 'NewOwnInspection',
  description: 'An inspection that its creator carries out alone and starts at once.',
});
export type NewOwnInspection = z.output<typeof NewOwnInspection>;

const { participants: _changed, ...ownChanges } = InspectionChanges.shape;

export const OwnInspectionChanges = z.strictObject(ownChanges).meta({ id: 'OwnInspectionChanges' });
export type OwnInspectionChanges = Omit<z.output<typeof OwnInspectionChanges>, 'expected_version'>;

/**
 * Characters of the reason of a refusal to sign. The inspection's row holds one for each signature that was refused.
 */
const MAX_REFUSAL = 1_000;

/** The decisions that need a comment. */
const NEEDS_COMMENT: ReadonlySet<string | undefined> = new Set(['request_changes', 'decline']);

export const Advance = z
  .strictObject({
    to: InspectionStatus.optional().meta({
      description: 'The status that the step must lead to; otherwise it is refused with 409.',
    }),
    decision: z.enum(['approve', 'request_changes', 'reject', 'decline']).optional().meta({
      description:
        '`approve` and `reject` are for pending_approval, `decline` (a refusal to sign) is for pending_sign_off, and `request_changes` is for both.',
    }),
    comment: RequiredText.optional().meta({
      description: `Required with \`request_changes\`, and with \`decline\`, where it is the reason and has at most ${MAX_REFUSAL} characters.`,
    }),
    sign_off: z
      .strictObject({
        signed_name: Name,
        contact: NewOutsideContact.nullable().default(null).meta({
          description: 'How the person is reached, if they sign for another party.',
        }),
      })
      .optional()
      .meta({
        description:
          'A signature. The last required one completes the inspection. Each person signs once: a participant cannot sign under a second name, and no name can sign twice. With `decline`, it says who refuses; when left out, that is the caller.',
      }),
    expected_version: ExpectedVersion.optional(),
  })
  .check(({ value: { decision, comment, sign_off }, issues }) => {
    if (NEEDS_COMMENT.has(decision) && comment === undefined) {
      issues.push({ code: 'invalid_type', expected: 'string', input: undefined, path: ['comment'] });
    }
    if (decision === 'decline' && comment !== undefined && comment.length > MAX_REFUSAL) {
      issues.push({
        code: 'too_big',
        origin: 'string',
        maximum: MAX_REFUSAL,
        inclusive: true,
        input: comment,
        path: ['comment'],
      });
    }
    if (decision !== undefined && decision !== 'decline' && sign_off !== undefined) {
      issues.push({
        code: 'custom',
        message: 'Value error, give either this decision or sign_off',
        input: sign_off,
        path: ['sign_off'],
      });
    }
  })
  .meta({ id: 'Advance', description: 'The step to take. An empty body takes the next step.' });
export type Advance = Omit<z.output<typeof Advance>, 'expected_version'>;

export const Decision = z
  .strictObject({
    decision: z.enum(['approve', 'request_changes', 'reject']),
    comment: RequiredText.optional().meta({
      description: 'The comment of the decision. Required with `request_changes`.',
    }),
    expected_version: ExpectedVersion.optional(),
  })
  .check(({ value: { decision, comment }, issues }) => {
    if (decision === 'request_changes' && comment === undefined) {
      issues.push({ code: 'invalid_type', expected: 'string', input: undefined, path: ['comment'] });
    }
  })
  .meta({ id: 'Decision', description: 'A decision about an inspection or a correction.' });
export type Decision = Omit<z.output<typeof Decision>, 'expected_version'>;

/** The filters of lists of inspections and of the summary. */
export const inspectionFilters = {
  status: z
    .array(InspectionStatus)
    .max(6)
    .optional()
    .meta({ description: 'Any of these statuses; the parameter can be repeated.' }),
  client_account_id: Uuid.optional().meta({ description: 'Only inspections of this client account.' }),
  location_id: Uuid.optional().meta({ description: 'Only inspections at this location.' }),
  asset_id: Uuid.optional().meta({ description: 'Only inspections of this asset.' }),
  template_family_id: Uuid.optional().meta({ description: 'Only inspections of this template family.' }),
  assignee_id: Uuid.optional().meta({ description: 'The user id of a participant.' }),
  approver_id: z
    .union([z.literal('me'), Uuid])
    .optional()
    .meta({
      description:
        'Only what waits for this approver: inspections in `pending_approval` whose approver is this member, also as a participant with the role `approver` or as an approver of their template family. Inspections that the member may not approve, because they have worked on them, are left out. `me` is the caller: the member for whom the key acts (`On-Behalf-Of`), or else the key itself.',
    }),
  schedule_id: Uuid.optional().meta({ description: 'Only inspections that this schedule has created.' }),
  source: InspectionSource.optional(),
  reinspection_of_id: Uuid.optional().meta({
    description: 'Only re-inspections of this inspection, without those that inspect these again.',
  }),
  result: ScoreResult.optional().meta({ description: 'Only those whose score has this result.' }),
  score_min: z
    .number()
    .optional()
    .meta({ description: 'Only with at least this percentage as their score.', examples: [80] }),
  score_max: z
    .number()
    .optional()
    .meta({ description: 'Only with at most this percentage as their score.', examples: [79.9] }),
  scheduled_after: Instant.optional().meta({ description: 'Scheduled for this time or later.' }),
  scheduled_before: Instant.optional().meta({ description: 'Scheduled for a time before this one.' }),
  due_after: Instant.optional().meta({ description: 'Due at or after this time.' }),
  due_before: Instant.optional().meta({ description: 'Due before this time.' }),
  completed_after: Instant.optional().meta({ description: 'Completed at or after this time.' }),
  completed_before: Instant.optional().meta({ description: 'Completed before this time.' }),
  ...overdueFilters,
  external_ref: ExternalRef.optional().meta({ description: 'Only the one with this `external_ref`.' }),
  ...labelFilters,
  archived: z
    .boolean()
    .optional()
    .meta({ description: '`false` leaves out archived inspections, `true` lists only those.' }),
  q: SearchText.optional().meta({
    description: 'The number, a part of the name, or the beginning of the `external_ref`.',
  }),
};
export const InspectionFilters = z.strictObject(inspectionFilters).meta({ id: 'InspectionFilters' });
export type InspectionFilters = z.output<typeof InspectionFilters>;

/** The filters of lists and of the summary: some of those of a selection, with several values. */
export const inspectionListFilters = {
  ...inspectionFilters,
  client_account_id: anyOf(Uuid, 'Only of one of these client accounts.'),
  location_id: anyOf(Uuid, 'Only at one of these locations.'),
  asset_id: anyOf(Uuid, 'Only of one of these assets.'),
  ...aboveFilters,
  template_family_id: anyOf(Uuid, 'Only of one of these template families.'),
  assignee_id: anyOf(Uuid, 'Only with one of these members as a participant, by their user ids.'),
  source: anyOf(InspectionSource, 'Only from one of these sources.'),
};
const InspectionListFilters = z.strictObject(inspectionListFilters);
export type InspectionListFilters = z.output<typeof InspectionListFilters>;

export const InspectionSort = z.enum(['-created_at', 'due_at', '-due_at']).optional().meta({
  description:
    'The order: `-created_at`, the newest first, or by the due date. By the due date, only inspections that are scheduled or in_progress and have one are listed. There is no other order.',
});

/** The number of inspections in each status. */
export const InspectionSummary = z.strictObject({
  scheduled: Count,
  in_progress: Count,
  pending_approval: Count,
  pending_sign_off: Count,
  completed: Count,
  archived: Count,
  overdue: Count.meta({ description: 'Inspections that are scheduled or in_progress and overdue.' }),
  total: Count,
});
export type InspectionSummary = z.output<typeof InspectionSummary>;
