import type { Caller } from '../base/caller.ts';
import type { ChildKind, Kind } from './entities/kinds.ts';
import type { Stored } from './forms.ts';
import { type AnyRowKeys } from './key-templates.ts';
import { type Key, keys } from './keys.ts';
import { queryStored } from './rows.ts';

/*
 * All rows of an organization, as far as queries reach them: each partition whose key follows from its words and from
 * the ids of resources. Rows that stand by a hash are not among them, such as reserved values and idempotency keys, nor
 * are those that belong to no organization. Only a scan of the whole table finds these (`scan.ts`).
 */

/** Placeholders that hold the id of a resource without naming its kind. */
const KIND_OF: Readonly<Record<string, Kind>> = {
  user_id: 'MEMBER',
  client_id: 'CLIENT',
  reinspection_of_id: 'INSPECTION',
  template_family_id: 'FAMILY',
};

const PLACEHOLDER = /\{(\w+)(?::([A-Z_|]+))?\}/;

const wordsIn = (template: string): string[] =>
  PLACEHOLDER.exec(template.replace('{org_id:caller}', ''))![2]!.split('|');

/** The kind of the resources or children that a placeholder stands for, as it is written; any other word for none. */
const kindNamed = (name: string): string => KIND_OF[name] ?? name.replace(/_id$/, '').toUpperCase();

/** The ids of the resources or children of a kind, in their order; none for any other word. */
const idsFor = async (caller: Caller, kind: string): Promise<string[]> => {
  if (wordsIn(keys.one.template.pk).includes(kind)) {
    const rows = queryStored(caller, keys.all(caller, kind as Kind));
    return Array.fromAsync(rows, ({ sk }) => sk);
  }
  if (wordsIn(keys.reference.template.pk).includes(kind)) {
    const rows = queryStored(caller, keys.reference.partition(caller, kind as ChildKind));
    return Array.fromAsync(rows, ({ sk }) => sk);
  }
  if (kind !== 'VENDOR') return [];
  // Connections that were deleted keep their row, so every vendor with a history is among them.
  const connections = queryStored(caller, keys.all(caller, 'CONNECTION'));
  const vendors = await Array.fromAsync(connections, ({ vendor }) => String(vendor));
  return [...new Set(vendors)].toSorted();
};

/** The ids for each placeholder of a walk, which reads them once. */
type Ids = (name: string) => Promise<string[]>;

const idsOf = (caller: Caller): Ids => {
  const known = new Map<string, Promise<string[]>>();
  return (name) => {
    const kind = kindNamed(name);
    const ids = known.get(kind) ?? idsFor(caller, kind);
    known.set(kind, ids);
    return ids;
  };
};

/** The partition keys that a template makes, in their order. */
const filled = async function* (ids: Ids, template: string): AsyncGenerator<string> {
  const found = PLACEHOLDER.exec(template);
  if (!found) {
    // Other placeholders are hashes.
    if (!template.includes('{')) yield template;
    return;
  }
  const [placeholder, name, words] = found as unknown as [string, string, string | undefined];
  const values = words?.split('|').toSorted() ?? (await ids(name));
  for (const value of values) yield* filled(ids, template.replace(placeholder, value));
};

/** A place in the walk: behind this row, in a partition that the template makes. */
export type WalkPosition = Key & { template: string };

/**
 * The rows of an organization as they are stored, in any form, each with its place.
 * @param after only those behind this place, for a walk that goes on
 */
export const walkRowsOf = async function* (
  caller: Caller,
  after?: WalkPosition,
): AsyncGenerator<{ row: Stored; template: string }> {
  const entries = Object.values(keys as unknown as Record<string, AnyRowKeys>);
  const templates = [
    ...new Set(entries.flatMap((entry) => ('template' in entry ? [entry.template.pk] : []))),
  ].filter((template) => template.startsWith('ORG#'));
  const ids = idsOf(caller);
  for (const template of templates.slice(Math.max(0, templates.indexOf(after?.template ?? '')))) {
    const own = template.replace('{org_id:caller}', caller.org_id);
    const begun = after?.template === template ? after : undefined;
    for await (const partition of filled(ids, own)) {
      if (begun && partition < begun.pk) continue;
      const rest = begun?.pk === partition ? begun.sk : undefined;
      for await (const row of queryStored(caller, partition, rest)) yield { row, template };
    }
  }
};

/** The rows of an organization as they are stored, in any form. */
export const storedRowsOf = async function* (caller: Caller): AsyncGenerator<Stored> {
  for await (const { row } of walkRowsOf(caller)) yield row;
};
