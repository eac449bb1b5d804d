import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { merge } from '../base/fields.ts';
import { wordFilter } from '../domain/words.ts';
import * as documents from '../files/documents.ts';
import {
  DEFAULT_SETTINGS,
  type Family,
  type FamilyChanges,
  type NewFamily,
} from '../schemas/templates/family.ts';
import type { TemplateVersion } from '../schemas/templates/template.ts';
import { change, type Work } from '../table/change.ts';
import { editRow, expectVersion, newResource, type ResourceEdit } from '../table/collection.ts';
import { isAbsent } from '../table/conditions.ts';
import type { LayoutNames, StoredFamily, StoredLayout, VersionPlace } from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import type { Listing, ListQuery } from '../table/listing.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { isPart, queryRows, type Row, withoutKeys } from '../table/rows.ts';
import { close } from '../table/usage.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { encodeContent } from './content.ts';
import {
  checkCorrectionMode,
  checkSettings,
  familyEvent,
  familyRecords,
  reviewSettings,
  statusOf,
  toFamily,
} from './family-records.ts';
import { newDraft, toVersion, versionEvent, versionRecords } from './version-records.ts';

/** Template families: each is one template over time, with its settings and its versions. */

type FamilyFilters = ListQuery & {
  q?: string | undefined;
  archived: boolean;
  initiable: boolean;
  tag?: string[] | undefined;
};

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Family> =>
  toFamily(await familyRecords.get(caller, id));

/** In creation order. One call per megabyte of families. */
export const list = (caller: Caller, query: FamilyFilters): Promise<Listing<Family>> => {
  const { q, archived, initiable, tag } = query;
  const hasWords = wordFilter(q);
  const tags = tag && new Set(tag.map((each) => each.toLowerCase()));
  const keep = (family: StoredFamily): boolean =>
    (family.archived_at !== null) === archived &&
    (!initiable || statusOf(family) === 'published') &&
    hasWords(family) &&
    (!tags || family.tags.some((each) => tags.has(each.toLowerCase())));
  return familyRecords.list(caller, query, { keep }, toFamily);
};

/**
 * Creates a family with the draft of its first version.
 * @param replyOf makes the reply; without it the reply is the family
 * @throws ApiError 403 for a key that changes a setting which grants rights; 400 for a setting with a member or layout
 *   that does not exist; 422 for the content, or a correction mode that needs an approval
 */
export const create = async <Reply = Family>(
  caller: Caller,
  { content, settings, ...fields }: NewFamily,
  replyOf: (family: Family, draft: TemplateVersion) => Reply = (family) => family as Reply,
): Promise<Reply> => {
  const encoded = encodeContent(content, ['body']);
  return change(caller, async (work) => {
    const withoutDraft = newResource(work, {
      ...fields,
      settings: merge(DEFAULT_SETTINGS, settings),
      current: null,
      draft_version_id: null,
      last_version_number: 1,
      archived_at: null,
      created_by: work.user_id,
    });
    const { id, name, description } = withoutDraft;
    checkCorrectionMode(withoutDraft);
    const review = reviewSettings(work, id, withoutDraft);
    await checkSettings(work, id, settings);
    const { draft, writes } = newDraft(
      work,
      { family_id: id, version_number: 1, name, description, based_on_id: null },
      encoded,
    );
    const family: StoredFamily = { ...withoutDraft, draft_version_id: draft.id };
    return {
      writes: [
        write.create({ ...familyRecords.key(work, id), ...family }),
        ...writes,
        ...review,
        familyEvent(work, 'created', family),
        versionEvent(work, draft),
      ],
      reply: replyOf(toFamily(family), toVersion(draft)),
    };
  });
};

const { noun } = familyRecords;

/** @throws ApiError 404; what `decide` throws */
const changeFamily = (
  caller: Caller,
  id: string,
  decide: (
    current: StoredFamily,
    work: Work,
  ) => Promise<ResourceEdit<StoredFamily>> | ResourceEdit<StoredFamily>,
): Promise<Family> =>
  editRow({
    caller,
    noun,
    key: familyRecords.key(caller, id),
    decide,
    event: (family, work) => familyEvent(work, 'updated', family),
    present: toFamily,
  });

/**
 * @throws ApiError 404; 403 for a key that changes a setting which grants rights; 400 for a setting with a member or
 *   layout that does not exist, or an approver who cannot approve; 409 for another version; 422 for a correction mode
 *   that needs an approval
 */
export const update = (
  caller: Caller,
  id: string,
  changes: FamilyChanges,
  expectedVersion?: number,
): Promise<Family> =>
  changeFamily(caller, id, async (current, work) => {
    const next = merge(current, changes);
    const review = reviewSettings(work, id, next, current);
    await checkSettings(work, id, changes.settings ?? {}, current.settings.approval.approver_ids);
    expectVersion(noun, current, expectedVersion);
    checkCorrectionMode(next, current);
    const { default_layout_id } = next.settings;
    const isOtherLayout = default_layout_id !== current.settings.default_layout_id;
    return {
      next,
      writes: [
        ...review,
        // The layout may have been deleted since the settings were checked.
        ...(default_layout_id && isOtherLayout
          ? [write.check(keys.layout(work, id, default_layout_id))]
          : []),
      ],
    };
  });

