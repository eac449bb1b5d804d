import * as z from 'zod';
import { Timestamp, Uuid } from '../common.ts';
import { Email } from '../contact.ts';
import { DEFAULT_MAIL_LIMITS, MailProgress, MailWait } from '../mail.ts';
import { EmailBody, EmailSubject } from './placeholders.ts';

const EmailFormat = z.enum(['pdf', 'docx', 'html']).meta({ description: 'The format of the attached file.' });
export type EmailFormat = z.output<typeof EmailFormat>;

/** Recipients of each kind. */
const MAX_RECIPIENTS = 50;

/** Addresses without duplicates; case is ignored. */
const Addresses = z
  .array(Email)
  .max(MAX_RECIPIENTS)
  .overwrite((addresses) =>
    [
      ...new Map(addresses.toReversed().map((address) => [address.toLowerCase(), address])).values(),
    ].toReversed(),
  );

const fields = {
  to: Addresses.min(1),
  cc: Addresses,
  subject: EmailSubject,
  body: EmailBody,
  format: EmailFormat,
  include_link: z.boolean().meta({
    description:
      'Whether the mail also has a link to the report, which works for 30 days and can be revoked. A file of more than 10 MB is never attached; it always has a link.',
  }),
};

const OF_LAYOUT = "That of the report's layout when left out.";

export const NewReportEmail = z
  .strictObject({
    to: fields.to,
    cc: fields.cc.default([]),
    reply_to: Email.nullable()
      .default(null)
      .meta({ description: "The address for replies; null for the organization's." }),
    subject: EmailSubject.optional().meta({
      description: `${OF_LAYOUT} ${EmailSubject.meta()!.description}`,
    }),
    body: EmailBody.optional().meta({ description: `${OF_LAYOUT} ${EmailBody.meta()!.description}` }),
    format: fields.format.default('pdf'),
    include_link: fields.include_link.default(true),
  })
  .meta({
    id: 'NewReportEmail',
    description: `An organization sends reports to at most ${DEFAULT_MAIL_LIMITS.report_recipients} recipients in one day, unless the operator of the service has set another limit. A mail beyond it waits, and is sent on the next day that has room for it.`,
  });
export type NewReportEmail = z.output<typeof NewReportEmail>;

export const ReportSending = z
  .strictObject({
    ...fields,
    layout_id: Uuid.nullable().meta({
      description: "A report layout of the inspection's template family; null for its default layout.",
    }),
  })
  .partial()
  .meta({ id: 'ReportSending', description: 'What is left out is as in the send defaults.' });
export type ReportSending = z.output<typeof ReportSending>;

export const ReportSendDefaults = z
  .strictObject({
    to: z.array(z.string()).meta({ description: "The client's contact; empty when it has no address." }),
    cc: z.array(z.string()).meta({
      description: 'The addresses that the template family notifies of completed inspections.',
    }),
    reply_to: z.string().nullable(),
    subject: z.string(),
    body: z.string(),
    layout_id: Uuid.nullable(),
    format: EmailFormat,
  })
  .meta({
    id: 'ReportSendDefaults',
    description: 'The mail that `POST …/report/send` sends when the request says nothing else.',
  });
export type ReportSendDefaults = z.output<typeof ReportSendDefaults>;

const EmailStatus = z
  .enum(['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'])
  .meta({ description: 'The status of the mail: the worst among those of its recipients.' });
export type EmailStatus = z.output<typeof EmailStatus>;

const EmailRecipient = z
  .strictObject({
    address: z.string(),
    status: EmailStatus.meta({
      description:
        '`sent`: the mail service has accepted the mail. `delivered`: the mail server of the recipient has. `bounced`: that server has refused it. `complained`: the recipient reported it as unwanted. `failed`: it was not sent.',
    }),
    detail: z.string().nullable().meta({ description: 'Why it bounced or failed.' }),
    at: Timestamp.meta({ description: 'When the status was reached.' }),
    waiting: MailWait.nullable().meta({
      description: 'Why its mail, which is queued, is not sent at once; null where it does not wait.',
    }),
  })
  .meta({ id: 'ReportEmailRecipient' });
export type EmailRecipient = z.output<typeof EmailRecipient>;

const logged = {
  id: Uuid,
  to: z.array(z.string()),
  cc: z.array(z.string()),
  recipients: z.array(EmailRecipient),
  subject: z.string().meta({ description: 'With all placeholders filled.' }),
  created_at: Timestamp,
};

export const QueuedReportEmail = z
  .strictObject({ ...logged, report_id: Uuid, status: EmailStatus })
  .meta({ id: 'QueuedReportEmail', description: 'A mail that is about to be sent.' });
export type QueuedReportEmail = z.output<typeof QueuedReportEmail>;

export const ReportEmail = z
  .strictObject({
    ...logged,
    format: EmailFormat,
    status: EmailStatus,
    mail: MailProgress.meta({
      description: 'The status once more, which says as well whether some recipients wait for their mail.',
    }),
    error: z.string().nullable().meta({ description: 'Why nothing was sent.' }),
    requested_by: z.string(),
    sent_at: Timestamp.nullable(),
  })
  .meta({ id: 'ReportEmail', description: 'A mail of a report, and what became of it at each recipient.' });
export type ReportEmail = z.output<typeof ReportEmail>;
