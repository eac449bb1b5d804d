/** A mail as the local mail service has parsed it. */
export interface ReceivedMail {
  from: string;
  replyTo: string[];
  destination: { to: string[]; cc: string[]; bcc: string[] };
  subject: string;
  body: { text?: string; html?: string };
  attachments: { filename?: string; size: number; contentType: string; contentDisposition?: string }[];
}

/** The second in which the test file began: the engine holds the mails of all files, thousands of them. */
const began = Math.floor(Date.now() / 1_000);

/** The mails of this test file to addresses with this ending, in the order in which they arrived. */
export const mailsTo = async (ending: string): Promise<ReceivedMail[]> => {
  const response = await fetch(new URL(`/store?since=${began}`, process.env['AWS_ENDPOINT_URL_SESV2']));
  const { emails } = (await response.json()) as { emails: ReceivedMail[] };
  return emails.filter(({ destination }) =>
    destination.to.some((address) => address.replace(/>$/, '').endsWith(ending)),
  );
};
