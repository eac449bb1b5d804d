import * as z from 'zod';
import { KEY_ACCESS } from '../base/caller.ts';
import { Name, Timestamp, Uuid } from './common.ts';

/** How long a key can be valid, in days; null for a key without an end. */
export const EXPIRIES = { never: null, '30d': 30, '90d': 90, '365d': 365 } as const;
export type Expiry = keyof typeof EXPIRIES;
export const Expiry = z.enum(Object.keys(EXPIRIES) as [Expiry, ...Expiry[]]);

export const ApiKey = z
  .strictObject({
    id: Uuid,
    name: Name,
    prefix: z.string().meta({ description: 'How the key begins. The rest of it is not stored.' }),
    access: z.enum(KEY_ACCESS),
    act_for_members: z.boolean().meta({
      description:
        'Whether requests with the key may name a member for whom they are made, in the header `On-Behalf-Of`.',
    }),
    user_id: Uuid.meta({ description: 'Of the key’s service identity, a member with the role `api`.' }),
    created_at: Timestamp,
    created_by: Uuid.nullable().meta({
      description: 'The person who made the key. Null for a key that the platform team made.',
    }),
    last_used_at: Timestamp.nullable().meta({ description: 'Null for a key that was never used.' }),
    expires_at: Timestamp.nullable().meta({ description: 'Null for a key without an end.' }),
    status: z.enum(['active', 'expired', 'revoked']),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.output<typeof ApiKey>;

export const NewApiKey = z
  .strictObject({
    name: Name,
    access: z.enum(KEY_ACCESS),
    expires: Expiry.default('never'),
    act_for_members: z.boolean().default(false).meta({
      description: 'Whether the key may act for members. Only for a key that reads and writes.',
    }),
  })
  .meta({ id: 'NewApiKey' });

export const CreatedApiKey = z
  .strictObject({
    ...ApiKey.shape,
    key: z.string().meta({ description: 'The key itself. Only this reply has it.' }),
  })
  .meta({ id: 'CreatedApiKey' });
