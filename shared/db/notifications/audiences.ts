import type { Caller } from '../../base/caller.ts';
import type { AudienceName } from '../../domain/notifications/events.ts';
import { type Audience, NO_AUDIENCE } from '../../domain/notifications/notices.ts';
import type { Family } from '../../schemas/templates/family.ts';
import { keys } from '../table/keys.ts';
import { getRow } from '../table/rows.ts';

export type { Audience } from '../../domain/notifications/notices.ts';

/** The template family, whose settings name the audiences. */
export const audienceKey = (caller: Caller, familyId: string) => keys.one(caller, 'FAMILY', familyId);

/** An audience from the family's row; nobody when the family was deleted. */
export const audienceIn = (family: Pick<Family, 'settings'> | undefined, name: AudienceName): Audience =>
  family?.settings.notifications[name] ?? NO_AUDIENCE;

/** The same for a family that has yet to be read: one call, and none when no audience is asked for. */
export const audienceOf = async (
  caller: Caller,
  familyId: string,
  name: AudienceName | undefined,
): Promise<Audience> =>
  name === undefined ? NO_AUDIENCE : audienceIn(await getRow(caller, audienceKey(caller, familyId)), name);
