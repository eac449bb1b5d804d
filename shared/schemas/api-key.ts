import * as z from 'zod';
import { KEY_ACCESS } from '../base/caller.ts';
import { Name, OverlapHours, Timestamp, Uuid } from './common.ts';

/** How long a key can be valid, in days; null for a key without an end. */
export const EXPIRIES = { never: null, '30d': 30, '90d': 90, '365d': 365 } as const;
export type Expiry = keyof typeof EXPIRIES;
export const Expiry = z.enum(Object.keys(EXPIRIES) as [Expiry, ...Expiry[]]);

/** The areas that a key can be limited to: how the paths of `/v1` begin, but `/me`, which is open to every key. */
export const KEY_AREAS = [
  'asset-kinds',
  'assets',
  'bulk-changes',
  'calendars',
  'certificate-kinds',
  'certificates',
  'client-accounts',
  'corrective-actions',
  'documents',
  'events',
  'findings',
  'inspection-schedules',
  'inspections',
  'integrations',
  'issue-categories',
  'issues',
  'location-transfers',
  'locations',
  'mail-questions',
  'mail-suppressions',
  'members',
  'org',
  'regions',
  'report-exports',
  'reports',
  'responses',
  'templates',
  'webhooks',
] as const;
export type KeyArea = (typeof KEY_AREAS)[number];

/** One thing that a key may do: read, or read and write, what stands below a path of `/v1`. */
export type KeyScope = `${KeyArea}:${'read' | 'write'}`;
export const KEY_SCOPES: readonly KeyScope[] = KEY_AREAS.flatMap((area): KeyScope[] => [
  `${area}:read`,
  `${area}:write`,
]);
const KeyScope = z.enum(KEY_SCOPES as [KeyScope, ...KeyScope[]]);

const AnyNetwork = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()]);

/** A network in CIDR notation, or a single address. */
const Network = z
  .string()
  .max(43)
  .refine((text) => AnyNetwork.safeParse(text).success, {
    error: 'Value error, not an IP address or a network such as 203.0.113.0/24',
  });

const limits = {
  scopes: z
    .array(KeyScope)
    .min(1)
    .max(KEY_SCOPES.length)
    .nullable()
    .meta({
      description:
        'What the key may do, by how the paths begin; `write` includes `read`. `events:read`, `webhooks:read` and `webhooks:write` list, show and send only the events of what the other scopes read. Paths that begin with `/me` are open to every key. Null for everything that `access` allows.',
      examples: [['inspections:read', 'issues:write']],
    }),
  networks: z
    .array(Network)
    .min(1)
    .max(50)
    .nullable()
    .meta({
      description: 'The networks from which the key can be used. Null for all.',
      examples: [['203.0.113.0/24', '2001:db8::/32']],
    }),
};

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
    ...limits,
    user_id: Uuid.meta({
      description: 'The user id of the key’s service identity, which is a member with the role `api`.',
    }),
    created_at: Timestamp,
    created_by: Uuid.nullable().meta({
      description:
        'The person who made the key, or who has rotated it last. Null when the operator of the service did.',
    }),
    created_by_name: z.string().nullable().meta({ description: 'The name of that person, at that time.' }),
    last_used_at: Timestamp.nullable().meta({
      description: 'When it was last used; null when it never was.',
    }),
    last_used_from: z.string().nullable().meta({
      description: 'The network address of the last request, also of one that `networks` refused.',
    }),
    expires_at: Timestamp.nullable().meta({
      description: 'When it stops working; null for a key without an end.',
    }),
    is_too_old: z.boolean().meta({
      description:
        'Whether the key is active, and ends later than `max_key_days` of the organization allows.',
    }),
    rotated_at: Timestamp.nullable().meta({
      description: 'When it was last rotated; null when it never was.',
    }),
    previous: z
      .strictObject({
        prefix: z.string(),
        until: Timestamp,
        last_used_at: Timestamp.nullable(),
      })
      .nullable()
      .meta({ description: 'The secret before the last rotation, as long as it works.' }),
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
    scopes: limits.scopes.default(null),
    networks: limits.networks.default(null),
  })
  .meta({ id: 'NewApiKey' });
export type NewApiKey = z.input<typeof NewApiKey>;

export const CreatedApiKey = z
  .strictObject({
    ...ApiKey.shape,
    key: z.string().meta({ description: 'The key itself. Only this reply has it.' }),
  })
  .meta({ id: 'CreatedApiKey' });

export const ApiKeyChanges = z
  .strictObject({ scopes: limits.scopes.optional(), networks: limits.networks.optional() })
  .meta({ id: 'ApiKeyChanges' });
export type ApiKeyChanges = z.output<typeof ApiKeyChanges>;

export const KeyRotation = z
  .strictObject({
    overlap_hours: OverlapHours,
    expires: Expiry.optional().meta({
      description: 'How long the key is valid from now on. When it is left out, for as long as before.',
    }),
  })
  .meta({ id: 'KeyRotation' });
export type KeyRotation = z.output<typeof KeyRotation>;

/** What becomes of the keys that a member has made, who is suspended or removed. */
export const KeysOfMember = z.strictObject({
  keys: z.enum(['revoke', 'keep']).optional().meta({
    description:
      'What becomes of the active API keys that the member has made. Must be given when there are any: `409` names them.',
  }),
});
export type KeysOfMember = z.output<typeof KeysOfMember>;
