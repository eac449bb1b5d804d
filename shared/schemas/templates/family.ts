import * as z from 'zod';
import { ExpectedVersion, Name, NullableText, resourceFields, Tags, Timestamp, Uuid } from '../common.ts';
import { Content } from './content.ts';

/** What happens to the answers of a completed inspection. */
export const CorrectionMode = z.enum(['locked', 'tracked', 'reapprove']).meta({
  description:
    'Whether a completed inspection may be corrected: not at all, with every change kept as a revision, or so that the correction is approved again.',
});
export type CorrectionMode = z.output<typeof CorrectionMode>;

// All references of a family's settings fit into one read of the table.
const Audience = z.strictObject({
  user_ids: z.array(Uuid).max(25),
  emails: z.array(z.email().max(320)).max(25),
});
const Approval = z.strictObject({
  approver_ids: z.array(Uuid).max(20).meta({
    description:
      'Which people may approve and are told that it is awaited, beside the approver of an inspection and its participants in that role; empty for every member with the right.',
  }),
  allow_api: z.boolean().meta({ description: 'Whether an API key may decide as well, named or not.' }),
});
const SignOff = z.strictObject({ signatures_required: z.int().min(1).max(20) });

const OCCASIONS = ['on_completed', 'on_finding', 'on_overdue'] as const;
const onEach = <Schema extends z.ZodType>(schema: Schema) => z.record(z.enum(OCCASIONS), schema);

const settings = {
  correction_mode: CorrectionMode,
  default_layout_id: Uuid.nullable().meta({ description: "One of the family's report layouts." }),
};

export const FamilySettings = z
  .strictObject({
    notifications: onEach(Audience),
    approval: Approval,
    sign_off: SignOff,
    ...settings,
  })
  .meta({ id: 'FamilySettings', description: 'Who is told, who approves, and what may be corrected.' });
export type FamilySettings = z.output<typeof FamilySettings>;

export const FamilySettingsChanges = z
  .strictObject({
    notifications: z.partialRecord(z.enum(OCCASIONS), Audience.partial()),
    approval: Approval.partial(),
    sign_off: SignOff.partial(),
    ...settings,
  })
  .partial()
  .meta({
    id: 'FamilySettingsChanges',
    description: 'Objects merge with what stands, lists are replaced.',
  });
export type FamilySettingsChanges = z.output<typeof FamilySettingsChanges>;

const NOBODY = { user_ids: [], emails: [] };

/** What a family starts with where nothing is said. */
export const DEFAULT_SETTINGS: FamilySettings = {
  notifications: { on_completed: NOBODY, on_finding: NOBODY, on_overdue: NOBODY },
  approval: { approver_ids: [], allow_api: false },
  sign_off: { signatures_required: 1 },
  correction_mode: 'tracked',
  default_layout_id: null,
};

const fields = {
  name: Name,
  description: NullableText,
  requires_approval: z.boolean(),
  requires_sign_off: z.boolean(),
  tags: Tags,
};

export const Family = z
  .strictObject({
    ...resourceFields,
    ...fields,
    description: z.string().nullable(),
    settings: FamilySettings,
    status: z.enum(['draft', 'published', 'archived']).meta({
      description: 'archived while `archived_at` is set, else published once a version is, else draft.',
    }),
    current_version_id: Uuid.nullable().meta({
      description: 'The published version that new inspections pin; null before the first.',
    }),
    draft_version_id: Uuid.nullable().meta({ description: 'The version that is being edited, if any.' }),
    archived_at: Timestamp.nullable(),
    created_by: Uuid,
    version: z.int().min(1),
  })
  .meta({ id: 'Family', description: 'A template through all its versions.' });
export type Family = z.output<typeof Family>;

export const NewFamily = z
  .strictObject({
    name: Name,
    description: NullableText.default(null),
    requires_approval: z.boolean().default(false),
    requires_sign_off: z.boolean().default(false),
    settings: FamilySettingsChanges.default({}),
    tags: Tags.default([]),
    content: Content.prefault({}).meta({ description: 'Of the first draft; without it, it is empty.' }),
  })
  .meta({ id: 'NewFamily' });
export type NewFamily = z.output<typeof NewFamily>;

export const FamilyChanges = z
  .strictObject({ ...fields, settings: FamilySettingsChanges, expected_version: ExpectedVersion })
  .partial()
  .meta({ id: 'FamilyChanges' });
export type FamilyChanges = Omit<z.output<typeof FamilyChanges>, 'expected_version'>;

export const FamilyTags = z
  .strictObject({ tags: Tags, expected_version: ExpectedVersion.optional() })
  .meta({ id: 'FamilyTags' });
