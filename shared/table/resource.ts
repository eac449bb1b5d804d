import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../base/caller.ts';
import type { Work } from './change.ts';
import { type Condition, hasValues } from './conditions.ts';
import type { Kind } from './entities/kinds.ts';
import type { Used } from './entities/machinery.ts';
import { type AnyRowKeys, keyWith } from './key-templates.ts';
import { type Key, nameOfKey } from './keys.ts';
import { countBytes } from './stored-bytes.ts';
import { moveReservation } from './unique.ts';
import { changeUse, documentUses, use } from './usage.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/** Counters by their names. */
type Numbers = Readonly<Record<string, number>>;

/** The rows of one sort that follow a resource: each exists as long as the resource says so. */
export interface Follower<Stored extends object> {
  /** Their key. Its values lead back to the resource, so that `org check` finds rows that follow nothing. */
  row: AnyRowKeys;
  /** What `org check` calls such a row, such as `due inspection`. */
  what: string;
  /** The values of the key of each such row; an empty list for none. */
  at: (resource: Stored) => readonly (readonly string[])[];
  /**
   * What such a row holds beside its key; nothing where left out.
   * @param before the resource before the change
   * @returns undefined when the row has nothing left to do, so that none is written
   */
  holds?: (work: Work, resource: Stored, before: Stored | undefined) => object | undefined;
  /** Attributes that have a life of their own. A row is written again when any other one changes. */
  own?: readonly string[];
  /** The values of their partition key, where they are always the same. */
  within?: readonly string[];
  /** The resources whose ids are in their partition keys: there is one partition for each. */
  under?: Kind;
  /** Whether the row may have gone already, having done its work. @param now ISO 8601 in UTC */
  mayBeGone?: (resource: Stored, now: string) => boolean;
}

/** What follows from a resource. The writes of its changes, `org check` and its repairs are made from these facts. */
export interface Facts<Stored extends object> {
  /** The attributes by which indexes find it. */
  index?: (caller: Caller, resource: Stored) => object;
  /** What it adds to counters of the organization, and to which row. */
  counts?: { in: (caller: Caller, id: string) => Key; by: (resource: Stored) => Numbers };
  /** The row that counts how often its lists have changed, which they do with any of these fields. */
  listed?: { in: (caller: Caller, id: string) => Key; by: readonly (keyof Stored & string)[] };
  /**
   * The resources that it uses, by the fields that name them, such as `places.region_id`. While it does, these cannot be
   * deleted.
   */
  uses?: {
    as: keyof Used;
    fields: {
      readonly [Field in (keyof Stored & string) | `${keyof Stored & string}.${string}`]?: Kind;
    };
    /**
     * What it counts as besides for the resource that `field` names. It cannot leave that one, or count as something
     * else, once that one has been deleted.
     */
    also?: { field: keyof Stored & string; by: (resource: Stored) => Used };
  };
  /** What of it shows documents, and the request's field that names them. */
  documents?: { in: (resource: Stored) => unknown; field: string };
  /** The bytes of its files. */
  bytes?: (resource: Stored) => number;
  /** Values that no two resources of the kind may have: what each is called, and the value. */
  unique?: Readonly<Record<string, (resource: Stored) => string | null | undefined>>;
  followers?: readonly Follower<Stored>[];
}

/** A resource: where its rows are, what it is called in errors, and what follows from it. */
export interface Resource<Stored extends Identified> extends Facts<Stored> {
  noun: string;
  keyOf: (caller: Caller, resource: Stored) => Key<Stored>;
  /** The attribute that counts its changes that leave its version as it is. */
  moves?: keyof Stored & string;
}

interface Identified {
  id: string;
}

interface Versioned extends Identified {
  version: number;
}

const NOTHING: Numbers = {};

/** By how much counters change. */
const difference = (were: Numbers, are: Numbers): Numbers =>
  Object.fromEntries(
    Object.keys({ ...were, ...are })
      .map((name): [string, number] => [name, (are[name] ?? 0) - (were[name] ?? 0)])
      .filter(([, count]) => count !== 0),
  );

