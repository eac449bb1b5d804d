import * as z from 'zod';
import { Timestamp } from './common.ts';

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
