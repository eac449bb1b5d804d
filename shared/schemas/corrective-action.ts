import * as z from 'zod';
import { ClosedNames } from './closed-names.ts';
import {
  Priority,
  Severity,
  ActedViaKeyId,
  Caption,
  Count,
  ExpectedVersion,
  ExternalRef,
  Instant,
  listQuery,
  RequiredText,
  SearchText,
  Text,
  Timestamp,
  Title,
  Uuid,
  UNNOTICED,
} from './common.ts';
import { Email, SignedUrl, NewOutsideContact, OutsideContact } from './contact.ts';
import { labelFields, labelFilters } from './labels.ts';
import { MailProgress } from './mail.ts';
import { Weekday } from './organization.ts';
import {
  changedAs,
  derived,
  initially,
  later,
  once,
  optional,
  resource,
  shownAs,
  unseen,
} from './resource.ts';
import { anyOf, overdueFilters, surroundingFields, surroundingFilters } from './surroundings.ts';

export const CorrectiveActionStatus = z.enum([
  'open',
  'in_progress',
  'pending_verification',
  'verified',
  'cancelled',
]);
export type CorrectiveActionStatus = z.output<typeof CorrectiveActionStatus>;

export const ContactLink = z
  .strictObject({
    requested_at: Timestamp,
    sent_at: Timestamp.nullable().meta({
      description: `When the mail was sent; null while it was not. ${UNNOTICED}`,
    }),
    error: z
      .string()
      .nullable()
      .meta({
        description: `Why the mail was not sent, or has not arrived, such as an address that takes no mails; null otherwise. ${UNNOTICED}`,
      }),
    mail: MailProgress.optional().meta({
      description: `What became of the mail. Older events do not have it. ${UNNOTICED}`,
    }),
    last_opened_at: Timestamp.nullable().meta({
      description: `When the contact last opened it. ${UNNOTICED}`,
    }),
    expires_at: Timestamp,
  })
  .meta({
    id: 'ContactLink',
    description: 'The link to the action that its contact was mailed last. Former links do not work.',
  });
export type ContactLink = z.output<typeof ContactLink>;

/** The people of a location, or of its region, with a role. */
const OfPlace = z
  .string()
  .regex(
    /^(place|region):.{1,50}$/u,
    'Value error, not a role at the location or in its region such as place:manager or region:manager',
  );

/** Who is told of an overdue action. */
const EscalationTarget = z.union([z.enum(['assignee', 'admins']), Uuid, OfPlace]);

/** Levels of an escalation. */
const MAX_LEVELS = 5;

const EscalationLevel = z
  .strictObject({
    after: z
      .string()
      .regex(/^P\d{1,3}D$/, 'Value error, not a duration in days such as P3D')
      .meta({
        description: 'How long after the due time, in days of 24 hours; `P0D` at the due time.',
        examples: ['P3D'],
      }),
    to: EscalationTarget.meta({
      description:
        'Who is told: the assignee, the active admins (25 at most), or a member by their user id. `place:<role>` are the active members whom `people` of the inspection’s location lists with this role; case is ignored. `region:<role>` are those of its region, or of the nearest region above it that has some. If nobody has the role, the next level that names somebody is told, or else the admins. If there is no assignee, nobody is told. The activity shows who was told.',
    }),
  })
  .meta({ id: 'EscalationLevel', description: 'Who is told how long after an action was due.' });
export type EscalationLevel = z.output<typeof EscalationLevel>;

export const Escalation = z.array(EscalationLevel).max(MAX_LEVELS);
export type Escalation = z.output<typeof Escalation>;

/** Documents that one request can give as evidence. */
const MAX_EVIDENCE = 10;

export const DueBasis = z
  .strictObject({
    from: Timestamp.meta({
      description:
        'The time from which it counts: that of the visit, or that of the finding where the template has only `due_in_days`.',
    }),
    duration: z.string().meta({
      description:
        'How long after that it is due: `P<days>D` in days of the calendar, or `PT<hours>H` in exact hours.',
      examples: ['P30D', 'PT24H'],
    }),
    severity: Severity.meta({ description: 'The severity of the finding by which the rule was chosen.' }),
    timezone: z
      .string()
      .nullable()
      .meta({
        description: 'The time zone in which the last day ends; null for exact hours.',
        examples: ['Europe/Athens'],
      }),
    skipped_days: z
      .array(Weekday)
      .meta({ description: 'The days of the week that were not counted; `[]` where every day counts.' }),
  })
  .meta({
    id: 'DueBasis',
    description: 'How the template has led to the due date of a corrective action.',
  });
