import { createHash } from 'node:crypto';
import { canonicalJson } from '../../base/encoding.ts';
import { cutTo, isText, trimmed } from '../../base/text.ts';
import type { RunError } from '../../schemas/integrations/run.ts';
import {
  type FieldType,
  type Item,
  type ItemValue,
  MAX_VENDOR_ID,
  type Person,
} from '../../schemas/integrations/vendor.ts';
import { HASH_LENGTH } from './known-rows.ts';
import { type FilledField, foldedText, type Plan } from './mappings.ts';

/** The values of a row by the keys of their fields. An empty one is null. */
export type SyncedValues = Readonly<Record<string, string | number | boolean | null>>;

/** A row as it comes from a source. */
export interface SyncedRow {
  /** The id by which the row is recognized in later runs. */
  external_id: string;
  item_id: string;
  values: SyncedValues;
  /** Equal for equal values of the same fields. */
  hash: string;
}

/** Why an item cannot be a row, with the row's external id if the item has one. */
export interface FailedRow {
  external_id: string | null;
  item_id: string;
  error: RunError;
}

/** Reads a vendor's value as a field's. */
export type ReadValue = (value: ItemValue, type: FieldType) => string | number | boolean | null;

/** Characters of a person's name and position. */
const MAX_PERSON_TEXT = 200;

export const hashOf = (values: SyncedValues): string =>
  createHash('sha256').update(canonicalJson(values)).digest('hex').slice(0, HASH_LENGTH);

const failure = (item_id: string, field: string | null, code: string, message: string): RunError => ({
  item_id,
  field,
  code,
  message,
});

const valueOf = (
  { field, type, values }: FilledField,
  value: ItemValue | undefined,
  read: ReadValue,
): SyncedValues[string] => {
  const text = value?.text ?? '';
  const key = foldedText(text);
  if (values.has(key)) return values.get(key) as SyncedValues[string];
  if (!value) return null;
  const raw = read(value, type);
  // A column of numbers may fill a text.
  const taken = typeof raw === 'number' && field.type === 'text' ? String(raw) : raw;
  return typeof taken === 'string' ? trimmed(taken) || null : taken;
};

/** A value as the field takes it, or why it does not. */
const checked = (
  itemId: string,
  { field }: FilledField,
  value: SyncedValues[string],
): { value: SyncedValues[string] } | { error: RunError } => {
  const { key, required, schema } = field;
  if (value === null) {
    return required
      ? { error: failure(itemId, key, 'missing', `The item has no value for the field ${key}.`) }
      : { value };
  }
  if (typeof value === 'string' && !isText(value)) {
    return {
      error: failure(
        itemId,
        key,
        'invalid',
        `The value for the field ${key} has characters that are no text.`,
      ),
    };
  }
  const parsed = schema.safeParse(value);
  return parsed.success
    ? { value: parsed.data as SyncedValues[string] }
    : { error: failure(itemId, key, 'invalid', `The value does not fit the field ${key}.`) };
};

const failedRow = (external_id: string | null, error: RunError): FailedRow => ({
  external_id,
  item_id: error.item_id!,
  error,
});

/** An item as a row of the target, or why it cannot be one. The messages hold nothing of the item's own text. */
export const syncedRowOf = (item: Item, plan: Plan, read: ReadValue): SyncedRow | FailedRow => {
  const byColumn = new Map(item.values.map((value) => [value.column_id, value]));
  const { identity_column } = plan;
  const external_id = identity_column ? (byColumn.get(identity_column)?.text ?? '').trim() : item.id;
  if (external_id === '' || external_id.length > MAX_VENDOR_ID || !isText(external_id)) {
    const message = 'The item has no usable value in the identity column.';
    return failedRow(null, failure(item.id, null, 'no_identity', message));
  }
  const values: Record<string, SyncedValues[string]> = {};
  for (const filled of plan.fields) {
    const outcome = checked(item.id, filled, valueOf(filled, byColumn.get(filled.column_id), read));
    if ('error' in outcome) return failedRow(external_id, outcome.error);
    values[filled.field.key] = outcome.value;
  }
  return { external_id, item_id: item.id, values, hash: hashOf(values) };
};

export const isFailed = (row: SyncedRow | FailedRow): row is FailedRow => 'error' in row;

/** A person of the vendor's account as a row. One without an email address cannot be matched with a member. */
export const personRow = ({ id, name, email, title }: Person): SyncedRow | FailedRow => {
  if (!email) {
    return failedRow(id, failure(id, 'email', 'missing', 'The person has no email address.'));
  }
  const short = (text: string | null): string => cutTo(trimmed(text ?? ''), MAX_PERSON_TEXT);
  const values = { name: short(name) || email, email, position: short(title) || null };
  return { external_id: id, item_id: id, values, hash: hashOf(values) };
};
