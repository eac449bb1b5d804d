import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { merge } from '../base/fields.ts';
import type { Content } from '../schemas/templates/content.ts';
import type { Family } from '../schemas/templates/family.ts';
import type {
  NewTemplate,
  Snapshot,
  Template,
  TemplateChanges,
  TemplateVersion,
} from '../schemas/templates/template.ts';
import { change, type Work } from '../table/change.ts';
import { edit, expectVersion, nextVersion } from '../table/collection.ts';
import type { StoredFamily, StoredTemplate } from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../table/listing.ts';
import { retrying, Stale } from '../table/retry.ts';
import { getRows, queryRows, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { contentOf, contentWrite, encodeContent, type EncodedContent } from './content.ts';
import { familyEvent, familyRecords, toFamily } from './family-records.ts';
import { changedSources } from './publish.ts';
import {
  expectDraft,
  newDraft,
  readVersion,
  toTemplate,
  toVersion,
  versionEvent,
  versionRecords,
} from './version-records.ts';

/** Versions of template families: drafts, which can be changed, and published versions, which cannot. */

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Template> => {
  const { version, content } = await retrying('The database', () => readVersion(caller, id));
  return toTemplate(version, content);
};

/** The same, with the ids of the sources whose lists have changed since its publication. @throws ApiError 404 */
export const getWithChanges = (caller: Caller, id: string): Promise<Template> =>
  retrying('The database', async () => {
    const { version, content } = await readVersion(caller, id);
    const changed = version.options_taken_at === null ? undefined : await changedSources(caller, version);
    return { ...toTemplate(version, content), ...(changed && { changed_source_ids: changed }) };
  });

/** The content of a version as inspections use it. @throws ApiError 404; 409 for a draft, which no inspection uses */
export const snapshot = async (caller: Caller, id: string): Promise<Snapshot> => {
  const { version, content } = await retrying('The database', () =>
    readVersion(caller, id, ({ status }) => {
      if (status === 'draft') throw errors.draftHasNoSnapshot();
    }),
  );
  return { template_id: id, content, content_hash: version.content_hash };
};

/** The rows of a family's versions, the oldest first, after the version `after`. @throws ApiError 404 */
const versionRows = async function* (
  caller: Caller,
  familyId: string,
  after: string | undefined,
  updatedSince: string | undefined,
): AsyncGenerator<Row<StoredTemplate>> {
  const places = await Array.fromAsync(
    queryRows(caller, {
      ...keys.parts(caller, 'FAMILY', familyId, 'VERSION'),
      after: after && keys.familyVersion(caller, familyId, after).sk,
    }),
  );
  const [family, ...rows] = await getRows(caller, [
    familyRecords.key(caller, familyId),
    ...places.map(({ template_id }) => versionRecords.key(caller, template_id)),
  ]);
  if (!family) throw errors.notFound(familyRecords.noun);
  for (const row of rows) if (row && (!updatedSince || row.updated_at >= updatedSince)) yield row;
};

/** A family's versions without their contents, the oldest first. @throws ApiError 404 */
export const list = async (
  caller: Caller,
  familyId: string,
  query: ListQuery,
): Promise<Listing<TemplateVersion>> => {
  const filters = { ...query, family_id: familyId };
  const after = readCursor(caller, 'VERSION', filters);
  return listing(
    caller,
    'VERSION',
    filters,
    versionRows(caller, familyId, after, query.updated_since),
    ({ id }) => id,
    toVersion,
  );
};

/** Creates a family's next draft. `family` is the family with this draft. */
const addDraft = (
  work: Work,
  row: Row<StoredFamily>,
  encoded: EncodedContent,
): { draft: StoredTemplate; family: StoredFamily; writes: Write[] } => {
  const family = withoutKeys(row);
  const { draft, writes } = newDraft(
    work,
    {
      family_id: family.id,
      version_number: family.last_version_number + 1,
      name: family.name,
      description: family.description,
      based_on_id: family.current?.template_id ?? null,
    },
    encoded,
  );
  const next = nextVersion(work, family, {
    draft_version_id: draft.id,
    last_version_number: draft.version_number,
  });
  return {
    draft,
    family: next,
    writes: [
      write.replace({ ...next, ...familyRecords.key(work, family.id) }, family.version),
      ...writes,
      familyEvent(work, 'updated', next),
      versionEvent(work, draft),
    ],
  };
};

/**
 * Creates the draft of a family that has none.
 * @param replyOf makes the reply; without it the reply is the draft with its content
 * @throws ApiError 400 for the family; 409 when it has a draft; 422 for the content
 */
export const create = <Reply = Template>(
  caller: Caller,
  { family_id, content }: NewTemplate,
  replyOf: (family: Family, draft: TemplateVersion) => Reply = (_, draft) => ({ ...draft, content }) as Reply,
): Promise<Reply> => {
  const encoded = encodeContent(content, ['body']);
  return change(caller, async (work) => {
    const row = await familyRecords.find(work, family_id);
    if (!row) throw errors.referenceNotFound('family_id');
    if (row.draft_version_id) throw errors.draftExists(row.draft_version_id);
    const { draft, family, writes } = addDraft(work, row, encoded);
    return { writes, reply: replyOf(toFamily(family), toVersion(draft)) };
  });
};

/**
 * A family's draft. When it has none, a copy of its current version is created.
 * @param expectedVersion the family's
 * @throws ApiError 404; 409 for another version
 */
export const openDraft = async (
  caller: Caller,
  familyId: string,
  expectedVersion?: number,
): Promise<{ template: Template; isNew: boolean }> => {
  // Not part of the change's reply, which is stored as the client's reply for its idempotency key.
  let isNew = false;
  const template = await change(caller, async (work) => {
    const family = await familyRecords.get(work, familyId);
    expectVersion(familyRecords.noun, family, expectedVersion);
    isNew = family.draft_version_id === null;
    if (family.draft_version_id) {
      const { version, content } = await readVersion(work, family.draft_version_id, ({ status }) => {
        if (status !== 'draft') throw new Stale();
      });
      return { writes: [], reply: toTemplate(version, content) };
    }
    // A new family has a draft, so one without a draft has published it.
    const { template_id, content_hash } = family.current!;
    const { content } = await contentOf(work, template_id, content_hash);
    const { draft, writes } = addDraft(work, family, encodeContent(content));
    return { writes, reply: toTemplate(draft, content) };
  });
  return { template, isNew };
};

/** @throws ApiError 404; 409 unless it is a draft of this version */
export const update = async (
  caller: Caller,
  id: string,
  changes: TemplateChanges,
  expectedVersion?: number,
): Promise<Template> => {
  let content: Content | undefined;
  const version = await edit(
    versionRecords,
    caller,
    id,
    expectedVersion,
    async (current) => {
      expectDraft(current);
      ({ content } = await contentOf(caller, id, current.content_hash));
      return { next: merge(current, changes) };
    },
    (draft, work) => versionEvent(work, draft),
  );
  return toTemplate(version, content!);
};

/**
 * Replaces the content of a draft.
 * @param nextContent makes the new content; its argument reads the current one
 * @throws ApiError 404; 409 unless it is a draft with the expected versions; what `nextContent` throws
 */
export const updateContent = (
  caller: Caller,
  id: string,
  expected: { version?: number | undefined; contentVersion?: number | undefined },
  nextContent: (readCurrent: () => Promise<Content>) => Promise<EncodedContent> | EncodedContent,
): Promise<Template> =>
  change(caller, async (work) => {
    const current = withoutKeys(await versionRecords.get(work, id));
    expectDraft(current);
    expectVersion(versionRecords.noun, current, expected.version);
    const { content_version, content_hash, version } = current;
    if (expected.contentVersion !== undefined && expected.contentVersion !== content_version) {
      throw errors.contentVersionMismatch(content_version, expected.contentVersion);
    }
    const encoded = await nextContent(async () => (await contentOf(work, id, content_hash)).content);
    if (encoded.hash === content_hash) {
      return { writes: [], reply: toTemplate(current, encoded.content) };
    }
    const updated = nextVersion(work, current, {
      content_version: content_version + 1,
      content_hash: encoded.hash,
      ...encoded.counts,
    });
    return {
      writes: [
        write.replace({ ...updated, ...versionRecords.key(work, id) }, version),
        contentWrite(work, id, encoded),
        versionEvent(work, updated),
      ],
      reply: toTemplate(updated, encoded.content),
    };
  });
