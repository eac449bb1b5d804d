import * as z from 'zod';
import { LANGUAGES } from '../base/i18n/languages.ts';
import { trimmed } from '../base/text.ts';

/** For how long the secret before a rotation can go on working, in hours. */
const MAX_OVERLAP_HOURS = 30 * 24;

/** Rows or items of one page. */
export const MAX_PAGE = 200;

/** Characters of a cursor. */
export const MAX_CURSOR = 2_000;

/** Characters of a free text. */
const MAX_TEXT = 10_000;

/** Media of one answer or finding. A field of a template may allow fewer. */
export const MAX_MEDIA = 50;

/** Tags of one resource. */
const MAX_TAGS = 50;

/**
 * A resource's id: UUIDv7 when the service creates it, any UUID when a client chooses it. Upper and lower case mean the
 * same (RFC 9562, section 4); ids are stored and returned in lower case.
 */
export const Uuid = z.guid().toLowerCase().meta({ description: 'A UUID.' });

/** The API key that acted for a person, in a record of what that person did. */
export const ActedViaKeyId = Uuid.nullable().meta({
  description:
    'The API key that acted for this person (`On-Behalf-Of`); null when nobody acted for anyone else.',
});

/** Said of a field that is read from other rows: its change sets no `updated_at` of the resource. */
export const UNNOTICED = '`updated_since` does not find its changes, and no event tells of them.';

/** Said of a field that changes with other resources, whose events tell of it. */
export const UNTOLD = 'Its change alone emits no event.';

/** Every timestamp in a reply. */
export const Timestamp = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'ISO 8601, in UTC with milliseconds.' });

/** A time in a request: any UTC offset and any precision. It is stored and returned in UTC. */
export const Instant = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text).toISOString())
  .pipe(Timestamp);

/** Text without white space around it. A text that shows nothing becomes empty. */
export const VisibleText = z.string().overwrite(trimmed);

/** A name: not blank, and without control characters. */
export const Name = VisibleText.min(1)
  .max(200)
  // oxlint-disable-next-line no-control-regex -- control characters are refused
  .regex(/^[^\u0000-\u001f\u007f]*$/u);

/** The title of a resource or of a part of a template. */
export const Title = VisibleText.min(1).max(500);

/** A language that the service has texts in. */
export const LanguageTag = z
  .enum(LANGUAGES)
  .meta({ id: 'Language', description: 'A language that reports are written in: a BCP 47 tag.' });

/** The text to search a list for. */
export const SearchText = VisibleText.min(1).max(200);

/** The filter of a list by the words of its rows. */
export const searchFilter = {
  q: SearchText.optional().meta({
    description:
      'The beginnings of words of the name or title (the first 5), of the serial number, the email address or the `external_ref` (the first 2 of each), or of the number, where the row has these; case is ignored.',
  }),
};

/** The caption of a photo or another document. */
export const Caption = z.string().max(500);

/** Free text, which may be empty. */
export const Text = z.string().max(MAX_TEXT);

/** Free text that must not be blank. */
export const RequiredText = VisibleText.min(1).max(MAX_TEXT);

/** Free text that is stored as null when it is blank. */
export const NullableText = z
  .string()
  .max(MAX_TEXT)
  .nullable()
  .transform((text) => (text && trimmed(text)) || null);

/** A word of the organization's own, such as a kind of place; null when it is blank. */
export const NullableWord = z
  .string()
  .max(50)
  .nullable()
  .transform((text) => (text && trimmed(text)) || null);

/** A location or region among those that lead to another one. */
export const NamedPlace = z
  .strictObject({ id: Uuid, name: z.string() })
  .meta({ id: 'NamedPlace', description: 'A location or region by its name.' });
export type NamedPlace = z.output<typeof NamedPlace>;

/** The client's own id for a resource, unique among the organization's resources of the same kind. */
export const ExternalRef = VisibleText.min(1).max(200);

export const Tag = VisibleText.min(1).max(50);

