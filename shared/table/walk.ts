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

/** The ids of the resources or children that a placeholder stands for; none for any other placeholder. */
const idsFor = async function* (caller: Caller, name: string): AsyncGenerator<string> {
  const kind = KIND_OF[name] ?? name.replace(/_id$/, '').toUpperCase();
  const ids = (partition: Parameters<typeof queryStored>[1]) => queryStored(caller, partition);
  if (wordsIn(keys.one.template.pk).includes(kind)) {
    for await (const { sk } of ids(keys.all(caller, kind as Kind))) yield sk;
  } else if (wordsIn(keys.reference.template.pk).includes(kind)) {
    for await (const { sk } of ids(keys.reference.partition(caller, kind as ChildKind))) yield sk;
  } else if (name === 'vendor') {
    // Connections that were deleted keep their row, so every vendor with a history is among them.
    const vendors = new Set<string>();
    for await (const { vendor } of ids(keys.all(caller, 'CONNECTION'))) vendors.add(String(vendor));
    yield* [...vendors].toSorted();
  }
};

/** The partition keys that a template makes, in their order. */
const filled = async function* (caller: Caller, template: string): AsyncGenerator<string> {
  const found = PLACEHOLDER.exec(template);
  if (!found) {
    // Other placeholders are hashes.
    if (!template.includes('{')) yield template;
    return;
  }
  const [placeholder, name, words] = found as unknown as [string, string, string | undefined];
  const values = words?.split('|').toSorted() ?? idsFor(caller, name);
  for await (const value of values) yield* filled(caller, template.replace(placeholder, value));
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
  for (const template of templates.slice(Math.max(0, templates.indexOf(after?.template ?? '')))) {
    const own = template.replace('{org_id:caller}', caller.org_id);
    const begun = after?.template === template ? after : undefined;
    for await (const partition of filled(caller, own)) {
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
