/** A mail as the local mail service has parsed it. */
export interface ReceivedMail {
  from: string;
  replyTo: string[];
  destination: { to: string[]; cc: string[]; bcc: string[] };
  subject: string;
  body: { text?: string; html?: string };
  attachments: { filename?: string; size: number; contentType: string; contentDisposition?: string }[];
}

/** The mails to addresses with this ending, in the order in which they arrived. */
export const mailsTo = async (ending: string): Promise<ReceivedMail[]> => {
  const response = await fetch(new URL('/store', process.env['AWS_ENDPOINT_URL_SESV2']));
  const { emails } = (await response.json()) as { emails: ReceivedMail[] };
  return emails.filter(({ destination }) =>
    destination.to.some((address) => address.replace(/>$/, '').endsWith(ending)),
  );
};
