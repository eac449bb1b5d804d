import type { Caller } from '../../base/caller.ts';
import { badRequest, conflict, notFound, unprocessable } from '../../base/errors.ts';
import { merge } from '../../base/merge.ts';
import type { ContentIndex } from '../../domain/content/content-index.ts';
import { publishImpact as impactOf } from '../../domain/content/publish/impact.ts';
import { publishProblems } from '../../domain/content/publish/publish.ts';
import type { Content } from '../../schemas/templates/content.ts';
import type { Family } from '../../schemas/templates/family.ts';
import type { PublishImpact, RunningInspections } from '../../schemas/templates/publish-impact.ts';
import type {
  NewTemplate,
  Snapshot,
  Template,
  TemplateChanges,
  TemplateVersion,
} from '../../schemas/templates/template.ts';
import { change } from '../table/change.ts';
import { expectVersion, nextVersion } from '../table/collection.ts';
import { hasValues } from '../table/conditions.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../table/listing.ts';
import { emit } from '../table/outbox.ts';
import { retrying, Stale } from '../table/retry.ts';
import { getRows, queryRows, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import {
  contentOf,
  type ContentRow,
  contentWrite,
  decoded,
  type EncodedContent,
  encodeContent,
} from './content.ts';
import { newDraft, type StoredTemplate, toVersion, versions } from './drafts.ts';
import * as families from './families.ts';
import { type StoredFamily, toFamily } from './families.ts';

const { noun } = versions;

const withContent = (version: StoredTemplate, content: Content): Template => ({
  ...toVersion(version),
  content,
});

/** @throws ApiError 409 naming the state */
const expectDraft = ({ status, version_number }: StoredTemplate): void => {
  if (status !== 'draft') throw conflict(`${noun} version ${version_number} is ${status}, not a draft`);
};

/** A version with its content. @throws ApiError 404, what `expect` throws; Stale when a draft moves on in between */
const readOnce = async (
  caller: Caller,
  id: string,
  expect: (version: StoredTemplate) => void = () => {},
): Promise<{ version: StoredTemplate; content: Content }> => {
  const version = withoutKeys<StoredTemplate>(await versions.get(caller, id));
  expect(version);
  const { content } = await contentOf(caller, id, version.content_hash);
  return { version, content };
};

const read = (...about: Parameters<typeof readOnce>): ReturnType<typeof readOnce> =>
  retrying('the database', () => readOnce(...about));

/** The draft that follows a family's current version, and the family that has it. */
const addDraft = (
  caller: Caller,
  row: Row<StoredFamily>,
  encoded: EncodedContent,
): { draft: StoredTemplate; family: StoredFamily; writes: Write[] } => {
  const family = withoutKeys<StoredFamily>(row);
  const { draft, writes } = newDraft(
    caller,
    {
      family_id: family.id,
      version_number: family.last_version_number + 1,
      name: family.name,
      description: family.description,
      based_on_id: family.current?.template_id ?? null,
    },
    encoded,
  );
  const next = nextVersion(family, { draft_version_id: draft.id, last_version_number: draft.version_number });
  return {
    draft,
    family: next,
    writes: [write.replace({ ...next, ...families.key(caller, family.id) }, family.version), ...writes],
  };
};

/**
 * A draft beside what its family has published: what its publishing is decided on.
 * @throws ApiError 404; 409 unless it is a draft, of this version; Stale when another change came in between
 */
const readDraft = async (caller: Caller, id: string, expectedVersion?: number) => {
  const draft = withoutKeys<StoredTemplate>(await versions.get(caller, id));
  expectDraft(draft);
  expectVersion(noun, draft, expectedVersion);
  const { family_id, based_on_id, content_hash } = draft;
  const [familyRow, ownContent, formerContent] = await getRows<unknown>(caller, [
    families.key(caller, family_id),
    keys.content(caller, id),
    ...(based_on_id ? [keys.content(caller, based_on_id)] : []),
  ]);
  if (!familyRow) throw new Stale();
  const family = withoutKeys(familyRow as Row<StoredFamily>);
  if (family.draft_version_id !== id) throw new Stale();
  const { content } = decoded(ownContent as Row<ContentRow> | undefined, content_hash).index;
  const { current } = family;
  const previous =
    current && decoded(formerContent as Row<ContentRow> | undefined, current.content_hash).index.content;
  return { draft, family, content, previous };
};

/** How many inspections of a family are running, by the version that they pin. Calls: a Query, and one for the versions. */
const runningInspections = async (caller: Caller, familyId: string): Promise<RunningInspections> => {
  const { pk: partition } = keys.running(caller, familyId, '', '');
  const counts = new Map<string, number>();
  for await (const { sk } of queryRows(caller, { partition, prefix: 'RUNNING#' })) {
    const [, templateId = ''] = sk.split('#');
    counts.set(templateId, (counts.get(templateId) ?? 0) + 1);
  }
  const rows = await getRows<StoredTemplate>(
    caller,
    [...counts.keys()].map((id) => versions.key(caller, id)),
  );
  const by_version = rows
    .filter((row) => row !== undefined)
    .map(({ id, version_number }) => ({ template_id: id, version_number, count: counts.get(id)! }));
  return {
    total: by_version.reduce((sum, { count }) => sum + count, 0),
    by_version: by_version.toSorted((a, b) => a.version_number - b.version_number),
  };
};

/**
 * The draft of a family that has none.
 * @param replyOf what is told of them, the draft with its content unless said otherwise
 * @throws ApiError 400 for the family; 409 when it has one; 422
 */
export const create = <Reply = Template>(
  caller: Caller,
  { family_id, content }: NewTemplate,
  replyOf: (family: Family, draft: TemplateVersion) => Reply = (_, draft) => ({ ...draft, content }) as Reply,
): Promise<Reply> => {
  const encoded = encodeContent(content, ['body']);
  return change(caller, async () => {
    const family = await families.find(caller, family_id);
    if (!family) throw badRequest('family_id does not exist');
    if (family.draft_version_id) {
      throw conflict(`template family has a draft already, ${family.draft_version_id}`);
    }
    const { draft, family: next, writes } = addDraft(caller, family, encoded);
    return { writes, reply: replyOf(toFamily(next), toVersion(draft)) };
  });
};

/** A family's draft: the one it has, or a copy of its current version. @throws ApiError 404 */
export const openDraft = async (
  caller: Caller,
  familyId: string,
): Promise<{ template: Template; isNew: boolean }> => {
  let isNew = false;
  const template = await change(caller, async () => {
    const family = await families.get(caller, familyId);
    isNew = family.draft_version_id === null;
    if (family.draft_version_id) {
      const { version, content } = await readOnce(caller, family.draft_version_id, ({ status }) => {
        if (status !== 'draft') throw new Stale();
      });
      return { writes: [], reply: withContent(version, content) };
    }
    // A family begins with a draft, so one without a draft has published it.
    const { template_id, content_hash } = family.current!;
    const { content } = await contentOf(caller, template_id, content_hash);
    const { draft, writes } = addDraft(caller, family, encodeContent(content));
    return { writes, reply: withContent(draft, content) };
  });
  return { template, isNew };
};

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Template> => {
  const { version, content } = await read(caller, id);
  return withContent(version, content);
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
    (row) => toVersion(withoutKeys(row)),
  );
};

