import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { environment } from '../base/environment.ts';
import { both, type Condition, exists, hasValues, isAbsent, versionIs } from './conditions.ts';
import { FORM, formAt, type Stored, upgradeOf, withForm } from './forms.ts';
import { type INTERNAL_ATTRIBUTES, type Key, nameOfKey } from './keys.ts';
import type { Row } from './rows.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** What a change does to one row. */
export interface Write<Resource extends object = object> {
  key: Key<Resource>;
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
): Write<Resource> => ({
  key: keyOf(row),
  item: { Put: { TableName: tableName(), Item: withForm(row), ...isAbsent, ...RETURN_STANDING } },
  otherwise,
});

/** Replaces a row, which must have the version that was read, or satisfy the condition. */
export const replace = <Resource extends object>(
  row: NewRow<Resource>,
  guard: number | Condition,
  otherwise: Write['otherwise'] = stale,
): Write<Resource> => {
  const condition = typeof guard === 'number' ? versionIs(guard) : guard;
  return {
    key: keyOf(row),
    item: { Put: { TableName: tableName(), Item: withForm(row), ...condition, ...RETURN_STANDING } },
    otherwise,
  };
};

/** Creates a row, or replaces it whatever it holds. */
export const put = <Resource extends object>(row: NewRow<Resource>): Write<Resource> => ({
  key: keyOf(row),
  item: { Put: { TableName: tableName(), Item: withForm(row) } },
  otherwise: stale,
});

/** Deletes a row, which must have the version that was read, or satisfy the condition. */
export const remove = <Resource extends object>(
  key: Key<Resource>,
  guard: number | Condition,
  otherwise: Write['otherwise'] = stale,
): Write<Resource> => {
  const condition = typeof guard === 'number' ? versionIs(guard) : guard;
  return {
    key,
    item: { Delete: { TableName: tableName(), Key: keyOf(key), ...condition, ...RETURN_STANDING } },
    otherwise,
  };
};

/** Deletes a row, whether it exists or not. */
export const drop = <Resource extends object>(key: Key<Resource>): Write<Resource> => ({
  key,
  item: { Delete: { TableName: tableName(), Key: keyOf(key) } },
  otherwise: stale,
});

/** Changes nothing, but the row must exist, have the version that was read, or satisfy the condition. */
export const check = <Resource extends object>(
  key: Key<Resource>,
  otherwise: Write['otherwise'] = stale,
  guard: number | Condition = exists,
): Write<Resource> => {
  const condition = typeof guard === 'number' ? versionIs(guard) : guard;
  return {
    key,
    item: { ConditionCheck: { TableName: tableName(), Key: keyOf(key), ...condition, ...RETURN_STANDING } },
    otherwise,
  };
};

/** What an update does to the attributes of a row. An attribute whose value here is undefined stays as it is. */
export interface Changes {
  set?: Readonly<Record<string, unknown>> | undefined;
  /** Added to counters. */
  add?: { readonly [counter: string]: number | undefined } | undefined;
  /** Elements that sets get, and elements that they lose. */
  insert?: Readonly<Record<string, ReadonlySet<string>>> | undefined;
  discard?: Readonly<Record<string, ReadonlySet<string>>> | undefined;
  /** Attributes that the row loses. */
  drop?: readonly string[] | undefined;
}

