import * as z from 'zod';
import { Name, resourceFields, Timestamp, Uuid } from './common.ts';
import { Locale, TimeZone } from './organization.ts';

export const Profile = z
  .strictObject({
    ...resourceFields,
    id: Uuid.meta({ description: 'The user id by which other resources name the caller.' }),
    kind: z.literal('api_key'),
    name: Name,
    email: z.string().meta({ description: 'Empty for the service identity of an API key.' }),
    locale: Locale,
    timezone: TimeZone,
    organization_id: Uuid,
    key: z.strictObject({
      prefix: z.string(),
      access: z.enum(['read_write', 'read_only']),
      expires_at: Timestamp.nullable(),
    }),
  })
  .meta({ id: 'Profile', description: 'The caller: the service identity of the API key.' });
export type Profile = z.output<typeof Profile>;

const ORGANIZATIONS = 'Null for the one of the organization.';

export const ProfileChanges = z
  .strictObject({
    name: Name,
    locale: Locale.nullable().meta({ description: ORGANIZATIONS }),
    timezone: TimeZone.nullable().meta({ description: ORGANIZATIONS }),
  })
  .partial()
  .meta({ id: 'ProfileChanges' });
export type ProfileChanges = z.output<typeof ProfileChanges>;
