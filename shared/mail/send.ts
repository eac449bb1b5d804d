import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { connection } from '../base/connection.ts';
import { optionalEnvironment } from '../base/environment.ts';
import type { Delivered } from '../db/notifications/deliveries.ts';
import { logLine } from '../http/log.ts';
import type { Message } from './compose.ts';

let client: SESv2Client | undefined;

/** The errors by which SES refuses a mail for good (Amazon SES API v2, SendEmail, "Errors"). */
const REFUSALS = new Set(['MessageRejected', 'BadRequestException']);

/** Recipients of one call (Amazon SES quotas, "Recipients per message"). */
export const MAX_RECIPIENTS_PER_CALL = 50;

/**
 * What the mail service repeats in its events about a mail (Amazon SES, "Message tags"): letters, digits, `_` and `-`.
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
): Promise<Delivered> => {
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
