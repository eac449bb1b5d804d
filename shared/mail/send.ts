import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import type { Caller } from '../base/caller.ts';
import { connection } from '../base/connection.ts';
import { optionalEnvironment, publicUrl } from '../base/environment.ts';
import { logLine } from '../base/log.ts';
import { senderName } from '../domain/notifications/mail.ts';
import { plainName } from '../domain/notifications/text.ts';
import { getObject } from '../files/objects.ts';
import type { DeliveredMail } from '../notices/mails.ts';
import { stopToken } from '../organizations/addresses/addresses.ts';
import type { StoredOrganization } from '../table/entities/organization.ts';
import type { Address, Message } from './compose.ts';

let isLogged = false;

/**
 * The address that the deployment sends from; undefined where it has none. That is logged once per function instance.
 */
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
  return address === undefined ? undefined : { name: senderName(plainName(organization.name)), address };
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

let client: SESv2Client | undefined;

/** The errors by which SES refuses a mail for good (Amazon SES API v2, SendEmail, "Errors"). */
const REFUSALS = new Set(['MessageRejected', 'BadRequestException']);

/** Recipients of one call (Amazon SES quotas, "Recipients per message"). */
export const MAX_RECIPIENTS_PER_CALL = 50;

/**
 * Tags that the mail service repeats in its events about a mail (Amazon SES, "Message tags"): letters, digits, `_` and
 * `-`.
 */
export type Tags = Readonly<Record<string, string>>;

/**
 * Sends a mail through SES, in one attempt: after a time-out nobody knows whether the mail went out, so an immediate
 * second attempt could send it twice.
 * @param recipients addresses of the envelope, at most `MAX_RECIPIENTS_PER_CALL`
 * @throws Error when a later attempt may succeed: throttling, an outage, a paused account
 */
export const sendMail = async (
  { from, data }: Message,
  recipients: readonly string[],
  tags: Tags,
): Promise<DeliveredMail> => {
  client ??= new SESv2Client(connection('mail'));
  const configurationSet = optionalEnvironment('MAIL_CONFIGURATION_SET');
  try {
    await client.send(
      new SendEmailCommand({
        FromEmailAddress: from,
        Destination: { ToAddresses: [...recipients] },
        Content: { Raw: { Data: data } },
        EmailTags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
        ...(configurationSet && { ConfigurationSetName: configurationSet }),
      }),
    );
    return { state: 'sent' };
  } catch (error) {
    const { name, message } = error as Error;
    if (!REFUSALS.has(name)) throw error;
    logLine('error', { message: 'the mail service refused a mail', error: { name, message } });
    return { state: 'refused', detail: message };
  }
};