export type DueBasis = z.output<typeof DueBasis>;

export const { CorrectiveAction, NewCorrectiveAction, CorrectiveActionChanges } = resource(
  'CorrectiveAction',
  {
    title: Title,
    description: initially('', Text),
    priority: initially('medium', Priority),
    assignee_id: optional(
      Uuid.nullable().meta({
        description:
          'The user id of an active member or of an API key’s service identity; null when unassigned.',
      }),
    ),
    contact: shownAs(
      OutsideContact.nullable().meta({
        description:
          'Somebody outside the organization who does the work; the assignee remains responsible. A contact without any detail counts as none. With an email address, they are mailed a link by which they see this action with what was found and where, add photos as evidence, and say that it is done. A new address, and an action that goes back to work, gets a new link.',
      }),
      changedAs(
        OutsideContact.partial().nullable().meta({
          description: 'Changes only the details that are present; null removes the contact.',
        }),
        optional(NewOutsideContact.nullable(), 'Somebody outside the organization who does the work.'),
      ),
    ),
    due_at: shownAs(
      Timestamp.nullable().meta({
        description:
          'When it is due; null without a due date. Where the template has set it, `due_basis` says how.',
      }),
      optional(Instant.nullable()),
    ),
    ...derived({
      due_basis: DueBasis.nullable().meta({
        description:
          'How `due_at` follows from the template. Null where a person has set it, without a due date, and for older actions.',
      }),
    }),
    escalation: shownAs(
      Escalation.nullable().meta({
        description:
          'Who is told when it is overdue, each level once and only while it is open or in_progress; null for the `escalation` of the template family. Its history says who was told. Nobody is mailed more than one reminder of an action within a day: further ones are notifications only. For an action that is overdue already, levels of the past are left out.',
      }),
      optional(Escalation.nullable()),
    ),
    evidence_required: initially(
      false,
      z.boolean().meta({
        description:
          'Whether an attachment of stage `after` is needed before the status can become pending_verification.',
      }),
    ),
    external_ref: optional(ExternalRef.nullable()),
    ...labelFields,
    ...derived({
      finding_id: Uuid,
      inspection_id: Uuid,
      issue_id: Uuid.nullable().meta({ description: 'The issue that it was created from.' }),
      client_account_id: Uuid.nullable().meta({ description: 'The client account of the inspection.' }),
      location_id: Uuid.nullable().meta({
        description: 'The `location_id` of the finding, or else that of the inspection.',
      }),
      asset_id: Uuid.nullable().meta({ description: 'The asset of the inspection; null for none.' }),
      number: z
        .int()
        .min(1)
        .meta({ description: 'A sequential number within the organization; gaps are possible.' }),
    }),
    status: later(
      CorrectiveActionStatus,
      'The new status: `in_progress`, `pending_verification` or `cancelled`, if the current status allows it.',
    ),
    ...derived({
      is_overdue: z
        .boolean()
        .meta({ description: 'Whether `due_at` has passed while the action is open or in_progress.' }),
      evidence_count: Count.meta({ description: 'The number of attachments of stage `after`.' }),
      completed_at: Timestamp.nullable(),
      completed_by: Uuid.nullable().meta({
        description: 'Who completed it, by `user_id`; null before, and when the contact completed it.',
      }),
      completed_by_contact: z.boolean(),
      contact_link: ContactLink.nullable(),
    }),
    completion_note: initially('', Text, 'What was done, with `completed_on_site`.'),
    completed_on_site: shownAs(
      z.boolean().meta({
        description:
          'Whether it was completed where it was found, when it was found, as `completed_on_site` said.',
      }),
      changedAs(
        z.literal(true).meta({
          description:
            'Completes an action that is open or in_progress, and verifies it, because it was carried out on the spot; instead of `status`. The finding is resolved unless another action of it is unfinished. Where the organization requires a second person to verify the caller’s work (`four_eyes_verification`), the action becomes `pending_verification` instead.',
        }),
        initially(
          false,
          z.boolean(),
          'The action has been carried out already, on the spot. It is created as `verified`, and the finding is resolved unless another action of it is unfinished. Where the organization requires a second person to verify the caller’s work (`four_eyes_verification`), it is created as `pending_verification` instead.',
        ),
      ),
    ),
    evidence: unseen(
      once(
        initially(
          [],
          z.array(z.strictObject({ document_id: Uuid, caption: Caption.default('') })).max(MAX_EVIDENCE),
          'With `completed_on_site`, attachments of stage `after`. At least one is needed with `evidence_required`, or when the template asks for evidence in actions of the field.',
        ),
      ),
    ),
    ...derived({
      verified_at: Timestamp.nullable(),
      verified_by: Uuid.nullable(),
      verified_via_key_id: ActedViaKeyId,
      verification_note: Text.meta({
        description: 'The note of the last verification, whether accepted or not.',
      }),
      reopened_at: Timestamp.nullable(),
      reopen_reason: Text,
      reopen_count: Count,
      names_then: ClosedNames.nullable(),
      created_by: Uuid,
    }),
  },
  {
    description: 'A task that corrects a finding; it ends when someone verifies it.',
    version: 'Increases with every change, comment and attachment.',
    created: {
      before: { contact: 'completed_on_site', completed_on_site: 'completion_note' },
      check: ({ value: { completed_on_site, completion_note, evidence }, issues }) => {
        const given = { completion_note: completion_note !== '', evidence: evidence.length > 0 };
        for (const [name, isGiven] of Object.entries(given))
          if (isGiven && !completed_on_site)
            issues.push({
              code: 'custom',
              message: `Value error, ${name} needs completed_on_site`,
              input: completed_on_site,
              path: [name],
            });
      },
    },
    changed: {
      check: ({ value: { status, completed_on_site }, issues }) => {
        if (status !== undefined && completed_on_site)
          issues.push({
            code: 'custom',
            message: 'Value error, give either status or completed_on_site, not both',
            input: status,
            path: ['status'],
          });
      },
    },
  },
);
export type CorrectiveAction = z.output<typeof CorrectiveAction>;
export type NewCorrectiveAction = z.output<typeof NewCorrectiveAction>;
export type CorrectiveActionChanges = Omit<z.output<typeof CorrectiveActionChanges>, 'expected_version'>;

