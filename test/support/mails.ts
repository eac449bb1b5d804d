/** A mail as the local mail service has parsed it. */
export interface ReceivedMail {
  from: string;
  replyTo: string[];
  destination: { to: string[]; cc: string[]; bcc: string[] };
  subject: string;
  body: { text?: string; html?: string };
  attachments: { filename?: string; size: number; contentType: string; contentDisposition?: string }[];
}

/** What every signed URL and the form of every signed upload has. */
const SIGNED = /x-amz-(signature|credential)/i;

/** The second in which the test file began: the engine holds the mails of all files, thousands of them. */
const began = Math.floor(Date.now() / 1_000);

/**
 * The mails of this test file to addresses with this ending, in the order in which they arrived.
 * @throws Error for a signed URL
 */
export const mailsTo = async (ending: string): Promise<ReceivedMail[]> => {
  const response = await fetch(new URL(`/store?since=${began}`, process.env['AWS_ENDPOINT_URL_SESV2']));
  const { emails } = (await response.json()) as { emails: ReceivedMail[] };
  for (const { subject, body } of emails) {
    // A signed URL works for 15 minutes and has the key of a file. Mails are read later, and passed on.
    if (SIGNED.test(`${body.text} ${body.html}`)) throw new Error(`a signed URL is in the mail "${subject}"`);
  }
  return emails.filter(({ destination }) =>
    destination.to.some((address) => address.replace(/>$/, '').endsWith(ending)),
  );
};
