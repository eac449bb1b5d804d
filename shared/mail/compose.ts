import MailComposer from 'nodemailer/lib/mail-composer';
import { htmlOf, type MailPage, textOf } from './page.ts';

export interface Address {
  name: string;
  address: string;
}

/** A file that a mail carries. */
export interface Attachment {
  filename: string;
  contentType: string;
  content: Uint8Array;
}

/** An image that the mail shows in its text. */
export interface InlineImage {
  /** Its content id. */
  id: string;
  contentType: string;
  content: Uint8Array;
}

export interface Mail {
  from: Address;
  to: readonly Address[];
  cc?: readonly Address[];
  /** The address for replies; null when they go to the sender. */
  replyTo: string | null;
  page: MailPage;
  /** PNG; shown where the page has it. */
  logo: Uint8Array | undefined;
  /** The photos of its blocks. */
  images?: readonly InlineImage[];
  attachments?: readonly Attachment[];
  /** The request that led to the mail; undefined when none did. */
  requestId?: string | undefined;
}

/** A composed mail: its bytes (RFC 5322), and the sender of its envelope. */
export interface Message {
  from: string;
  data: Uint8Array;
}

/** The content id of the logo. */
export const LOGO_ID = 'logo@mail';

/** Lets a mail program offer to stop such mails by itself (RFC 2369, RFC 8058). */
const stopHeaders = ({ stop }: MailPage): Record<string, string> =>
  stop ? { 'List-Unsubscribe': `<${stop.url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : {};

/**
 * Composes a mail as plain text and as HTML. Names and texts of users stay text: none of them can add a header, a tag
 * or a file.
 */
export const compose = async ({
  from,
  to,
  cc = [],
  replyTo,
  page,
  logo,
  images = [],
  attachments = [],
  requestId,
}: Mail): Promise<Message> => {
  const logos: InlineImage[] =
    logo && page.logo !== null ? [{ id: page.logo, contentType: 'image/png', content: logo }] : [];
  const message = new MailComposer({
    from,
    to: [...to],
    ...(cc.length > 0 && { cc: [...cc] }),
    ...(replyTo && { replyTo }),
    subject: page.subject,
    text: textOf(page),
    html: htmlOf(page),
    attachments: [
      ...[...logos, ...images].map(({ id, contentType, content }) => ({
        cid: id,
        filename: id.replace('@mail', contentType === 'image/png' ? '.png' : '.jpg'),
        contentType,
        contentDisposition: 'inline' as const,
        content: Buffer.from(content),
      })),
      ...attachments.map(({ content, ...file }) => ({ ...file, content: Buffer.from(content) })),
    ],
    headers: {
      // Stops out-of-office replies (RFC 3834).
      'Auto-Submitted': 'auto-generated',
      ...stopHeaders(page),
      ...(requestId && { 'X-Request-Id': requestId }),
    },
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  return { from: from.address, data: await message.build() };
};
