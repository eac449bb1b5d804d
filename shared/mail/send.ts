import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { connection } from '../base/connection.ts';
import type { Delivered } from '../db/notifications/deliveries.ts';
import { logLine } from '../http/log.ts';
import type { Message } from './compose.ts';

let client: SESv2Client | undefined;

/** The errors by which SES refuses a mail for good (Amazon SES API v2, SendEmail, "Errors"). */
const REFUSALS = new Set(['MessageRejected', 'BadRequestException']);

/**
 * Sends a mail through SES, in one attempt: after a time-out nobody knows whether the mail went out, so an immediate
 * second attempt could send it twice.
 * @throws Error when a later attempt may succeed: throttling, an outage, a paused account
 */
export const sendMail = async ({ from, to, data }: Message): Promise<Delivered> => {
  client ??= new SESv2Client(connection('mail'));
  try {
    await client.send(
      new SendEmailCommand({
        FromEmailAddress: from,
        Destination: { ToAddresses: [to] },
        Content: { Raw: { Data: data } },
      }),
    );
    return 'sent';
  } catch (error) {
    const { name, message } = error as Error;
    if (!REFUSALS.has(name)) throw error;
    logLine('error', { message: 'the mail service refused a mail', error: { name, message } });
    return 'refused';
  }
};