/** By how much what a resource adds to counters changes. */
export const countChange = <Stored extends Identified>(
  { counts }: Facts<Stored>,
  before: Stored | undefined,
  after: Stored | undefined,
): Numbers =>
  counts ? difference(before ? counts.by(before) : NOTHING, after ? counts.by(after) : NOTHING) : NOTHING;

const counterWrites = <Stored extends Identified>(
  facts: Facts<Stored>,
  work: Work,
  before: Stored | undefined,
  after: Stored | undefined,
): Write[] => {
  const { counts, listed } = facts;
  const { id } = (after ?? before)!;
  const moved = countChange(facts, before, after);
  const isListChanged =
    listed && (!before || !after || listed.by.some((field) => before[field] !== after[field]));
  return [
    ...(counts && Object.keys(moved).length > 0 ? [write.update(counts.in(work, id), { add: moved })] : []),
    ...(isListChanged ? [write.update(listed.in(work, id), { add: { changes: 1 } })] : []),
  ];
};

const without = (row: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

const followerWrites = <Stored extends object>(
  { row, at, holds = () => ({}), own = [] }: Follower<Stored>,
  work: Work,
  before: Stored | undefined,
  after: Stored | undefined,
): Write[] => {
  const keysOf = (resource: Stored | undefined) =>
    new Map(
      (resource ? at(resource) : []).map((values) => {
        const key = keyWith(row, work, values);
        return [nameOfKey(key), key];
      }),
    );
  const [were, are] = [keysOf(before), keysOf(after)];
  const gone = [...were].filter(([name]) => !are.has(name));
  const written = [...are].flatMap(([name, key]) => {
    const now = holds(work, after!, before);
    if (!now) return [];
    const was = were.has(name) && holds(work, before!, before);
    return was && isDeepStrictEqual(without(was, own), without(now, own))
      ? []
      : [write.put<object>({ ...key, ...now })];
  });
  return [...gone.map(([, key]) => write.drop(key)), ...written];
};

const useWrites = <Stored extends Identified>(
  { uses }: Facts<Stored>,
  work: Work,
  before: Stored | undefined,
  after: Stored | undefined,
): Write[] => {
  if (!uses) return [];
  const { as, fields, also } = uses;
  const { id: userId } = (after ?? before)!;
  return Object.entries<Kind | undefined>(fields).flatMap(([field, kind]) => {
    // The fields that name a resource are ids.
    const idIn = (resource: Stored | undefined) =>
      field
        .split('.')
        .reduce<unknown>(
          (value, name) => (value as Record<string, unknown> | null | undefined)?.[name],
          resource,
        ) as string | null | undefined;
    const [was, is] = [idIn(before), idIn(after)];
    if (!kind) return [];
    const isBound = also?.field === field;
    const countsOf = (resource: Stored): Numbers => ({ [as]: 1, ...(isBound && also.by(resource)) });
    if (was === is) {
      const moved = before && after && was ? difference(countsOf(before), countsOf(after)) : NOTHING;
      return Object.keys(moved).length > 0 ? [changeUse(work, { kind, id: was!, userId }, moved)] : [];
    }
    const ended = before && was ? difference(countsOf(before), NOTHING) : NOTHING;
    return [
      ...(was && isBound && after ? [changeUse(work, { kind, id: was, userId }, ended)] : []),
      ...(was && !(isBound && after) ? [use(work, { kind, id: was, userId }, ended, field)] : []),
      ...(is && after
        ? [use(work, { kind, id: is, userId }, difference(NOTHING, countsOf(after)), field)]
        : []),
    ];
  });
};

/** The writes by which everything that follows from a resource follows its change, in the same transaction. */
export const follow = <Stored extends Identified>(
  facts: Facts<Stored>,
  work: Work,
  before: Stored | undefined,
  after: Stored | undefined,
): Write[] => {
  const { id } = (after ?? before)!;
  const { followers = [], documents, bytes, unique = {} } = facts;
  const sizeOf = (resource: Stored | undefined) => (bytes && resource ? bytes(resource) : 0);
  return [
    ...counterWrites(facts, work, before, after),
    ...followers.flatMap((follower) => followerWrites(follower, work, before, after)),
    ...useWrites(facts, work, before, after),
    ...(documents
      ? documentUses(work, before && documents.in(before), after && documents.in(after), documents.field)
      : []),
    ...countBytes(work, [{ id, bytes: sizeOf(after) - sizeOf(before) }]),
    ...Object.entries(unique).flatMap(([what, valueOf]) =>
      moveReservation(work, what, before && valueOf(before), after && valueOf(after), id),
    ),
  ];
};

/** The row of a resource, with the attributes by which indexes find it. */
const rowOf = <Stored extends Identified>(
  { index, keyOf }: Resource<Stored>,
  caller: Caller,
  resource: Stored,
): Key<Stored> & Stored => ({ ...resource, ...index?.(caller, resource), ...keyOf(caller, resource) });

/**
 * Creates a resource, with everything that follows from it.
 * @param otherwise what it means that there is one with its id
 */
export const create = <Stored extends Identified>(
  resource: Resource<Stored>,
  work: Work,
  created: Stored,
  otherwise?: Write['otherwise'],
): Write[] => [
  write.create<object>(rowOf(resource, work, created), otherwise),
  ...follow(resource, work, undefined, created),
];

/** The row is as it was read: it has that version, and nothing else has moved it meanwhile. */
export const asRead = <Stored extends Versioned>(
  { moves }: Pick<Resource<Stored>, 'moves'>,
  read: Stored,
): Condition => hasValues({ version: read.version, ...(moves && { [moves]: read[moves] }) });

/**
 * Replaces a resource as it was read by the next one, with everything that follows from it.
 * @param guard what must hold of the stored row: by default it is as it was read
 */
export const replace = <Stored extends Versioned>(
  resource: Resource<Stored>,
  work: Work,
  before: Stored,
  after: Stored,
  guard: Condition = asRead(resource, before),
): Write[] => [
  write.replace<object>(rowOf(resource, work, after), guard),
  ...follow(resource, work, before, after),
];

/**
 * Changes a resource in place, with everything that follows from it: only the attributes that differ are written, so
 * that counters which others change meanwhile stay right. An attribute that `after` does not have, or has as undefined,
 * stays as it is stored; null replaces it.
 * @param guard as in `replace`
 * @param insert elements that sets of the row get
 */
export const update = <Stored extends Versioned>(
  resource: Resource<Stored>,
  work: Work,
  before: Stored,
  after: Stored,
  guard: Condition = asRead(resource, before),
  insert?: write.Changes['insert'],
): Write[] => {
  const stored: { readonly [attribute: string]: unknown } = Object.fromEntries(
    Object.entries(rowOf(resource, work, before)),
  );
  const set = Object.fromEntries(
    Object.entries(rowOf(resource, work, after)).filter(
      ([attribute, value]) => !isDeepStrictEqual(value, stored[attribute]),
    ),
  );
  return [
    write.update(resource.keyOf(work, after), { set, insert }, guard),
    ...follow(resource, work, before, after),
  ];
};

/**
 * Deletes a resource as it was read, with everything that follows from it.
 * @param guard as in `replace`
 * @param otherwise what it means when that does not hold
 */
export const remove = <Stored extends Versioned>(
  resource: Resource<Stored>,
  work: Work,
  removed: Stored,
  guard: Condition = asRead(resource, removed),
  otherwise?: Write['otherwise'],
): Write[] => [
  write.remove(resource.keyOf(work, removed), guard, otherwise),
  ...follow(resource, work, removed, undefined),
];
