import type { Caller } from '../base/caller.ts';
import { optionalEnvironment, publicUrl } from '../base/environment.ts';
import { stopToken } from '../db/addresses/addresses.ts';
import type { Delivered } from '../db/notifications/deliveries.ts';
import type { StoredOrganization } from '../db/table/entities.ts';
import { senderName } from '../domain/notifications/mail.ts';
import { logLine } from '../http/log.ts';
import { getObject } from '../storage/objects.ts';
import type { Address } from './compose.ts';

let isLogged = false;

/** The address that the deployment sends from; undefined where it has none. That is logged once per function instance. */
export const senderAddress = (): string | undefined => {
  const address = optionalEnvironment('MAIL_FROM');
  if (!address && !isLogged) {
    logLine('info', { message: 'no mails are sent, because the deployment sets no mailFrom' });
    isLogged = true;
  }
  return address;
};

/** The sender of an organization's mails; undefined where the deployment has no address to send from. */
export const senderOf = (organization: Pick<StoredOrganization, 'name'>): Address | undefined => {
  const address = senderAddress();
  return address === undefined ? undefined : { name: senderName(organization.name), address };
};

/** The logo as PNG; undefined without one. A mail is sent without a logo rather than not at all. */
export const logoOf = async (
  caller: Caller,
  { logo_key }: Pick<StoredOrganization, 'logo_key'>,
): Promise<Uint8Array | undefined> => {
  if (!logo_key) return undefined;
  try {
    return await getObject(caller, logo_key);
  } catch (error) {
    logLine('error', { message: 'a mail goes out without its logo', error: String(error) });
    return undefined;
  }
};

/** The URL by which the owner of an address ends all mails of the organization. */
export const stopUrl = async (caller: Caller, address: string): Promise<string> =>
  publicUrl('stop', await stopToken(caller, address));

/** How a mail ends that would be one too many on this day. */
export const overLimit = ({ org_id }: Caller): Delivered => {
  logLine('error', { message: 'the organization has sent as many mails today as it may', org_id });
  return { state: 'over_limit' };
};
