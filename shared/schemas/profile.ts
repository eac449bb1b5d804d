import * as z from 'zod';
import { KEY_ACCESS, PERSON_ROLES } from '../base/caller.ts';
import { Name, resourceFields, Timestamp, Uuid } from './common.ts';
import { Locale, TimeZone } from './organization.ts';

export const Profile = z
  .strictObject({
    ...resourceFields,
    id: Uuid.meta({ description: 'The user id that stands for the caller in other resources.' }),
    kind: z.literal('api_key'),
    name: Name,
    email: z
      .string()
      .meta({ description: 'The email address; empty for the service identity of an API key.' }),
    locale: Locale,
    timezone: TimeZone,
    organization_id: Uuid,
    key: z.strictObject({
      prefix: z.string(),
      access: z.enum(KEY_ACCESS),
      expires_at: Timestamp.nullable(),
    }),
  })
  .meta({ id: 'Profile', description: 'The caller: the service identity of the API key.' });
export type Profile = z.output<typeof Profile>;

export const PersonProfile = z
  .strictObject({
    ...resourceFields,
    id: Uuid.meta({ description: 'The user id that stands for the caller in other resources.' }),
    kind: z.literal('person'),
    name: Name,
    email: z.string(),
    role: z.enum(PERSON_ROLES),
    locale: Locale,
    timezone: TimeZone,
    own: z
      .strictObject({ locale: Locale.nullable(), timezone: TimeZone.nullable() })
      .meta({ description: 'What the person has set; null where the setting of the organization is used.' }),
    organization_id: Uuid,
  })
  .meta({ id: 'PersonProfile', description: 'The caller: a signed-in person as a member.' });
export type PersonProfile = z.output<typeof PersonProfile>;

/** The profile of whoever calls. */
export const OwnProfile = z.discriminatedUnion('kind', [Profile, PersonProfile]).meta({
  id: 'OwnProfile',
  description: 'The caller: an API key, or the member for whom it acts (`On-Behalf-Of`).',
});
export type OwnProfile = z.output<typeof OwnProfile>;

const OR_ORGANIZATION = 'Null to use the setting of the organization.';

export const ProfileChanges = z
  .strictObject({
    name: Name,
    locale: Locale.nullable().meta({ description: OR_ORGANIZATION }),
    timezone: TimeZone.nullable().meta({ description: OR_ORGANIZATION }),
  })
  .partial()
  .meta({ id: 'ProfileChanges' });
export type ProfileChanges = z.output<typeof ProfileChanges>;
