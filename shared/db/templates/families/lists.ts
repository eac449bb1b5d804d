import type { Caller } from '../../../base/caller.ts';
import type { Family } from '../../../schemas/templates/family.ts';
import type { StoredFamily } from '../../table/entities.ts';
import type { Listing, ListQuery } from '../../table/listing.ts';
import { familyRecords, statusOf, toFamily } from './record.ts';

export type FamilyFilters = ListQuery & {
  archived: boolean;
  initiable: boolean;
  tag?: string[] | undefined;
};

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Family> =>
  toFamily(await familyRecords.get(caller, id));

/** In creation order. */
export const list = (caller: Caller, query: FamilyFilters): Promise<Listing<Family>> => {
  const { archived, initiable, tag } = query;
  const tags = tag && new Set(tag.map((each) => each.toLowerCase()));
  const keep = (family: StoredFamily): boolean =>
    (family.archived_at !== null) === archived &&
    (!initiable || statusOf(family) === 'published') &&
    (!tags || family.tags.some((each) => tags.has(each.toLowerCase())));
  return familyRecords.list(caller, query, { keep }, toFamily);
};
