import * as z from 'zod';
import { Timestamp } from './common.ts';

/** Mails of an organization to its members, in one UTC day. */
export const MAX_MEMBER_MAILS_PER_DAY = 2_000;

/** Mails of an organization to people who are not members, in one UTC day. */
export const MAX_OTHER_MAILS_PER_DAY = 200;

/** Recipients of an organization's reports, in one UTC day. A mail to 50 people counts 50 times. */
export const MAX_REPORT_RECIPIENTS_PER_DAY = 500;

export const MailSuppression = z
  .strictObject({
    address: z.string().meta({ description: 'In lower case.' }),
    reason: z.enum(['bounced', 'complained']).meta({
      description:
        '`bounced`: the mail server of the recipient refused it for good. `complained`: the recipient reported it as unwanted.',
    }),
    created_at: Timestamp,
  })
  .meta({ id: 'MailSuppression', description: 'An address to which the organization sends no mail.' });
export type MailSuppression = z.output<typeof MailSuppression>;

const Recipients = z.array(
  z.looseObject({ emailAddress: z.string(), diagnosticCode: z.string().optional() }),
);

/**
 * An event of the mail service about a mail that it has accepted (Amazon SES, "Contents of event data"). The schema has
 * only the parts that are read. Which of them are present depends on the kind of event.
 */
export const MailFeedback = z.looseObject({
  eventType: z.string(),
  mail: z.looseObject({
    destination: z.array(z.string()).default([]),
    tags: z.record(z.string(), z.array(z.string())).default({}),
  }),
  bounce: z
    .looseObject({
      bounceType: z.string(),
      bounceSubType: z.string().optional(),
      bouncedRecipients: Recipients,
    })
    .optional(),
  complaint: z
    .looseObject({ complainedRecipients: Recipients, complaintFeedbackType: z.string().optional() })
    .optional(),
  delivery: z.looseObject({ recipients: z.array(z.string()) }).optional(),
  reject: z.looseObject({ reason: z.string().optional() }).optional(),
});
export type MailFeedback = z.output<typeof MailFeedback>;

/** A `MailFeedback` in the form in which EventBridge puts it into the queue. */
export const FeedbackEvent = z.looseObject({ id: z.string(), time: z.string(), detail: MailFeedback });
