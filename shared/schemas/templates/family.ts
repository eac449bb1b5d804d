import * as z from 'zod';
import { CorrectionMode, ExpectedVersion, Name, NullableText, Tags, Timestamp, Uuid } from '../common.ts';
import { Email } from '../contact.ts';
import { Escalation } from '../corrective-action.ts';
import { DEFAULT_MAIL_LIMITS } from '../mail.ts';
import { durationUpTo } from '../recurrence.ts';
import { derived, initially, once, optional, resource, shownAs, unseen } from '../resource.ts';
import { Content } from './content.ts';

// The maximums are such that one read of the table can look up all members and layouts that the settings refer to.
const Audience = z.strictObject({
  user_ids: z.array(Uuid).max(25),
  emails: z
    .array(Email)
    .max(25)
    .meta({
      description: `Addresses of people who need not be members. In one day an organization sends at most ${DEFAULT_MAIL_LIMITS.to_others} mails to addresses that are no member’s, and ${DEFAULT_MAIL_LIMITS.to_members} to its members. Further ones are sent on the next day that has room for them.`,
    }),
});
const Approval = z.strictObject({
  approver_ids: z.array(Uuid).max(20).meta({
    description:
      'Who may approve and is notified when approval is needed, in addition to the approvers of the inspection itself. Empty for every member who has the right to approve.',
  }),
  allow_api: z.boolean().meta({
    description:
      'Whether API keys may also approve, request changes or reject for themselves. For a member (`On-Behalf-Of`) a key does not need it. An API key cannot change this: `403`.',
  }),
  four_eyes: z.boolean().meta({
    description:
      'Whether nobody approves what they have worked on: who has answered, submitted or changed anything of the inspection or of its corrections, or has a part. An API key and the person who made it count as one, whether the key acts for itself or for a member. True by default. It applies to inspections that are created afterwards. An API key cannot change this: `403`.',
  }),
  signed_in_only: z.boolean().meta({
    description:
      'Whether only people who have signed in may approve, request changes or reject, and no API key, neither for itself nor for a member. False by default. It applies to inspections that are created afterwards. An API key cannot change this: `403`.',
  }),
});
const SignOff = z.strictObject({ signatures_required: z.int().min(1).max(20) });

/** Days of the longest window in which a finding repeats another one: three years. */
const MAX_REPEAT_DAYS = 3 * 372;

/** How often a repeated failure counts at most. */
const MAX_REPEAT_FACTOR = 10;

const NOTIFICATION_EVENTS = ['on_completed', 'on_finding', 'on_overdue'] as const;
const settings = {
  correction_mode: CorrectionMode,
  self_assign: z.boolean().meta({
    description:
      'Whether inspectors may take an inspection that nobody is assigned to: whoever starts or submits it becomes its participant. It concerns members for whom a key acts (`On-Behalf-Of`).',
  }),
  default_layout_id: Uuid.nullable().meta({
    description: "One of the family's report layouts; null for the standard layout.",
  }),
  repeat_window: durationUpTo(MAX_REPEAT_DAYS)
    .nullable()
    .meta({
      description:
        'How long after a finding another one of the same question at the same place repeats it, as an ISO 8601 duration of up to three years; null for never. It applies to inspections that are created afterwards.',
      examples: ['P12M'],
    }),
  repeat_factor: z.number().min(1).max(MAX_REPEAT_FACTOR).meta({
    description:
      'How often a failed field counts in the score when its finding repeats an earlier one, as `repeat_window` says: 2 for twice. It multiplies its points and its weight. 1 by default. It applies to inspections that are created afterwards.',
  }),
  escalation: Escalation.meta({
    description:
      'Who is told of corrective actions that are overdue, unless the action has levels of its own. It applies to actions that become due afterwards.',
  }),
};

export const FamilySettings = z
  .strictObject({
    notifications: z.record(z.enum(NOTIFICATION_EVENTS), Audience),
    approval: Approval,
    sign_off: SignOff,
    ...settings,
  })
  .meta({
    id: 'FamilySettings',
    description: 'Who is notified, who approves, and whether completed inspections may be corrected.',
  });
export type FamilySettings = z.output<typeof FamilySettings>;

export const FamilySettingsChanges = z
  .strictObject({
    notifications: z.partialRecord(z.enum(NOTIFICATION_EVENTS), Audience.partial()),
    approval: Approval.partial(),
    sign_off: SignOff.partial(),
    ...settings,
  })
  .partial()
  .meta({
    id: 'FamilySettingsChanges',
    description: 'Objects are merged with the current settings, lists are replaced.',
  });
export type FamilySettingsChanges = z.output<typeof FamilySettingsChanges>;

const NOBODY = { user_ids: [], emails: [] };

/** The settings of a new family. */
export const DEFAULT_SETTINGS: FamilySettings = {
  notifications: { on_completed: NOBODY, on_finding: NOBODY, on_overdue: NOBODY },
  approval: { approver_ids: [], allow_api: false, four_eyes: true, signed_in_only: false },
  sign_off: { signatures_required: 1 },
  correction_mode: 'tracked',
  self_assign: false,
  default_layout_id: null,
  repeat_window: null,
  repeat_factor: 1,
  escalation: [],
};

export const { Family, NewFamily, FamilyChanges } = resource(
  'Family',
  {
    name: Name,
    description: shownAs(z.string().nullable(), optional(NullableText)),
    requires_approval: initially(false, z.boolean()),
    requires_sign_off: initially(false, z.boolean()),
    tags: initially([], Tags),
    settings: shownAs(FamilySettings, initially({}, FamilySettingsChanges)),
    ...derived({
      status: z.enum(['draft', 'published', 'archived']).meta({
        description:
          '`archived` while `archived_at` is set; otherwise `published` once a version is published, and `draft` before that.',
      }),
      current_version_id: Uuid.nullable().meta({
        description: 'The published version that new inspections use; null before the first.',
      }),
      draft_version_id: Uuid.nullable().meta({
        description: 'The version that is being edited; null when there is no draft.',
      }),
      archived_at: Timestamp.nullable(),
      created_by: Uuid,
    }),
    content: unseen(
      once(
        Content.prefault({}).meta({
          description: 'The content of the first draft; an empty content when left out.',
        }),
      ),
    ),
  },
  { description: 'A template with all its versions.', created: { before: { settings: 'tags' } } },
);
export type Family = z.output<typeof Family>;
export type NewFamily = z.output<typeof NewFamily>;
export type FamilyChanges = Omit<z.output<typeof FamilyChanges>, 'expected_version'>;

export const FamilyTags = z
  .strictObject({ tags: Tags, expected_version: ExpectedVersion.optional() })
  .meta({ id: 'FamilyTags' });
