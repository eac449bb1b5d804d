import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import type { Problem } from '../base/problem.ts';
import { sectionsOf } from '../domain/content/content-index.ts';
import { publishImpact as impactOf } from '../domain/content/publish/impact.ts';
import { problemAt } from '../domain/content/publish/problems.ts';
import { publishProblems } from '../domain/content/publish/publish.ts';
import { type ListedOptions, withSyncedOptions } from '../domain/content/publish/synced-options.ts';
import { contentWarnings } from '../domain/content/publish/warnings.ts';
import { type Content, MAX_OPTIONS } from '../schemas/templates/content.ts';
import type { PublishImpact, RunningInspections } from '../schemas/templates/publish-impact.ts';
import type { Template } from '../schemas/templates/template.ts';
import { change, type Work } from '../table/change.ts';
import { expectVersion, nextVersion } from '../table/collection.ts';
import type { StoredFamily, StoredTemplate } from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { emit } from '../table/outbox/outbox.ts';
import { retrying, Stale } from '../table/retry.ts';
import { getRows, queryRows, readRows, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { contentWrite, decodeContent, encodeContent } from './content.ts';
import { familyEvent, familyRecords } from './family-records.ts';
import { expectDraft, toTemplate, toVersion, versionEvent, versionRecords } from './version-records.ts';

/** The reference fields of a content that name a source, with the path of each name. */
const namedSources = (content: Content) =>
  [...sectionsOf(content)].flatMap(({ section, loc }) =>
    section.fields.flatMap(({ reference }, position) =>
      reference?.source_id === undefined
        ? []
        : [{ ...reference, source_id: reference.source_id, loc: [...loc, 'fields', String(position)] }],
    ),
  );

/** The active options of a source, in no order: at most one more than a response set can have. */
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

/** A draft's content with the options of its sources. */
interface SyncedContent {
  /** With the options of the sources that its response sets name. */
  content: Content;
  /** The lists that these options are from, as they were before the options were read. */
  lists: StoredTemplate['lists'];
  /** Problems of response sets and reference fields whose source does not exist, or does not fit. */
  problems: Problem[];
}

/**
 * Adds the options of its sources to a content. No call if it names no source; else one per 100 sources, and one per
 * list, or more for a list whose rows have more than a megabyte.
 */
const takeSynced = async (caller: Caller, content: Content): Promise<SyncedContent> => {
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
 * The sources whose lists have changed since a version was published. One call, none for a version without sources.
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

/** Everything that the publication of a draft depends on. */
interface DraftToPublish {
  draft: StoredTemplate;
  family: StoredFamily;
  /** The family's current version; undefined when nothing is published. */
  current: StoredTemplate | undefined;
  /** With the options that it takes from sources. */
  content: Content;
  lists: StoredTemplate['lists'];
  /** All problems that prevent the publication. */
  problems: Problem[];
  /** The content of the family's current version; null when nothing is published. */
  publishedContent: Content | null;
}

/** @throws ApiError 404; 409 unless it is a draft of this version; Stale when another change came in between */
const readDraftToPublish = async (
  caller: Caller,
  id: string,
  expectedVersion?: number,
): Promise<DraftToPublish> => {
  const draft = withoutKeys(await versionRecords.get(caller, id));
  expectDraft(draft);
  expectVersion(versionRecords.noun, draft, expectedVersion);
  const { family_id, based_on_id, content_hash } = draft;
  const [familyRow, contentRow, publishedContentRow, currentRow] = await getRows(caller, [
    familyRecords.key(caller, family_id),
    keys.content(caller, id),
    based_on_id ? keys.content(caller, based_on_id) : undefined,
    based_on_id ? versionRecords.key(caller, based_on_id) : undefined,
  ]);
  if (!familyRow || (familyRow.current && !currentRow)) throw new Stale();
  const family = withoutKeys(familyRow);
  if (family.draft_version_id !== id) throw new Stale();
  const drafted = decodeContent(contentRow, content_hash).index.content;
  const { current } = family;
  const publishedContent = current && decodeContent(publishedContentRow, current.content_hash).index.content;
  const { content, lists, problems } = await takeSynced(caller, drafted);
  return {
    draft,
    family,
    current: currentRow && withoutKeys(currentRow),
    content,
    lists,
    problems: [...publishProblems(content, publishedContent), ...problems],
    publishedContent,
  };
};

/** Number of running inspections of a family, by template version. Calls: a Query, and one for the versions. */
const runningInspections = async (caller: Caller, familyId: string): Promise<RunningInspections> => {
  const counts = new Map<string, number>();
  for await (const { sk } of queryRows(caller, keys.parts(caller, 'FAMILY', familyId, 'RUNNING'))) {
    const [, templateId = ''] = sk.split('#');
    counts.set(templateId, (counts.get(templateId) ?? 0) + 1);
  }
  const rows = await getRows(
    caller,
    [...counts.keys()].map((id) => versionRecords.key(caller, id)),
  );
  const by_version = rows
    .filter((row) => row !== undefined)
    .map(({ id, version_number }) => ({ template_id: id, version_number, count: counts.get(id)! }));
  return {
    total: by_version.reduce((sum, { count }) => sum + count, 0),
    by_version: by_version.toSorted((a, b) => a.version_number - b.version_number),
  };
};

/** The changes that publishing a draft would make. @throws ApiError 404; 409 unless it is a draft */
export const publishImpact = async (caller: Caller, id: string): Promise<PublishImpact> => {
  const { draft, family, content, publishedContent, problems } = await retrying('The database', () =>
    readDraftToPublish(caller, id),
  );
  return {
    template_id: id,
    current_version_id: family.current?.template_id ?? null,
    ...impactOf(content, publishedContent),
    problems,
    warnings: problems.length > 0 ? [] : contentWarnings(content),
    running_inspections: await runningInspections(caller, draft.family_id),
  };
};

/** The version that was current becomes one of the past. */
const supersede = (work: Work, current: StoredTemplate): Write[] => {
  const superseded = nextVersion(work, current, { status: 'superseded' });
  return [
    write.replace({ ...superseded, ...versionRecords.key(work, current.id) }, current.version),
    versionEvent(work, superseded),
  ];
};

/**
 * Publishes a draft as its family's current version, which supersedes the former one. The options of its sources become
 * part of its content, so that later syncs do not change it.
 * @throws ApiError 404; 409 unless it is a draft of this version; 422 with every problem of the content
 */
export const publish = (caller: Caller, id: string, expectedVersion?: number): Promise<Template> =>
  change(caller, async (work) => {
    const { draft, family, current, content, lists, problems } = await readDraftToPublish(
      work,
      id,
      expectedVersion,
    );
    if (problems.length > 0) throw errors.contentInvalid(problems);

    const hasLists = Object.keys(lists).length > 0;
    const encoded = hasLists ? encodeContent(content) : undefined;
    const { family_id, version_number, total, required } = { ...draft, ...encoded?.counts };
    const content_hash = encoded?.hash ?? draft.content_hash;
    const isChanged = content_hash !== draft.content_hash;
    const published = nextVersion(work, draft, {
      status: 'published',
      published_at: work.now,
      published_by: work.user_id,
      content_version: draft.content_version + Number(isChanged),
      content_hash,
      total,
      required,
      options_taken_at: hasLists ? work.now : null,
      lists,
    });
    const nextFamily = nextVersion(work, family, {
      current: { template_id: id, version_number, content_hash, total, required },
      draft_version_id: null,
    });
    return {
      writes: [
        write.replace({ ...published, ...versionRecords.key(work, id) }, draft.version),
        write.replace({ ...nextFamily, ...familyRecords.key(work, family_id) }, family.version),
        ...(encoded && isChanged ? [contentWrite(work, id, encoded)] : []),
        ...(current ? supersede(work, current) : []),
        emit(work, 'template.published', toVersion(published)),
        familyEvent(work, 'updated', nextFamily),
      ],
      reply: { ...toTemplate(published, content), warnings: contentWarnings(content) },
    };
  });