export const Tags = z
  .array(Tag)
  .max(MAX_TAGS)
  .check(({ value: tags, issues }) => {
    const seen = new Set<string>();
    for (const [position, tag] of tags.entries()) {
      const folded = tag.toLowerCase();
      if (seen.has(folded)) {
        issues.push({
          code: 'custom',
          message: 'Value error, tag is given twice (case is ignored)',
          input: tag,
          path: [position],
        });
      }
      seen.add(folded);
    }
  })
  .meta({ description: 'Each tag only once; case is ignored.' });

/** The schemas of the versions that clients may send in `If-Match`. Other numbers may be called `version` too. */
const VERSIONS = z.registry<Record<string, never>>();

/** A resource's `version`. Each change of the resource increases it. */
export const resourceVersion = (description = 'Increases with every change of the resource.'): z.ZodInt =>
  z.int().min(1).meta({ description }).register(VERSIONS, {});

export const isResourceVersion = (schema: z.core.$ZodType): boolean => VERSIONS.has(schema);

/** The change is refused with 409 unless the resource still has this version. */
export const ExpectedVersion = z.int().min(1);

/** The number of something. */
export const Count = z.int().min(0);

export const PATCH_DESCRIPTION = 'Changes only the fields that are present; `{}` changes nothing.';

/** The fields of every resource. */
export const resourceFields = {
  id: Uuid,
  created_at: Timestamp,
  updated_at: Timestamp,
};

/** How long the former secret works after a rotation: of an API key, and of a webhook. */
export const OverlapHours = z
  .int()
  .min(0)
  .max(MAX_OVERLAP_HOURS)
  .default(24)
  .meta({ description: 'How long the former secret still works. 0 ends it at once.' });

/** Where a page of an array starts. */
export const Cursor = z
  .string()
  .max(MAX_CURSOR)
  .meta({ description: 'Where the page starts, from the `Link` header of the previous page.' });

/** The query parameters of a list. Without `limit` the result is complete. */
export const listQuery = <Filters extends z.core.$ZodLooseShape>(filters: Filters) =>
  z.strictObject({
    limit: z.int().min(1).max(MAX_PAGE).optional().meta({
      description:
        'The maximum number of rows; the `Link` header leads to the next page. All rows when left out.',
    }),
    cursor: Cursor.optional(),
    updated_since: Instant.optional().meta({
      description: 'Only resources that changed at or after this time.',
    }),
    ...filters,
  });

/** The query parameters of a list whose pages are objects with the cursor of the next page. */
export const pageQuery = <Filters extends z.core.$ZodLooseShape>(filters: Filters) =>
  z.strictObject({
    limit: z.int().min(1).max(MAX_PAGE).default(50).meta({ description: 'The maximum number of items.' }),
    cursor: z
      .string()
      .max(MAX_CURSOR)
      .optional()
      .meta({ description: 'The `next_cursor` of the previous page.' }),
    ...filters,
  });

// These are not in `templates/content.ts`, because most functions need them, but not the schemas of a content.

/** How urgent a corrective action is. */
export const Priority = z.enum(['low', 'medium', 'high', 'critical']);

/** How bad a finding is: from the least severe to the most severe. */
export const Severity = z.enum(['observation', 'minor', 'major', 'critical']);
export type Severity = z.output<typeof Severity>;

/** The role of a participant in an inspection. */
export const ParticipantRole = z.enum(['inspector', 'lead', 'approver', 'signatory']);

export const CorrectionMode = z.enum(['locked', 'tracked', 'reapprove']).meta({
  description:
    'Whether a completed inspection may be corrected: not at all (`locked`), with every change kept as a revision (`tracked`), or so that each correction has to be approved as well (`reapprove`, only together with `requires_approval`: `422`).',
});
export type CorrectionMode = z.output<typeof CorrectionMode>;

/** One entry of a 422's `detail`. */
export const Problem = z.strictObject({
  loc: z.array(z.string()),
  msg: z.string(),
  type: z.string(),
  input: z.unknown().optional(),
  ctx: z.record(z.string(), z.unknown()).optional(),
});
