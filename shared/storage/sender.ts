import type { Caller } from '../base/caller.ts';
import * as organizations from '../db/organization/organizations.ts';
import type { StoredOrganization } from '../db/table/entities.ts';
import type { Sender } from '../pages/page.ts';
import { signedUrl } from './objects.ts';

/** An organization as its pages name it. */
export const senderOf = async (
  caller: Caller,
  { name, logo_key }: Pick<StoredOrganization, 'name' | 'logo_key'>,
): Promise<Sender> => ({ name, logoUrl: logo_key && (await signedUrl(caller, logo_key)) });

/** The same for the caller's organization. @throws ApiError 404 */
export const readSender = async (caller: Caller): Promise<Sender> =>
  senderOf(caller, await organizations.get(caller));
