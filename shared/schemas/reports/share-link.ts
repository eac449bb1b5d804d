import * as z from 'zod';
import { Count, resourceFields, Timestamp, Uuid } from '../common.ts';

/** Days for which a link to a report can work. */
export const MAX_SHARE_DAYS = 30;

export const ShareLink = z
  .strictObject({
    ...resourceFields,
    report_id: Uuid,
    url: z.url().nullable().meta({
      description: 'The link. Only the reply that creates it has it; it cannot be shown again.',
    }),
    status: z.enum(['offered', 'active', 'expired', 'revoked']).meta({
      description:
        '`offered`: a mail has offered the report to `offered_to`, and nobody there has agreed yet. Then the link becomes `active`.',
    }),
    offered_to: z.string().nullable().meta({
      description:
        'The address to which a mail has offered the report; null for a link that was made otherwise.',
    }),
    expires_at: Timestamp,
    revoked_at: Timestamp.nullable(),
    views_count: Count.meta({
      description: 'How often its page was opened, also by programs that check the links in mails.',
    }),
    last_viewed_at: Timestamp.nullable(),
    created_by: z.string(),
  })
  .meta({
    id: 'ShareLink',
    description: 'A link by which anyone who has it reads one report, without signing in.',
  });
export type ShareLink = z.output<typeof ShareLink>;

export const NewShareLink = z
  .strictObject({
    expires_in_days: z
      .int()
      .min(1)
      .max(MAX_SHARE_DAYS)
      .default(MAX_SHARE_DAYS)
      .meta({ description: 'For how many days the link works.' }),
  })
  .meta({ id: 'NewShareLink' });
export type NewShareLink = z.output<typeof NewShareLink>;
