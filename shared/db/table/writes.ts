import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../base/environment.ts';
import { type Condition, exists, isAbsent, versionIs } from './conditions.ts';
import type { INTERNAL_ATTRIBUTES, Key } from './keys.ts';
import type { Row } from './rows.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** What a change does to one row. */
export interface Write {
  key: Key;
  item: TransactItem;
  /**
   * What a failed condition means, given the stored row: an error that ends the change, or `stale` when the change has to
   * be decided again on the rows as they are now.
   */
  otherwise: (standing: Row | undefined) => Error | 'stale';
  /** The counters of the row that it changes, and by how much. */
  add?: Readonly<Record<string, number>>;
  /** Whether the row belongs to no organization: a key by its hash, which only the platform's own tools write. */
  isSystem?: boolean;
}

const stale = () => 'stale' as const;

const tableName = () => environment('TABLE_NAME');

/** The key of a row. */
export const keyOf = <Resource extends object>({ pk, sk }: Key<Resource>): Key<Resource> => ({ pk, sk });

/** A row to write: a key, the attributes of the row that stands there, and those that only the table uses. */
type NewRow<Resource extends object> = Key<Resource> &
  NoInfer<Resource> &
  Partial<Record<Exclude<(typeof INTERNAL_ATTRIBUTES)[number], keyof Key>, unknown>>;

const RETURN_STANDING = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

/** Creates a row, which must not exist. */
export const create = <Resource extends object>(
  row: NewRow<Resource>,
  otherwise: Write['otherwise'] = stale,
): Write => ({
  key: keyOf(row),
  item: { Put: { TableName: tableName(), Item: row, ...isAbsent, ...RETURN_STANDING } },
  otherwise,
});

/** Replaces a row, which must have the version that was read, or satisfy the condition. */
export const replace = <Resource extends object>(
  row: NewRow<Resource>,
  guard: number | Condition,
  otherwise: Write['otherwise'] = stale,
): Write => {
  const condition = typeof guard === 'number' ? versionIs(guard) : guard;
  return {
    key: keyOf(row),
    item: { Put: { TableName: tableName(), Item: row, ...condition, ...RETURN_STANDING } },
    otherwise,
  };
};

/** Creates a row, or replaces it whatever it holds. */
export const put = <Resource extends object>(row: NewRow<Resource>): Write => ({
  key: keyOf(row),
  item: { Put: { TableName: tableName(), Item: row } },
  otherwise: stale,
});

/** Deletes a row, which must have the version that was read, or satisfy the condition. */
export const remove = (key: Key, guard: number | Condition, otherwise: Write['otherwise'] = stale): Write => {
  const condition = typeof guard === 'number' ? versionIs(guard) : guard;
  return {
    key,
    item: { Delete: { TableName: tableName(), Key: keyOf(key), ...condition, ...RETURN_STANDING } },
    otherwise,
  };
};

/** Deletes a row, whether it exists or not. */
export const drop = (key: Key): Write => ({
  key,
  item: { Delete: { TableName: tableName(), Key: keyOf(key) } },
  otherwise: stale,
});

/** Changes nothing, but the row must exist, have the version that was read, or satisfy the condition. */
export const check = (
  key: Key,
  otherwise: Write['otherwise'] = stale,
  guard: number | Condition = exists,
): Write => {
  const condition = typeof guard === 'number' ? versionIs(guard) : guard;
  return {
    key,
    item: { ConditionCheck: { TableName: tableName(), Key: keyOf(key), ...condition, ...RETURN_STANDING } },
    otherwise,
  };
};

/** Sets attributes and changes counters of a row in place, under a condition. Creates the row if it does not exist. */
export const update = (
  key: Key,
  changes: { set?: Record<string, unknown>; add?: { [counter: string]: number | undefined } },
  condition?: Condition,
  otherwise: Write['otherwise'] = stale,
): Write => {
  const names: Record<string, string> = { ...condition?.ExpressionAttributeNames };
  const values: Record<string, unknown> = { ...condition?.ExpressionAttributeValues };
  const clause = (verb: string, operator: string, entries: [string, unknown][]): string[] => {
    if (entries.length === 0) return [];
    const parts = entries.map(([attribute, value], position) => {
      const placeholder = `:${verb.toLowerCase()}${position}`;
      names[`#${attribute}`] = attribute;
      values[placeholder] = value;
      return `#${attribute}${operator}${placeholder}`;
    });
    return [`${verb} ${parts.join(', ')}`];
  };
  const defined = Object.entries(changes.set ?? {}).filter(([, value]) => value !== undefined);
  const moved = Object.entries(changes.add ?? {}).filter(
    (entry): entry is [string, number] => entry[1] !== undefined && entry[1] !== 0,
  );
  return {
    key,
    ...(moved.length > 0 && { add: Object.fromEntries(moved) }),
    item: {
      Update: {
        TableName: tableName(),
        Key: keyOf(key),
        UpdateExpression: [...clause('SET', ' = ', defined), ...clause('ADD', ' ', moved)].join(' '),
        ...(condition && { ConditionExpression: condition.ConditionExpression, ...RETURN_STANDING }),
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: values,
      },
    },
    otherwise,
  };
};

/** Exempts a write from the check of its organization, for the few rows that belong to none. */
export const systemWrite = (write: Write): Write => ({ ...write, isSystem: true });

type UpdateItem = NonNullable<TransactItem['Update']>;

/** The sum of two changes of the same counters of one row. */
const summed = (first: UpdateItem, second: UpdateItem): UpdateItem => ({
  ...first,
  ExpressionAttributeValues: Object.fromEntries(
    Object.entries(first.ExpressionAttributeValues ?? {}).map(([name, value]) => [
      name,
      name.startsWith(':add') ? Number(value) + Number(second.ExpressionAttributeValues?.[name]) : value,
    ]),
  ),
});

/**
 * Makes one write of those that change the same counters of the same row in the same way, because a transaction may
 * write a row only once.
 */
export const mergeCounts = (writes: readonly Write[]): Write[] => {
  const merged: Write[] = [];
  const counting = new Map<string, number>();
  for (const each of writes) {
    const update = each.add && each.item.Update;
    if (!update) {
      merged.push(each);
      continue;
    }
    const name = [each.key.pk, each.key.sk, update.UpdateExpression, update.ConditionExpression].join('\n');
    const at = counting.get(name);
    if (at === undefined) {
      counting.set(name, merged.push(each) - 1);
      continue;
    }
    const before = merged[at]!;
    merged[at] = { ...before, item: { Update: summed(before.item.Update!, update) } };
  }
  return merged;
};
