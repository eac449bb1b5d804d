import * as z from 'zod';
import { Timestamp, Uuid } from './common.ts';

/** Mails of an organization in one UTC day, unless the operator of the service has set others for it. */
export const DEFAULT_MAIL_LIMITS = {
  to_members: 2_000,
  /** To people who are not members. */
  to_others: 200,
  /** Recipients of reports. A mail to 50 people counts 50 times. */
  report_recipients: 500,
};
export type MailLimits = Record<keyof typeof DEFAULT_MAIL_LIMITS, number>;

/** How many days a mail waits for its address to confirm. */
export const HELD_DAYS = 14;

/** Why a mail waits. */
export const WaitReason = z.enum(['limit', 'unconfirmed', 'paused']).meta({
  description: `\`limit\`: the organization has sent as many mails today as it may. \`unconfirmed\`: nobody at the address has said yet that the organization may write to it; it is given up after ${HELD_DAYS} days. \`paused\`: the mails of the organization to people outside are paused, because too many bounced or were reported as unwanted.`,
});
export type WaitReason = z.output<typeof WaitReason>;

const SendAfter = Timestamp.nullable().meta({
  description: 'From when on it is sent; null unless it waits because of the limit.',
});
const ExpiresAt = Timestamp.nullable().meta({
  description: 'When it is given up; null unless it waits for the address to confirm.',
});

/** How a mail waits. */
export const MailWait = z
  .strictObject({ reason: WaitReason, send_after: SendAfter, expires_at: ExpiresAt })
  .meta({ id: 'MailWait', description: 'Why and how long a mail waits.' });
export type MailWait = z.output<typeof MailWait>;

/** What became of a mail that was promised. */
export const MailProgress = z
  .strictObject({
    state: z.enum(['queued', 'waiting', 'sent', 'delivered', 'failed', 'bounced', 'complained']).meta({
      description:
        '`queued`: it is about to be sent. `waiting`: it is sent by itself later; `reason` says why not now. `sent`: the mail service has accepted it. `delivered`: the mail server of the recipient has. `bounced`: that server has refused it. `complained`: the recipient reported it as unwanted. `failed`: it was not sent.',
    }),
    reason: WaitReason.nullable().meta({ description: 'Why it waits; null unless it does.' }),
    send_after: SendAfter,
    expires_at: ExpiresAt,
    detail: z.string().nullable().meta({ description: 'Why it failed, bounced or was reported.' }),
  })
  .meta({ id: 'MailProgress', description: 'What became of a mail.' });
export type MailProgress = z.output<typeof MailProgress>;

export const MailSuppression = z
  .strictObject({
    address: z.string().meta({ description: 'The address, in lower case.' }),
    reason: z.enum(['bounced', 'complained']).meta({
      description:
        '`bounced`: the mail server of the recipient refused it for good. `complained`: the recipient reported it as unwanted.',
    }),
    created_at: Timestamp,
  })
  .meta({ id: 'MailSuppression', description: 'An address to which the organization sends no mail.' });
export type MailSuppression = z.output<typeof MailSuppression>;

export const MailQuestion = z
  .strictObject({
    id: Uuid.meta({ description: 'For a report, this is also the id of its share link.' }),
    address: z.string().meta({ description: 'The address that is asked, in lower case.' }),
    about: z.enum(['report', 'client_digest', 'notifications', 'replies']).meta({
      description:
        'What the address would get. `report`: the report that it is offered. `client_digest`: the digest of a client account. `notifications`: what it is to be told of. `replies`: the replies to the mails of the organization.',
    }),
    report_id: Uuid.nullable().meta({ description: 'The report that it is offered.' }),
    client_account_id: Uuid.nullable().meta({ description: 'The client account whose digest it would get.' }),
    asked_at: Timestamp.meta({
      description: 'When the question was last about to be mailed. A mail beyond the limit of a day waits.',
    }),
    expires_at: Timestamp.meta({ description: 'Until when it can be answered.' }),
    created_by: z.string().meta({ description: 'The user id of who has caused it.' }),
  })
  .meta({
    id: 'MailQuestion',
    description: 'A question to an address whether it wants mails, which nobody there has answered.',
  });
export type MailQuestion = z.output<typeof MailQuestion>;

/**
 * Why the mails of an organization to people who are no members are paused: too many bounced for good or were reported
 * as unwanted, or the operator of the service has paused them.
 */
export const PauseReason = z.enum(['bounced', 'complained', 'operator']);
export type PauseReason = z.output<typeof PauseReason>;

export const MailPause = z
  .strictObject({
    reason: PauseReason.meta({
      description:
        '`bounced`: too many mails bounced for good. `complained`: too many were reported as unwanted. `operator`: the operator of the service has decided it.',
    }),
    since: Timestamp,
  })
  .meta({ id: 'MailPause' });
export type MailPause = z.output<typeof MailPause>;

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
