import MailComposer from 'nodemailer/lib/mail-composer';
import { html } from '../base/markup.ts';

export interface Address {
  name: string;
  address: string;
}

export interface Mail {
  from: Address;
  to: Address;
  /** The address for replies; null when they go to the sender. */
  replyTo: string | null;
  subject: string;
  /** Plain text. */
  paragraphs: readonly string[];
  /** The request that led to the mail; undefined when none did. */
  requestId?: string | undefined;
}

/** A composed mail: its bytes (RFC 5322), and the sender and recipient of its envelope. */
export interface Message {
  from: string;
  to: string;
  data: Uint8Array;
}

const page = (paragraphs: readonly string[]): string =>
  html`<!doctype html>
    <html lang="en">
      <body style="font-family: sans-serif; line-height: 1.4">
        ${paragraphs.map((text) => html`<p style="white-space: pre-line">${text}</p> `)}
      </body>
    </html>`.text;

/**
 * Composes a mail as plain text and as HTML. Names and texts of users stay text: none of them can add a header, a tag
 * or a file.
 */
export const compose = async ({
  from,
  to,
  replyTo,
  subject,
  paragraphs,
  requestId,
}: Mail): Promise<Message> => {
  const message = new MailComposer({
    from,
    to,
    ...(replyTo && { replyTo }),
    subject,
    text: paragraphs.join('\n\n'),
    html: page(paragraphs),
    headers: {
      // Stops out-of-office replies (RFC 3834).
      'Auto-Submitted': 'auto-generated',
      ...(requestId && { 'X-Request-Id': requestId }),
    },
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  const envelope = message.getEnvelope();
  return { from: from.address, to: envelope.to[0] ?? '', data: await message.build() };
};
