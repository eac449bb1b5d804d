import * as z from 'zod';
import { storable } from '../../base/text.ts';
import { ExternalId, MAX_VENDOR_CURSOR } from '../../schemas/integrations/vendor.ts';

/*
 * The members of replies that are used. Optional members may be absent or null, because a newer version of the API may
 * leave them out.
 */

const Id = z.union([z.string(), z.int()]).transform(String).pipe(ExternalId);
const Text = z.string().transform(storable);
const OptionalText = Text.nullish().transform((text) => text || null);
const Optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? null);

/** A list whose entries may be null where one of them failed, or is not for this user. */
const ListOf = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .array(schema.nullable())
    .transform((entries) => entries.filter((entry) => entry !== null) as z.output<Schema>[]);
const OptionalListOf = <Schema extends z.ZodType>(schema: Schema) =>
  ListOf(schema)
    .nullish()
    .transform((entries) => entries ?? []);

const Workspace = z.object({ id: Optional(Id), name: Text });

export const BoardReply = z.object({
  id: Id,
  name: Text,
  description: OptionalText,
  board_kind: z.string(),
  state: z.string(),
  type: Optional(z.string()),
  items_count: Optional(z.int().min(0)),
  url: OptionalText,
  updated_at: OptionalText,
  workspace: Optional(Workspace),
});
export type BoardReply = z.output<typeof BoardReply>;

export const ColumnReply = z.object({
  id: Id,
  title: Text,
  type: z.string(),
  description: OptionalText,
  settings: z.unknown(),
  /** The same in the form of former versions. Only this form has the colors of labels. */
  settings_str: Optional(z.string()),
  archived: Optional(z.boolean()),
});
export type ColumnReply = z.output<typeof ColumnReply>;

export const ValueReply = z.object({
  id: Id,
  type: z.string(),
  text: OptionalText,
  value: z.unknown(),
  display_value: OptionalText,
  linked_item_ids: z.array(Id).nullish(),
  label: OptionalText,
  index: z.int().nullish(),
  label_style: z.object({ color: OptionalText }).nullish(),
  checked: z.boolean().nullish(),
  email: OptionalText,
  phone: OptionalText,
  url: OptionalText,
  lat: z.number().nullish(),
  lng: z.number().nullish(),
  address: OptionalText,
  country: OptionalText,
  timezone: OptionalText,
  color: OptionalText,
  persons_and_teams: z.array(z.object({ id: Id, kind: Optional(z.string()) })).nullish(),
});
export type ValueReply = z.output<typeof ValueReply>;

const Group = z.object({ id: Id, title: Text });

export const ItemReply = z.object({
  id: Id,
  name: Text,
  state: Optional(z.string()),
  url: OptionalText,
  created_at: OptionalText,
  updated_at: OptionalText,
  board: Optional(z.object({ id: Id })),
  group: Optional(Group),
  parent_item: Optional(z.object({ id: Id })),
  column_values: OptionalListOf(ValueReply),
});
export type ItemReply = z.output<typeof ItemReply>;

const ParentReply = z.object({ id: Id, group: Optional(Group), subitems: OptionalListOf(ItemReply) });
export type ParentReply = z.output<typeof ParentReply>;

const pageOf = <Schema extends z.ZodType>(item: Schema) =>
  z.object({ cursor: Optional(z.string().max(MAX_VENDOR_CURSOR)), items: z.array(item) });

/** The first page comes with its board; undefined for a board that this user cannot see. */
const firstPageOf = <Schema extends z.ZodType>(item: Schema) =>
  z
    .object({ boards: ListOf(z.object({ items_page: pageOf(item) })) })
    .transform(({ boards: [board] }) => board?.items_page);
const nextPageOf = <Schema extends z.ZodType>(item: Schema) =>
  z.object({ next_items_page: pageOf(item) }).transform(({ next_items_page: page }) => page);

/** The data of the reply to each document. */
export const REPLIES = {
  account: z.object({
    me: z.object({ id: Id }),
    account: z.object({ id: Id, name: Text, slug: OptionalText }),
  }),
  boards: z.object({ boards: ListOf(BoardReply) }),
  board: z.object({ boards: ListOf(BoardReply) }),
  columns: z.object({ boards: ListOf(z.object({ id: Id, columns: OptionalListOf(ColumnReply) })) }),
  items: firstPageOf(ItemReply),
  nextItems: nextPageOf(ItemReply),
  subitems: firstPageOf(ParentReply),
  nextSubitems: nextPageOf(ParentReply),
  item: z.object({ items: ListOf(ItemReply) }),
  children: z.object({ items: ListOf(ParentReply) }),
  people: z.object({
    users: ListOf(
      z.object({ id: Id, name: Text, email: OptionalText, title: OptionalText, status: z.string() }),
    ),
  }),
} as const;
