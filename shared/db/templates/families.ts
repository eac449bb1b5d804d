import type { Caller } from '../../base/caller.ts';
import { conflict } from '../../base/errors.ts';
import { merge } from '../../base/merge.ts';
import {
  DEFAULT_SETTINGS,
  type Family,
  type FamilyChanges,
  type FamilySettingsChanges,
  type NewFamily,
} from '../../schemas/templates/family.ts';
import type { TemplateVersion } from '../../schemas/templates/template.ts';
import { change } from '../table/change.ts';
import { collection, type Edit, editRow, expectVersion, newResource } from '../table/collection.ts';
import { keys } from '../table/keys.ts';
import type { Listing, ListQuery } from '../table/listing.ts';
import { reference, resolve } from '../table/references.ts';
import { withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { encodeContent } from './content.ts';
import { newDraft, toVersion } from './drafts.ts';

const KIND = 'FAMILY';

/** The published version as an inspection pins it, without a second read. */
export interface CurrentVersion {
  template_id: string;
  version_number: number;
  content_hash: string;
  /** Fields that take an answer, and of these the ones always required, each counted once. */
  total: number;
  required: number;
}

/** As stored: status and current_version_id follow from the rest. */
export type StoredFamily = Omit<Family, 'status' | 'current_version_id'> & {
  current: CurrentVersion | null;
  /** Of the newest version, draft or not. */
  last_version_number: number;
};

export type FamilyFilters = ListQuery & {
  archived: boolean;
  initiable: boolean;
  tag?: string[] | undefined;
};

const stored = collection<StoredFamily>(KIND, 'template family');

const statusOf = ({ archived_at, current }: StoredFamily): Family['status'] => {
  if (archived_at !== null) return 'archived';
  return current ? 'published' : 'draft';
};

/** A family as the wire carries it. */
export const toFamily = (family: StoredFamily): Family => {
  const { current, last_version_number: _, ...fields } = family;
  return { ...fields, status: statusOf(family), current_version_id: current?.template_id ?? null };
};

/** @throws ApiError 400 naming each setting that means what the organization, or the family, does not have */
const checkReferences = async (
  caller: Caller,
  familyId: string,
  { notifications = {}, approval = {}, default_layout_id }: FamilySettingsChanges,
): Promise<void> => {
  const membersIn = (field: string, ids: readonly string[] = []) =>
    ids.flatMap((id) => reference(caller, `settings.${field}`, 'MEMBER', id));
  await resolve(caller, [
    ...Object.entries(notifications).flatMap(([occasion, audience]) =>
      membersIn(`notifications.${occasion}.user_ids`, audience?.user_ids),
    ),
    ...membersIn('approval.approver_ids', approval.approver_ids),
    ...(default_layout_id
      ? [{ field: 'settings.default_layout_id', key: keys.layout(caller, familyId, default_layout_id) }]
      : []),
  ]);
};

/** One change of a family. @throws ApiError 404; what `decide` throws */
const edit = (
  caller: Caller,
  id: string,
  decide: (current: StoredFamily) => Promise<Edit<StoredFamily>> | Edit<StoredFamily>,
): Promise<Family> =>
  editRow({ caller, noun: stored.noun, key: stored.key(caller, id), decide, present: toFamily });

export const noun = stored.noun;

export const key = stored.key;

export const find = stored.find;

export const get = stored.get;

/** @throws ApiError 404 */
export const show = async (caller: Caller, id: string): Promise<Family> =>
  toFamily(withoutKeys(await stored.get(caller, id)));

/**
 * What a new inspection pins of the family as it stands.
 * @throws ApiError 409 unless it is published and not archived
 */
export const initiable = (family: StoredFamily): CurrentVersion => {
  const { current } = family;
  const status = statusOf(family);
  if (status !== 'published' || !current) throw conflict(`template family is ${status}, not published`);
  return current;
};

/**
 * A family with the draft of its first version.
 * @param replyOf what is told of them, the family alone unless said otherwise
 * @throws ApiError 400, 422
 */
export const create = async <Reply = Family>(
  caller: Caller,
  { content, settings, ...fields }: NewFamily,
  replyOf: (family: Family, draft: TemplateVersion) => Reply = (family) => family as Reply,
): Promise<Reply> => {
  const encoded = encodeContent(content, ['body']);
  const first = newResource({
    ...fields,
    settings: merge(DEFAULT_SETTINGS, settings),
    current: null,
    draft_version_id: null,
    last_version_number: 1,
    archived_at: null,
    created_by: caller.user_id,
  });
  const { id, name, description } = first;
  await checkReferences(caller, id, settings);
  return change(caller, () => {
    const { draft, writes } = newDraft(
      caller,
      { family_id: id, version_number: 1, name, description, based_on_id: null },
      encoded,
    );
    const family: StoredFamily = { ...first, draft_version_id: draft.id };
    return {
      writes: [write.create({ ...stored.key(caller, id), ...family }), ...writes],
      reply: replyOf(toFamily(family), toVersion(draft)),
    };
  });
};

/** In creation order. */
export const list = (caller: Caller, query: FamilyFilters): Promise<Listing<Family>> => {
  const { archived, initiable, tag } = query;
  const wanted = tag && new Set(tag.map((each) => each.toLowerCase()));
  const keep = (family: StoredFamily): boolean =>
    (family.archived_at !== null) === archived &&
    (!initiable || statusOf(family) === 'published') &&
    (!wanted || family.tags.some((each) => wanted.has(each.toLowerCase())));
  return stored.list(caller, query, { keep }, (row) => toFamily(withoutKeys(row)));
};

/** @throws ApiError 404; 400 for a setting that names nobody; 409 for another version */
export const update = (
  caller: Caller,
  id: string,
  changes: FamilyChanges,
  expectedVersion?: number,
): Promise<Family> =>
  edit(caller, id, async (current) => {
    await checkReferences(caller, id, changes.settings ?? {});
    expectVersion(stored.noun, current, expectedVersion);
    const next = merge(current, changes);
    const { default_layout_id } = next.settings;
    const isOtherLayout = default_layout_id !== current.settings.default_layout_id;
    return {
      next,
      writes:
        default_layout_id && isOtherLayout ? [write.check(keys.layout(caller, id, default_layout_id))] : [],
    };
  });

/** @throws ApiError 404; 409 for another version, or when it is archived already */
export const archive = (caller: Caller, id: string, expectedVersion?: number): Promise<Family> =>
  edit(caller, id, (current) => {
    expectVersion(stored.noun, current, expectedVersion);
    if (current.archived_at !== null) throw conflict(`${stored.noun} is archived`);
    return { next: { ...current, archived_at: new Date().toISOString() } };
  });

/** @throws ApiError 404; 409 for another version, or unless it is archived */
export const restore = (caller: Caller, id: string, expectedVersion?: number): Promise<Family> =>
  edit(caller, id, (current) => {
    expectVersion(stored.noun, current, expectedVersion);
    const status = statusOf(current);
    if (status !== 'archived') throw conflict(`${stored.noun} is ${status}, not archived`);
    return { next: { ...current, archived_at: null } };
  });
