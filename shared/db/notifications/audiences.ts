import type { Caller } from '../../base/caller.ts';
import type { FamilySettings } from '../../schemas/templates/family.ts';
import { type Key, keys } from '../table/keys.ts';
import { getRow } from '../table/rows.ts';

type Occasion = keyof FamilySettings['notifications'];
export type Audience = FamilySettings['notifications'][Occasion];

const NOBODY: Audience = { user_ids: [], emails: [] };

/** Where a template family says whom it has told. */
export const audienceKey = (caller: Caller, familyId: string): Key => keys.one(caller, 'FAMILY', familyId);

/** Whom a family has told of an occasion, as it is set now: at most 25 members and 25 addresses. */
export const audienceIn = (family: object | undefined, occasion: Occasion): Audience =>
  (family as { settings: FamilySettings } | undefined)?.settings.notifications[occasion] ?? NOBODY;

/** The same where the family has yet to be read. One call. */
export const audienceOf = async (caller: Caller, familyId: string, occasion: Occasion): Promise<Audience> =>
  audienceIn(await getRow<object>(caller, audienceKey(caller, familyId)), occasion);
