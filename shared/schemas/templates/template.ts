import * as z from 'zod';
import {
  ExpectedVersion,
  Name,
  NullableText,
  resourceFields,
  resourceVersion,
  Timestamp,
  Uuid,
} from '../common.ts';
import { Content } from './content.ts';
import { ContentWarning } from './publish-impact.ts';

const fields = {
  name: Name,
  description: NullableText,
  change_note: NullableText.meta({ description: 'What this version changes, for the people who use it.' }),
};

const versionFields = {
  ...resourceFields,
  family_id: Uuid,
  version_number: z.int().min(1).meta({ description: 'The number of the version in its family, from 1.' }),
  status: z.enum(['draft', 'published', 'superseded']),
  name: Name.meta({ description: "The version's own name; at first the family's." }),
  description: z.string().nullable(),
  content_version: z.int().min(1).meta({ description: 'Increases with every change of the content.' }),
  content_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({
      description: 'SHA-256 of the content as canonical JSON (RFC 8785).',
    }),
  change_note: z.string().nullable(),
  based_on_id: Uuid.nullable().meta({
    description: 'The published version that this one is based on; null for the first.',
  }),
  published_at: Timestamp.nullable(),
  published_by: Uuid.nullable(),
  options_taken_at: Timestamp.nullable().meta({
    description:
      'When publishing took the options of response sets with a `source_id` from their sources; null without any.',
  }),
  version: resourceVersion('Increases with every change of any field.'),
};

export const TemplateVersion = z
  .strictObject(versionFields)
  .meta({ id: 'TemplateVersion', description: 'A version of a template family, without its content.' });
export type TemplateVersion = z.output<typeof TemplateVersion>;

export const Template = z
  .strictObject({
    ...versionFields,
    content: Content,
    changed_source_ids: z.array(Uuid).optional().meta({
      description:
        'Only in `GET /templates/{template_id}`: the sources of response sets whose rows have changed since the version was published. Publish another version to take them.',
    }),
    warnings: z
      .array(ContentWarning)
      .optional()
      .meta({ description: 'Only in the reply to `POST /templates/{template_id}/publish`.' }),
  })
  .meta({ id: 'Template', description: 'A version of a template family.' });
export type Template = z.output<typeof Template>;

export const NewTemplate = z
  .strictObject({
    family_id: Uuid,
    content: Content.prefault({}).meta({
      description: 'The content of the draft; an empty content when left out.',
    }),
  })
  .meta({ id: 'NewTemplate' });
export type NewTemplate = z.output<typeof NewTemplate>;

export const TemplateChanges = z
  .strictObject({ ...fields, expected_version: ExpectedVersion })
  .partial()
  .meta({ id: 'TemplateChanges' });
export type TemplateChanges = Omit<z.output<typeof TemplateChanges>, 'expected_version'>;

const Pointer = z
  .string()
  .max(1_000)
  .regex(/^(?:\/(?:[^~/]|~[01])*)*$/u)
  .meta({ description: 'A JSON Pointer (RFC 6901) into the content.', examples: ['/sections/0/title'] });

// Not strict, because members that are not defined for an operation must be ignored (RFC 6902, section 4).
export const PatchOperation = z
  .discriminatedUnion('op', [
    z.object({ op: z.enum(['add', 'replace', 'test']), path: Pointer, value: z.unknown() }),
    z.object({ op: z.literal('remove'), path: Pointer }),
    z.object({ op: z.enum(['move', 'copy']), from: Pointer, path: Pointer }),
  ])
  .meta({ id: 'PatchOperation', description: 'An operation of JSON Patch (RFC 6902).' });
export type PatchOperation = z.output<typeof PatchOperation>;

const guard = {
  expected_content_version: z.int().min(1).optional().meta({
    description: 'The change is refused with 409 unless the draft still has this `content_version`.',
  }),
};

/** Operations of one JSON Patch. */
const MAX_OPERATIONS = 1_000;

// One object instead of a union of two forms: for a union, an unknown member would look like the other form.
export const ContentChange = z
  .strictObject({
    content: Content.optional(),
    operations: z.array(PatchOperation).max(MAX_OPERATIONS).optional(),
    ...guard,
  })
  .check(({ value: { content, operations }, issues }) => {
    if (content && operations) {
      const message = 'Value error, give either content or operations';
      issues.push({ code: 'custom', message, input: operations, path: [] });
    }
  })
  .meta({
    id: 'ContentChange',
    description: 'The complete new content, or operations that change the current one.',
  });
export type ContentChange = z.output<typeof ContentChange>;

export const Snapshot = z
  .strictObject({ template_id: Uuid, content: Content, content_hash: versionFields.content_hash })
  .meta({ id: 'Snapshot', description: 'The unchangeable content that inspections use.' });
export type Snapshot = z.output<typeof Snapshot>;