/** @throws ApiError 404; 409 for another version, or when the family is archived already */
export const archive = (caller: Caller, id: string, expectedVersion?: number): Promise<Family> =>
  changeFamily(caller, id, (current, work) => {
    expectVersion(noun, current, expectedVersion);
    if (current.archived_at !== null) throw errors.familyStatus('archived');
    return { next: { ...current, archived_at: work.now } };
  });

/** @throws ApiError 404; 409 for another version, or unless the family is archived */
export const restore = (caller: Caller, id: string, expectedVersion?: number): Promise<Family> =>
  changeFamily(caller, id, (current) => {
    expectVersion(noun, current, expectedVersion);
    const status = statusOf(current);
    if (status !== 'archived') throw errors.familyStatus(status, 'archived');
    return { next: { ...current, archived_at: null } };
  });

/** Versions that one transaction deletes with their contents. These may be near the 4 MB of a transaction. */
const MAX_VERSIONS_WITH_CONTENT = 10;

/** Versions whose own rows one transaction deletes. */
const MAX_VERSIONS = 60;

/** The newest versions of a family, as many as one transaction deletes, and its layouts with their names. */
const readParts = async (caller: Caller, familyId: string) => {
  const versions: Row<VersionPlace>[] = [];
  const layouts: (Row<StoredLayout> | Row<LayoutNames>)[] = [];
  const partition = keys.below(caller, 'FAMILY', familyId);
  for await (const row of queryRows(caller, { partition, newestFirst: true })) {
    if (isPart(row, 'LAYOUT') || isPart(row, 'LAYOUTS')) layouts.push(row);
    else if (isPart(row, 'VERSION') && versions.push(row) === MAX_VERSIONS) break;
  }
  return { versions, layouts };
};

/**
 * Deletes rows below a family. If it has few versions: these with their contents, and the layouts. If it has many: the
 * own rows of as many versions as possible, so that clients no longer find them, and the contents of the newest ones.
 * @returns the writes, whether they delete everything, and whether the family has layouts
 */
const partDeletions = async (
  work: Work,
  familyId: string,
): Promise<{ writes: Write[]; isAll: boolean; hasLayouts: boolean }> => {
  const { versions, layouts } = await readParts(work, familyId);
  const isAll = versions.length <= MAX_VERSIONS_WITH_CONTENT;
  const deletedLayouts = isAll ? layouts : [];
  return {
    isAll,
    hasLayouts: layouts.length > 0,
    writes: [
      ...versions.map(({ template_id }) => write.drop(versionRecords.key(work, template_id))),
      // The row below the family is deleted with the version's content, because it is how the content is found.
      ...versions
        .slice(0, MAX_VERSIONS_WITH_CONTENT)
        .flatMap(({ pk, sk, template_id }) => [
          write.drop({ pk, sk }),
          write.drop(keys.content(work, template_id)),
        ]),
      ...deletedLayouts.map(({ pk, sk, version }) => write.remove({ pk, sk }, version)),
      ...documents.useEach(
        work,
        deletedLayouts.flatMap((row) => (isPart(row, 'LAYOUT') ? (row.theme.logo ?? []) : [])),
        -1,
        'theme.logo',
      ),
    ],
  };
};

/**
 * Deletes a family and its newest versions. A worker deletes the rows that do not fit into the transaction.
 * @throws ApiError 404; 409 for another version, or while inspections, schedules or certificate kinds use the family
 */
export const remove = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async (work) => {
    const family = withoutKeys(await familyRecords.get(work, id));
    expectVersion(familyRecords.noun, family, expectedVersion);
    const { writes, isAll, hasLayouts } = await partDeletions(work, id);
    return {
      writes: [
        write.remove(familyRecords.key(work, id), family.version),
        ...close(
          work,
          'FAMILY',
          id,
          ['inspections', 'schedules', 'certificates'],
          'The template family has inspections, schedules or certificate kinds. Archive it instead',
        ),
        ...writes,
        // No worker follows, so the change must fail when a first layout was created after the rows were read.
        ...(isAll && !hasLayouts ? [write.check(keys.layoutNames(work, id), undefined, isAbsent)] : []),
        familyEvent(work, 'deleted', family),
        ...(isAll ? [] : [enqueue(work, 'cleanup', { template_family_id: id })]),
      ],
      reply: null,
    };
  });

/** Deletes some rows below a deleted family. The reply is whether there may be more. */
export const deleteSomeOfFamily = (caller: Caller, id: string): Promise<boolean> =>
  change(caller, async (work) => {
    const { writes, isAll } = await partDeletions(work, id);
    return { writes, reply: !isAll };
  });
