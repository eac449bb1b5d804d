import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import addressparser from 'nodemailer/lib/addressparser';
import { requestMalformed } from '../../shared/base/errors.ts';
import { SAFE_HEADERS } from '../../shared/base/headers.ts';
import { MailFeedback } from '../../shared/schemas/mail.ts';
import type { Page } from '../openapi/docs.ts';

/** A mail as the emulator of SES has parsed it. */
interface StoredMail {
  destination: { to: string[]; cc: string[] };
  subject: string;
  body: { text?: string; html?: string };
  attachments: { filename?: string; size: number; contentDisposition?: string }[];
}

/** A mail as `GET /mails` shows it. */
interface ShownMail {
  to: string[];
  cc: string[];
  subject: string;
  text: string;
  html: string;
  attachments: { filename: string; size: number }[];
}

const page = (status: number, body: unknown): Page => ({
  status,
  headers: { 'content-type': 'application/json', ...SAFE_HEADERS },
  body: JSON.stringify(body),
});

/** The addresses of a header, without the names that stand before them. */
const addressesOf = (headers: readonly string[]): string[] =>
  headers.flatMap((header) => addressparser(header, { flatten: true }).map(({ address }) => address));

const shown = ({ destination, subject, body, attachments }: StoredMail): ShownMail => ({
  to: addressesOf(destination.to),
  cc: addressesOf(destination.cc),
  subject,
  text: body.text ?? '',
  html: body.html ?? '',
  // The logo is part of the page.
  attachments: attachments
    .filter(({ contentDisposition }) => contentDisposition !== 'inline')
    .map(({ filename = '', size }) => ({ filename, size })),
});

const listMails = async (): Promise<Page> => {
  const response = await fetch(new URL('/store', process.env['AWS_ENDPOINT_URL_SESV2']));
  const { emails } = (await response.json()) as { emails: StoredMail[] };
  return page(200, emails.map(shown));
};

let client: SQSClient | undefined;

/** Takes an event of SES and puts it into the queue as EventBridge does. @throws ApiError 400 for another body */
const takeEvent = async (request: IncomingMessage): Promise<Page> => {
  const text = (await buffer(request)).toString();
  let detail: unknown;
  try {
    detail = JSON.parse(text);
    MailFeedback.parse(detail);
  } catch {
    throw requestMalformed('The body is not an event of SES');
  }
  const event = { id: randomUUID(), time: new Date().toISOString(), source: 'aws.ses', detail };
  client ??= new SQSClient();
  await client.send(
    new SendMessageCommand({
      QueueUrl: process.env['FEEDBACK_QUEUE_URL'],
      MessageBody: JSON.stringify(event),
    }),
  );
  return page(202, null);
};

/**
 * What the local service adds for mails: the mails that were sent, and a way in for events that SES would send.
 * @param onEvent called when the workers have an event to work on
 */
export const mailServices = (
  onEvent: () => void,
): Record<string, (request: IncomingMessage) => Promise<Page>> => ({
  'GET /mails': listMails,
  'POST /mails/events': async (request) => {
    const taken = await takeEvent(request);
    onEvent();
    return taken;
  },
});