export const Verification = z
  .strictObject({
    accepted: z
      .boolean()
      .default(true)
      .meta({ description: '`false` sends the action back to in_progress.' }),
    note: Text.default(''),
    resolve_finding: z.boolean().default(false).meta({
      description:
        'Also resolves the finding. Only with `accepted`. Refused with `409` while another action of the finding is not verified or cancelled.',
    }),
    expected_version: ExpectedVersion.optional(),
  })
  .check(({ value: { accepted, resolve_finding }, issues }) => {
    if (resolve_finding && !accepted)
      issues.push({
        code: 'custom',
        message: 'Value error, an action that is not accepted resolves no finding',
        input: resolve_finding,
        path: ['resolve_finding'],
      });
  })
  .meta({ id: 'Verification', description: 'The decision on a completed corrective action.' });
export type Verification = Omit<z.output<typeof Verification>, 'expected_version'>;

export const Reopening = z
  .strictObject({ reason: RequiredText, expected_version: ExpectedVersion.optional() })
  .meta({ id: 'Reopening' });

const ActivityKind = z.enum([
  'created',
  'status_changed',
  'assigned',
  'due_changed',
  'contact_changed',
  'contact_link_requested',
  'commented',
  'attachment_added',
  'attachment_removed',
  'verified',
  'reopened',
  'escalated',
]);
export type ActivityKind = z.output<typeof ActivityKind>;

export const Activity = z
  .strictObject({
    id: Uuid,
    kind: ActivityKind,
    actor_id: Uuid.nullable().meta({ description: 'Who did it, by `user_id`; null for the contact.' }),
    acted_via_key_id: ActedViaKeyId,
    contact_name: z
      .string()
      .optional()
      .meta({ description: 'Who did it, where that was the contact: their name, company or address then.' }),
    from: z.string().nullable().meta({
      description:
        'The status, assignee, due time or contact (by its name, company or address) before the change; null when there was none.',
    }),
    to: z.string().nullable().meta({
      description:
        'The status, assignee, due time or contact after the change. For an attachment: its document id. For a link that was requested: the address that it goes to. For `created`: the status of an action that was completed on site, else null. For `escalated`: the `to` of the level; the `note` is then its `after`, and who was told instead where nobody has the role.',
    }),
    note: Text,
    at: Timestamp,
  })
  .meta({ id: 'Activity', description: 'One event in the history of a corrective action.' });
