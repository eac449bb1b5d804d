import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../base/environment.ts';
import type { ApiError } from '../../base/errors.ts';
import { type Condition, exists, isAbsent, versionIs } from './conditions.ts';
import type { Key } from './keys.ts';
import type { Row } from './rows.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * One row's part of a change. `otherwise` says what a failed condition means, given the row as it stands:
 * an error for the client, or `stale` when the change has to be decided again on what is there now.
 */
export interface Write {
  key: Key;
  item: TransactItem;
  otherwise: (standing: Row | undefined) => ApiError | 'stale';
  /** By how much it moves which counters of the row. */
  add?: Readonly<Record<string, number>>;
  /** The row stands outside any organization: a key by its hash, written by the platform's own tools. */
  isSystem?: boolean;
}

const stale = () => 'stale' as const;

const tableName = () => environment('TABLE_NAME');
/** A row's key alone. */
export const keyOf = ({ pk, sk }: Key): Key => ({ pk, sk });
/** A row to be: its key and whatever it holds. */
type Stored = Key & Record<string, unknown>;

const RETURN_STANDING = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

/** A new row; it must not be there yet. */
export const create = (row: Stored, otherwise: Write['otherwise'] = stale): Write => ({
  key: keyOf(row),
  item: { Put: { TableName: tableName(), Item: row, ...isAbsent, ...RETURN_STANDING } },
  otherwise,
});

/** The row as it shall be, over the one of the version that was read, or of which the condition holds. */
export const replace = (
  row: Stored,
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

/** The row as it shall be, whatever stood there. */
export const put = (row: Stored): Write => ({
  key: keyOf(row),
  item: { Put: { TableName: tableName(), Item: row } },
  otherwise: stale,
});

/** Without the row of the version that was read, or of which the condition holds. */
export const remove = (key: Key, guard: number | Condition, otherwise: Write['otherwise'] = stale): Write => {
  const condition = typeof guard === 'number' ? versionIs(guard) : guard;
  return {
    key,
    item: { Delete: { TableName: tableName(), Key: keyOf(key), ...condition, ...RETURN_STANDING } },
    otherwise,
  };
};

/** Without the row, whether it is there or not. */
export const drop = (key: Key): Write => ({
  key,
  item: { Delete: { TableName: tableName(), Key: keyOf(key) } },
  otherwise: stale,
});

/** The row must be there, be of the version that was read, or satisfy the condition; it stays as it is. */
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

/** Attributes set and counters moved on a row in place, under a condition. */
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

/** Lets a write pass the wall between organizations, for the few rows that stand outside of them. */
export const systemWrite = (write: Write): Write => ({ ...write, isSystem: true });
