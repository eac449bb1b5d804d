import type { Caller } from '../../../base/caller.ts';
import type { Problem } from '../../../base/problem.ts';
import { sectionsOf } from '../../../domain/content/content-index.ts';
import { problemAt } from '../../../domain/content/publish/problems.ts';
import { type ListedOptions, withSyncedOptions } from '../../../domain/content/publish/synced-options.ts';
import { type Content, MAX_OPTIONS } from '../../../schemas/templates/content.ts';
import type { StoredTemplate } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { getRows, queryRows, readRows } from '../../table/rows.ts';

/** The reference fields of a content that name a source, with the places of these names. */
const namedSources = (content: Content) =>
  [...sectionsOf(content)].flatMap(({ section, loc }) =>
    section.fields.flatMap(({ reference }, position) =>
      reference?.source_id === undefined
        ? []
        : [{ ...reference, source_id: reference.source_id, loc: [...loc, 'fields', String(position)] }],
    ),
  );

/** The options of a source that are active, in no order: at most one more than a response set can have. */
const activeOptions = async (caller: Caller, sourceId: string): Promise<ListedOptions> => {
  const options: ListedOptions[number][] = [];
  for await (const { option } of queryRows(caller, {
    ...keys.parts(caller, 'SOURCE', sourceId, 'ROW'),
    where: { is_active: [true] },
    only: ['option'],
  })) {
    if (option) options.push(option);
    if (options.length > MAX_OPTIONS) break;
  }
  return options;
};

/** A draft's content with what it takes from sources. */
export interface SyncedContent {
  /** With the options of the sources that its response sets name. */
  content: Content;
  /** The lists that these options are from, as they were before the options were read. */
  lists: StoredTemplate['lists'];
  /** Problems of response sets and reference fields whose source does not exist, or does not fit. */
  problems: Problem[];
}

/**
 * Takes what a content needs of sources. No call where it names none; else one per 100 sources, and one per list, or more
 * for a list whose rows have more than a megabyte.
 */
export const takeSynced = async (caller: Caller, content: Content): Promise<SyncedContent> => {
  const named = namedSources(content);
  const listed = [...new Set(content.response_sets.flatMap(({ source_id }) => source_id ?? []))];
  const sourceOf = (id: string) => keys.one(caller, 'SOURCE', id);
  const listOf = (id: string) => keys.syncedList(caller, id);
  const rowsOf = await readRows(caller, [
    ...named.map(({ source_id }) => sourceOf(source_id)),
    ...listed.flatMap((id) => [sourceOf(id), listOf(id)]),
  ]);
  const options = new Map<string, ListedOptions>();
  const lists: Record<string, StoredTemplate['lists'][string]> = {};
  for (const id of listed) {
    const [source, list] = rowsOf([sourceOf(id), listOf(id)]);
    if (source?.target_ref !== 'response_sets') continue;
    options.set(id, await activeOptions(caller, id));
    lists[id] = { changed_at: list?.changed_at ?? '' };
  }
  const synced = withSyncedOptions(content, options);
  const missing = named.flatMap(({ source_id, target_ref, loc }) =>
    rowsOf([sourceOf(source_id)])[0]?.target_ref === target_ref
      ? []
      : [problemAt([...loc, 'reference', 'source_id'], `there is no such source of ${target_ref}`)],
  );
  return { content: synced.content, lists, problems: [...missing, ...synced.problems] };
};

/**
 * The sources whose lists are not as they were when a version was published. One call, none for a version without any.
 */
export const changedSources = async (
  caller: Caller,
  { lists }: Pick<StoredTemplate, 'lists'>,
): Promise<string[]> => {
  const taken = Object.entries(lists);
  const rows = await getRows(
    caller,
    taken.map(([id]) => keys.syncedList(caller, id)),
  );
  return taken.flatMap(([id, { changed_at }], position) =>
    rows[position]?.changed_at === changed_at ? [] : [id],
  );
};