export type Activity = z.output<typeof Activity>;

export const NewComment = z.strictObject({ note: RequiredText }).meta({ id: 'NewComment' });
export type NewComment = z.output<typeof NewComment>;

const Stage = z.enum(['before', 'after']);

export const { Attachment, NewAttachment } = resource(
  'Attachment',
  {
    document_id: Uuid,
    stage: initially('after', Stage, '`before` shows what was found, `after` what was done about it.'),
    caption: initially('', Caption),
    ...derived({
      added_by: Uuid.nullable().meta({ description: 'Who added it, by `user_id`; null for the contact.' }),
      file_name: z.string(),
      mime_type: z.string(),
      size_bytes: z.int().min(1),
    }),
  },
  { description: 'A document linked to a corrective action.', version: null },
);
export type Attachment = z.output<typeof Attachment>;
export type NewAttachment = z.output<typeof NewAttachment>;

export const DownloadableAttachment = z
  .strictObject({
    ...Attachment.shape,
    download_url: SignedUrl,
  })
  .meta({ id: 'DownloadableAttachment' });
export type DownloadableAttachment = z.output<typeof DownloadableAttachment>;

const status = anyOf(CorrectiveActionStatus, 'Any of these statuses.');

export const myCorrectiveActionQuery = listQuery({
  status,
  asset_id: surroundingFilters.asset_id,
  is_overdue: overdueFilters.is_overdue,
  ...labelFilters,
  external_ref: ExternalRef.optional().meta({ description: 'Only the one with this `external_ref`.' }),
});
export type MyCorrectiveActionQuery = z.output<typeof myCorrectiveActionQuery>;

export const correctiveActionQuery = listQuery({
  status,
  finding_id: Uuid.optional().meta({ description: 'Only actions of this finding.' }),
  assignee_id: anyOf(Uuid, 'Only assigned to one of these members, by their user ids.'),
  ...labelFilters,
  external_ref: ExternalRef.optional().meta({ description: 'Only the one with this `external_ref`.' }),
});
export type CorrectiveActionQuery = z.output<typeof correctiveActionQuery>;

/** What an action is about, in a list across inspections. */
const ConcernedFinding = z
  .strictObject({
    id: Uuid,
    number: z.int().min(1).meta({ description: 'The number of the finding in its organization.' }),
    label: z.string(),
    severity: Severity,
    field_id: Uuid.nullable(),
  })
  .meta({ id: 'ConcernedFinding', description: 'The finding that a corrective action is about.' });

export const ListedCorrectiveAction = CorrectiveAction.extend({
  ...surroundingFields,
  finding: ConcernedFinding.nullable().meta({
    description: 'The finding that it is about; null only while both are being deleted.',
  }),
}).meta({
  id: 'ListedCorrectiveAction',
  description: 'A corrective action, with what it belongs to, in a list across inspections.',
});
export type ListedCorrectiveAction = z.output<typeof ListedCorrectiveAction>;

/** The filters of the list across inspections, and of its summary. */
export const allCorrectiveActionsFilters = {
  ...surroundingFilters,
  status,
  priority: anyOf(Priority, 'Any of these priorities.'),
  severity: anyOf(Severity, 'Only about findings of one of these severities.'),
  assignee_id: anyOf(Uuid, 'Only assigned to one of these members, by their user ids.'),
  contact: Email.optional().meta({
    description: 'Only those whose contact has this email address; case is ignored.',
  }),
  ...overdueFilters,
  due_after: Instant.optional().meta({ description: 'Due at or after this time.' }),
  due_before: Instant.optional().meta({ description: 'Due before this time.' }),
  closed_after: Instant.optional().meta({ description: 'Verified at or after this time.' }),
  closed_before: Instant.optional().meta({ description: 'Verified before this time.' }),
  external_ref: ExternalRef.optional().meta({ description: 'Only the one with this `external_ref`.' }),
  ...labelFilters,
  q: SearchText.optional().meta({
    description: 'The beginning of the number, the title or the `external_ref`.',
  }),
};
export const allCorrectiveActionsQuery = listQuery(allCorrectiveActionsFilters);
export type AllCorrectiveActionsQuery = z.output<typeof allCorrectiveActionsQuery>;