/** @throws ApiError 404; 409 unless it is a draft, of this version */
export const update = async (
  caller: Caller,
  id: string,
  changes: TemplateChanges,
  expectedVersion?: number,
): Promise<Template> => {
  let standing: Content | undefined;
  const version = await versions.edit(caller, id, expectedVersion, async (current) => {
    expectDraft(current);
    standing = (await contentOf(caller, id, current.content_hash)).content;
    return { next: merge(current, changes) };
  });
  return withContent(version, standing!);
};

/**
 * The content of a draft as `next` makes it, given the one that stands.
 * @throws ApiError 404; 409 unless it is a draft, with this content; what `next` throws
 */
export const updateContent = (
  caller: Caller,
  id: string,
  expected: { version?: number | undefined; contentVersion?: number | undefined },
  next: (standing: () => Promise<Content>) => Promise<EncodedContent> | EncodedContent,
): Promise<Template> =>
  change(caller, async () => {
    const current = withoutKeys<StoredTemplate>(await versions.get(caller, id));
    expectDraft(current);
    expectVersion(noun, current, expected.version);
    const { content_version, content_hash, version } = current;
    if (expected.contentVersion !== undefined && expected.contentVersion !== content_version) {
      throw conflict(`${noun} has content_version ${content_version}, not ${expected.contentVersion}`);
    }
    const encoded = await next(async () => (await contentOf(caller, id, content_hash)).content);
    if (encoded.hash === content_hash) {
      return { writes: [], reply: withContent(current, encoded.content) };
    }
    const edited = nextVersion(current, {
      content_version: content_version + 1,
      content_hash: encoded.hash,
      ...encoded.counts,
    });
    return {
      writes: [
        write.replace({ ...edited, ...versions.key(caller, id) }, version),
        contentWrite(caller, id, encoded),
      ],
      reply: withContent(edited, encoded.content),
    };
  });

