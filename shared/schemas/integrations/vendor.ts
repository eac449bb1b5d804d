import * as z from 'zod';
import { Timestamp, MAX_CURSOR } from '../common.ts';

/* What vendors of boards offer, and what is on a vendor's boards, in the same words for every vendor. */

/** The ids of the vendors that an organization can connect. `shared/integrations/vendors.ts` fills this list. */
export const VENDOR_IDS: string[] = [];

// Not an enum of zod: the vendors are built upon these schemas, so their ids are not known yet when this schema is
// made.
export const VendorId = z
  .string()
  .check(({ value, issues }) => {
    if (!VENDOR_IDS.includes(value)) issues.push({ code: 'invalid_value', values: VENDOR_IDS, input: value });
  })
  .meta({ id: 'VendorId', enum: VENDOR_IDS });
export type VendorId = z.output<typeof VendorId>;

/** Rows of one page that is read from a vendor. */
const MAX_VENDOR_PAGE = 500;

/** Characters of an id, and of a cursor, that a vendor has made. */
export const MAX_VENDOR_ID = 200;
export const MAX_VENDOR_CURSOR = 1_000;

/** Bytes of a credential as JSON: the most that KMS encrypts in one call (AWS KMS API Reference, Encrypt). */
const MAX_CREDENTIAL_BYTES = 4_096;

/** An id as a vendor writes it. */
export const ExternalId = z.string().min(1).max(MAX_VENDOR_ID);

/** `sources`: rows of boards can be synced. `directory`: people can be synced. */
export const Capability = z.enum(['sources', 'directory']);
export type Capability = z.output<typeof Capability>;

/** What the rows of a source are: a board's items, or the items below these. */
export const Level = z.enum(['item', 'subitem']);
export type Level = z.output<typeof Level>;

/**
 * The types of values that a field of this service can take from a column. A vendor says for each column which of these
 * it can give, and reads a value as one of them. `number`, `latitude` and `longitude` are numbers, `boolean` is a
 * boolean, and all others are texts.
 */
export const FieldType = z
  .enum([
    'text',
    'number',
    'boolean',
    'email',
    'phone',
    'address',
    'latitude',
    'longitude',
    'timezone',
    'color',
    'reference',
  ])
  .meta({ id: 'FieldType', description: 'The type of a field that a column can fill.' });
export type FieldType = z.output<typeof FieldType>;

export const AuthField = z
  .strictObject({
    key: z.string(),
    label: z.string(),
    help: z.string(),
    required: z.boolean(),
  })
  .meta({ id: 'AuthField', description: 'A secret that a connection needs.' });

export const VendorAuth = z
  .strictObject({
    kind: z.literal('api_token'),
    help_url: z.url(),
    fields: z.array(AuthField),
  })
  .meta({ id: 'VendorAuth', description: 'How a connection proves who it is.' });
export type VendorAuth = z.output<typeof VendorAuth>;

/** The secrets of a connection, by the keys of the vendor's fields. They are only ever sent, never shown. */
export const Credential = z
  .record(
    z.string().regex(/^[a-z_]{1,50}$/),
    z
      .string()
      .trim()
      .regex(/^[\x21-\x7e]+$/)
      .meta({ writeOnly: true }),
  )
  .refine((secrets) => new TextEncoder().encode(JSON.stringify(secrets)).length <= MAX_CREDENTIAL_BYTES, {
    message: `Value error, a credential has at most ${MAX_CREDENTIAL_BYTES} bytes`,
  })
  .meta({ id: 'Credential', description: 'The secrets of a connection. They are never returned.' });
export type Credential = z.output<typeof Credential>;

export const VendorAccount = z
  .strictObject({
    id: ExternalId,
    name: z.string(),
    slug: z.string().nullable(),
  })
  .meta({ id: 'VendorAccount', description: 'The account at the vendor that a credential belongs to.' });
export type VendorAccount = z.output<typeof VendorAccount>;

export const Board = z
  .strictObject({
    id: ExternalId,
    name: z.string(),
    description: z.string().nullable(),
    kind: z.string().meta({ description: 'The vendor’s own word, such as `public` or `private`.' }),
    state: z.string().meta({ description: 'The vendor’s own word, such as `active` or `archived`.' }),
    workspace: z.strictObject({ id: ExternalId, name: z.string() }).nullable(),
    items_count: z.int().min(0).nullable(),
    url: z.string().nullable(),
    updated_at: Timestamp.nullable(),
  })
  .meta({ id: 'Board', description: 'A board of a vendor.' });
export type Board = z.output<typeof Board>;

export const ColumnOption = z
  .strictObject({
    value: z.string().meta({ description: 'The text of an item’s value where this option is chosen.' }),
    label: z.string(),
    color: z.string().nullable().meta({ description: 'The colour, such as `#00c875`.' }),
  })
  .meta({ id: 'ColumnOption' });
export type ColumnOption = z.output<typeof ColumnOption>;

export const Column = z
  .strictObject({
    id: ExternalId,
    title: z.string(),
    type: z.string().meta({ description: 'The vendor’s own word, such as `status` or `text`.' }),
    description: z.string().nullable(),
    options: z
      .array(ColumnOption)
      .meta({ description: 'What can be chosen; empty for a column of another type.' }),
    target_field_types: z.array(FieldType).meta({ description: 'The types of fields that it can fill.' }),
  })
  .meta({ id: 'Column', description: 'A column of a vendor’s board.' });
export type Column = z.output<typeof Column>;

export const ItemValue = z
  .strictObject({
    column_id: ExternalId,
    type: z.string(),
    text: z.string().nullable().meta({ description: 'The value as people see it.' }),
    value: z.unknown().meta({
      description: 'The value as the vendor structures it; null where there is none.',
    }),
  })
  .meta({ id: 'ItemValue' });
export type ItemValue = z.output<typeof ItemValue>;

export const Item = z
  .strictObject({
    id: ExternalId,
    name: z.string(),
    board_id: ExternalId,
    group: z.strictObject({ id: ExternalId, title: z.string() }).nullable(),
    parent_item_id: ExternalId.nullable(),
    state: z.string().meta({ description: 'The vendor’s own word, such as `active` or `archived`.' }),
    url: z.string().nullable(),
    created_at: Timestamp.nullable(),
    updated_at: Timestamp.nullable(),
    values: z.array(ItemValue),
  })
  .meta({ id: 'Item', description: 'An item of a vendor’s board.' });
export type Item = z.output<typeof Item>;

export const Person = z
  .strictObject({
    id: ExternalId,
    name: z.string(),
    email: z.string().nullable(),
    title: z.string().nullable(),
    status: z.enum(['active', 'invited', 'inactive']),
  })
  .meta({ id: 'VendorPerson', description: 'A person with access to the account at the vendor.' });
export type Person = z.output<typeof Person>;

/** The query parameters of a list that is read from a vendor. Without `limit` it is complete. */
export const liveQuery = <Filters extends z.core.$ZodLooseShape>(filters: Filters) =>
  z.strictObject({
    limit: z.int().min(1).max(MAX_VENDOR_PAGE).optional().meta({
      description:
        'The maximum number of rows; the `Link` header leads to the next page, which a vendor remembers for about an hour. All rows when left out.',
    }),
    cursor: z.string().max(MAX_CURSOR).optional().meta({
      description: 'Where the page starts, from the `Link` header of the previous page.',
    }),
    ...filters,
  });
