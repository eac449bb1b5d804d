import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import type { Delivered } from '../db/notifications/deliveries.ts';
import { logLine } from '../http/observe.ts';
import type { Message } from './compose.ts';

let client: SESv2Client | undefined;

/** What SES says of this mail and would say again (Amazon SES API v2, SendEmail, "Errors"). */
const REFUSALS = new Set(['MessageRejected', 'BadRequestException']);

/**
 * Hands a mail over to the mail service. It is not tried again here: whoever does not know how an attempt ended
 * must not make it twice in a row.
 * @throws Error for what may pass: throttling, an outage, an account that may not send at the moment
 */
export const sendMail = async ({ from, to, data }: Message): Promise<Delivered> => {
  client ??= new SESv2Client({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000 },
  });
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