/**
 * Makes a draft its family's current version; the former one is superseded.
 * @throws ApiError 404; 409 unless it is a draft, of this version; 422 with all that keeps the content from it
 */
export const publish = (caller: Caller, id: string, expectedVersion?: number): Promise<Template> =>
  change(caller, async () => {
    const { draft, family, content, previous } = await readDraft(caller, id, expectedVersion);
    const { family_id, content_hash, version_number, total, required } = draft;
    const former = family.current;
    const problems = publishProblems(content, previous);
    if (problems.length > 0) throw unprocessable(problems);

    const published = nextVersion(draft, {
      status: 'published',
      published_at: new Date().toISOString(),
      published_by: caller.user_id,
    });
    const next = nextVersion(family, {
      current: { template_id: id, version_number, content_hash, total, required },
      draft_version_id: null,
    });
    return {
      writes: [
        write.replace({ ...published, ...versions.key(caller, id) }, draft.version),
        write.replace({ ...next, ...families.key(caller, family_id) }, family.version),
        ...(former ? [supersede(caller, former.template_id)] : []),
        emit(caller, 'template.published', { template_id: id, family_id, version_number }),
      ],
      reply: withContent(published, content),
    };
  });

/** What publishing a draft would change. @throws ApiError 404; 409 unless it is a draft */
export const publishImpact = async (caller: Caller, id: string): Promise<PublishImpact> => {
  const { draft, family, content, previous } = await retrying('the database', () => readDraft(caller, id));
  return {
    template_id: id,
    current_version_id: family.current?.template_id ?? null,
    ...impactOf(content, previous),
    problems: publishProblems(content, previous),
    running_inspections: await runningInspections(caller, draft.family_id),
  };
};

/** What an inspection pins of a version. @throws ApiError 404; 409 for a draft, which nothing can pin */
export const snapshot = async (caller: Caller, id: string): Promise<Snapshot> => {
  const { version, content } = await read(caller, id, ({ status }) => {
    if (status === 'draft') throw conflict(`${noun} version is a draft, which has no snapshot`);
  });
  return { template_id: id, content, content_hash: version.content_hash };
};

/**
 * A published version's content with its index, by the hash that an inspection has pinned. One call, none
 * while a warm function remembers it; shared by all who ask, so never to be changed.
 */
export const content = (caller: Caller, id: string, hash: string): Promise<ContentIndex> =>
  contentOf(caller, id, hash);

const supersede = (caller: Caller, id: string): Write =>
  write.update(
    versions.key(caller, id),
    { set: { status: 'superseded', updated_at: new Date().toISOString() }, add: { version: 1 } },
    hasValues({ status: 'published' }),
  );

const versionRows = async function* (
  caller: Caller,
  familyId: string,
  after: string | undefined,
  updatedSince: string | undefined,
): AsyncGenerator<Row<StoredTemplate>> {
  const { pk, sk: prefix } = keys.familyVersion(caller, familyId, '');
  const places = await Array.fromAsync(
    queryRows<{ template_id: string }>(caller, {
      partition: pk,
      prefix,
      after: after && keys.familyVersion(caller, familyId, after).sk,
    }),
  );
  const [family, ...rows] = await getRows<StoredTemplate>(caller, [
    families.key(caller, familyId),
    ...places.map(({ template_id }) => versions.key(caller, template_id)),
  ]);
  if (!family) throw notFound('template family');
  for (const row of rows) if (row && (!updatedSince || row.updated_at >= updatedSince)) yield row;
};
