import * as z from 'zod';

/**
 * A resource's id: UUIDv7 for what the service creates, any UUID where a client brings its own. It is one in either
 * case (RFC 9562, section 4), and stored and given out in lower case.
 */
export const Uuid = z.guid().toLowerCase().meta({ description: 'A UUID.' });

/** UTC with milliseconds, as every timestamp is given out. */
export const Timestamp = z.iso.datetime({ precision: 3 }).meta({ description: 'ISO 8601 in UTC.' });

/** A point in time as clients may send it: any offset, any precision. Stored and given out in UTC. */
export const Instant = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text).toISOString())
  .pipe(Timestamp);

/** A name: text that shows something. Control characters have no place in one. */
export const Name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  // oxlint-disable-next-line no-control-regex -- these are what is refused
  .regex(/^[^\u0000-\u001f\u007f]*$/u);

/** Free text that is stored as null when there is nothing in it. */
export const NullableText = z
  .string()
  .max(10_000)
  .nullable()
  .transform((text) => text?.trim() || null);

/** The client's own id for a resource, unique in the organization and among resources of the kind. */
export const ExternalRef = z.string().trim().min(1).max(200);

/** A label. */
export const Tag = z.string().trim().min(1).max(50);

/** Labels of a resource. */
export const Tags = z
  .array(Tag)
  .max(50)
  .check(({ value: tags, issues }) => {
    const seen = new Set<string>();
    for (const [position, tag] of tags.entries()) {
      const folded = tag.toLowerCase();
      if (seen.has(folded)) {
        issues.push({
          code: 'custom',
          message: 'Value error, tag is given twice, case aside',
          input: tag,
          path: [position],
        });
      }
      seen.add(folded);
    }
  })
  .meta({ description: 'Unique whatever their case.' });

/** Guards a change: it is refused with 409 unless the resource still has this version. */
export const ExpectedVersion = z.int().min(1);

export const PATCH_DESCRIPTION = 'Only the fields present are written; `{}` changes nothing.';

/** What every resource carries. */
export const resourceFields = {
  id: Uuid,
  created_at: Timestamp,
  updated_at: Timestamp,
};

/** The parameters every list has, beside its filters. Without `limit` the result is complete. */
export const listQuery = <Filters extends z.core.$ZodLooseShape>(filters: Filters) =>
  z.strictObject({
    limit: z
      .int()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'At most so many rows; the rest follows by the Link header.' }),
    cursor: z
      .string()
      .max(2_000)
      .optional()
      .meta({ description: 'Where the page before ended, from its Link header.' }),
    updated_since: Instant.optional().meta({ description: 'Only what changed at or after this time.' }),
    ...filters,
  });

/** The parameters of a list that is given in page objects, each with the cursor of the next. */
export const pageQuery = <Filters extends z.core.$ZodLooseShape>(filters: Filters) =>
  z.strictObject({
    limit: z.int().min(1).max(200).default(50).meta({ description: 'At most so many items.' }),
    cursor: z.string().max(2_000).optional().meta({ description: 'The `next_cursor` of the page before.' }),
    ...filters,
  });
