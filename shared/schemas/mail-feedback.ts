import * as z from 'zod';

const Recipients = z.array(
  z.looseObject({ emailAddress: z.string(), diagnosticCode: z.string().optional() }),
);

/**
 * An event of the mail service about a mail that it has accepted (Amazon SES, "Contents of event data"): the parts that
 * are read. Other kinds of events have other parts.
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

/** The same as EventBridge puts it into the queue. */
export const FeedbackEvent = z.looseObject({ id: z.string(), time: z.string(), detail: MailFeedback });
