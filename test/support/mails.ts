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

/** The link that stops the mails, which each one to an address that is no member's has. */
const STOPS = /\/stop\/[\w-]{22}/;

/** An address with an id in it, also that of a picture. */
const NAMES_ID = /(?:https?:|cid:|\bsrc=)[^\s"]*[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/;

/** The second in which the test file began: the engine holds the mails of all files, thousands of them. */
const began = Math.floor(Date.now() / 1_000);

/**
 * The mails of this test file to addresses with this ending, in the order in which they arrived.
 * @throws Error for a signed URL, and for an id in what a stranger gets
 */
export const mailsTo = async (ending: string): Promise<ReceivedMail[]> => {
  const response = await fetch(new URL(`/store?since=${began}`, process.env['AWS_ENDPOINT_URL_SESV2']));
  const { emails } = (await response.json()) as { emails: ReceivedMail[] };
  for (const { subject, body, attachments } of emails) {
    const files = attachments.map(({ filename }) => `cid:${filename}`);
    const text = [body.text, body.html, ...files].join(' ');
    if (STOPS.test(text) && NAMES_ID.test(text)) throw new Error(`an id is in the mail "${subject}"`);
    // A signed URL works for 15 minutes and has the key of a file. Mails are read later, and passed on.
    if (SIGNED.test(`${body.text} ${body.html}`)) throw new Error(`a signed URL is in the mail "${subject}"`);
  }
  return emails.filter(({ destination }) =>
    destination.to.some((address) => address.replace(/>$/, '').endsWith(ending)),
  );
};