const changeInPlace = <Resource extends object>(
  key: Key<Resource>,
  { set, add = {}, insert, discard, drop = [] }: Changes,
  condition?: Condition,
  otherwise: Write['otherwise'] = stale,
): Write<Resource> => {
  const names: Record<string, string> = { ...condition?.ExpressionAttributeNames };
  const values: Record<string, unknown> = { ...condition?.ExpressionAttributeValues };
  const moved = Object.fromEntries(
    Object.entries(add).flatMap(([counter, number]) => (number ? [[counter, number] as const] : [])),
  );
  const actions = (
    prefix: string,
    changes: Readonly<Record<string, unknown>> | undefined,
    action: (name: string, value: string) => string,
  ): string[] =>
    Object.entries(changes ?? {})
      .filter(([, value]) => value !== undefined)
      .map(([attribute, value], position) => {
        const placeholder = `:${prefix}${position}`;
        names[`#${attribute}`] = attribute;
        values[placeholder] = value;
        return action(`#${attribute}`, placeholder);
      });
  const clause = (verb: string, ...all: string[][]): string[] => {
    const parts = all.flat();
    return parts.length > 0 ? [`${verb} ${parts.join(', ')}`] : [];
  };
  const operand = (name: string, value: string) => `${name} ${value}`;
  const dropped = drop.map((attribute) => {
    names[`#${attribute}`] = attribute;
    return `#${attribute}`;
  });
  return {
    key,
    ...(Object.keys(moved).length > 0 && { add: moved }),
    item: {
      Update: {
        TableName: tableName(),
        Key: keyOf(key),
        UpdateExpression: [
          ...clause(
            'SET',
            actions('set', set, (name, value) => `${name} = ${value}`),
          ),
          ...clause('ADD', actions('add', moved, operand), actions('insert', insert, operand)),
          ...clause('DELETE', actions('discard', discard, operand)),
          ...clause('REMOVE', dropped),
        ].join(' '),
        ...(condition && { ConditionExpression: condition.ConditionExpression, ...RETURN_STANDING }),
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: values,
      },
    },
    otherwise,
  };
};

/**
 * Changes attributes of a row in place, under a condition. Creates the row if it does not exist. Like every write, it
 * gives the row the form of this release. So a row of an older form must be upgraded first: the condition fails on it.
 */
export const update = <Resource extends object>(
  key: Key<Resource>,
  changes: Changes,
  condition?: Condition,
  otherwise: Write['otherwise'] = stale,
): Write<Resource> => {
  const form = formAt(key);
  if (form === 1)
    return changeInPlace(key, { ...changes, drop: [...(changes.drop ?? []), FORM] }, condition, otherwise);
  const set = { ...changes.set, [FORM]: form };
  const hasForm: Condition = {
    ConditionExpression: 'attribute_not_exists(pk) OR #has_form >= :has_form',
    ExpressionAttributeNames: { '#has_form': FORM },
    ExpressionAttributeValues: { ':has_form': form },
  };
  return changeInPlace(key, { ...changes, set }, both(hasForm, condition), otherwise);
};

/** Stores a row in the form of this release, if all its attributes are as they were read. */
export const upgrade = (row: Stored): Write => {
  const { set, drop } = upgradeOf(row);
  const { pk, sk, ...read } = row;
  const added = Object.fromEntries(Object.keys(set).map((attribute) => [attribute, undefined]));
  return changeInPlace({ pk, sk }, { set, drop }, hasValues({ ...added, ...read }), stale);
};

/** Exempts a write from the check of its organization, for the few rows that belong to none. */
export const systemWrite = (write: Write): Write => ({ ...write, isSystem: true });

/** The names of what an update adds to counters, among its values. */
const ADDED = /^:add\d/;

/** One write that adds what both add to the same counters of one row. */
const sumOf = (one: Write, other: Write): Write => {
  const { Update } = one.item;
  const added = other.item.Update!.ExpressionAttributeValues!;
  return {
    ...one,
    add: Object.fromEntries(
      Object.entries(one.add!).map(([name, number]) => [name, number + other.add![name]!]),
    ),
    item: {
      Update: {
        ...Update!,
        ExpressionAttributeValues: Object.fromEntries(
          Object.entries(Update!.ExpressionAttributeValues!).map(([name, value]) => [
            name,
            ADDED.test(name) ? Number(value) + Number(added[name]) : value,
          ]),
        ),
      },
    },
  };
};

/**
 * The same writes, with those that add to the same counters of one row, under the same condition, as a single one: a
 * transaction may write a row only once, and the counts of several resources may share a shard.
 */
export const combineCounts = (writes: readonly Write[]): Write[] => {
  const combined: Write[] = [];
  const positions = new Map<string, number>();
  for (const write of writes) {
    const { key, item, add } = write;
    const { UpdateExpression, ConditionExpression } = item.Update ?? {};
    const name = [nameOfKey(key), UpdateExpression, ConditionExpression].join('\n');
    const position = add && positions.get(name);
    if (position !== undefined) {
      combined[position] = sumOf(combined[position]!, write);
      continue;
    }
    if (add) positions.set(name, combined.length);
    combined.push(write);
  }
  return combined;
};
