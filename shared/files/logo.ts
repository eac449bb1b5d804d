import { randomUUID } from 'node:crypto';
import type { Caller } from '../base/caller.ts';
import { confirmedReplyTo } from '../organizations/addresses/addresses.ts';
import { pendingHandover } from '../organizations/handovers.ts';
import * as organizations from '../organizations/organizations.ts';
import { Organization } from '../schemas/organization.ts';
import { present } from '../schemas/projection.ts';
import type { StoredOrganization } from '../table/entities/organization.ts';
import { discardObject, objectKey, signedUrl, storedWith } from './objects.ts';

/** Whose page or mail it is. */
export interface Sender {
  name: string;
  /** A URL of the logo; null without one. */
  logoUrl: string | null;
}

/** An organization as its pages name it. */
export const senderOf = async (
  caller: Caller,
  { name, logo_key }: Pick<StoredOrganization, 'name' | 'logo_key'>,
): Promise<Sender> => ({ name, logoUrl: logo_key && (await signedUrl(caller, logo_key)) });

/** The same for the caller's organization. @throws ApiError 404 */
export const readSender = async (caller: Caller): Promise<Sender> =>
  senderOf(caller, await organizations.get(caller));

/** The origin of all URLs of logos. A page needs it even before the organization has a logo. */
export const logoOrigin = async (caller: Caller): Promise<string> =>
  new URL(await signedUrl(caller, objectKey(caller, 'logo'))).origin;

/** Converts an organization to the wire's form, with a URL of its logo that is valid for 15 minutes. */
export const toOrganization =
  (caller: Caller) =>
  async (stored: StoredOrganization): Promise<Organization> =>
    present(Organization, stored, {
      handover: pendingHandover(stored, new Date().toISOString()) ?? null,
      reply_to_confirmed: (await confirmedReplyTo(caller, stored)) !== null,
      logo_url: stored.logo_key && (await signedUrl(caller, stored.logo_key)),
    });

/**
 * Stores a new logo and deletes the previous one.
 * @param image PNG bytes
 * @param expectedVersion the organization's
 * @throws ApiError 409 for another version
 */
export const replaceLogo = async (
  caller: Caller,
  image: Uint8Array,
  expectedVersion?: number,
): Promise<Organization> => {
  const key = objectKey(caller, 'logo', `${randomUUID()}.png`);
  const { former, reply } = await storedWith(
    caller,
    { key, bytes: image, contentType: 'image/png' },
    {
      write: () =>
        organizations.setLogo(caller, { key, bytes: image.length }, expectedVersion, toOrganization(caller)),
      isWritten: async () => (await organizations.get(caller)).logo_key === key,
    },
  );
  if (former) await discardObject(caller, former);
  return reply;
};

/**
 * Deletes the organization's logo; does nothing when it has none.
 * @param expectedVersion the organization's
 * @throws ApiError 409 for another version
 */
export const removeLogo = async (caller: Caller, expectedVersion?: number): Promise<void> => {
  const { former } = await organizations.setLogo(caller, null, expectedVersion, async () => null);
  if (former) await discardObject(caller, former);
};
