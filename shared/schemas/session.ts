import * as z from 'zod';
import { PERSON_ROLES } from '../base/caller.ts';
import { Timestamp, Uuid } from './common.ts';

export const PersonRole = z.enum(PERSON_ROLES);

export const OwnOrganization = z
  .strictObject({
    id: Uuid,
    name: z.string(),
    role: PersonRole.meta({ description: 'What the person is there.' }),
    acting_consented_at: Timestamp.nullable().meta({
      description:
        'Since when keys of the organization may act for the person (`On-Behalf-Of`). Null while they may not.',
    }),
  })
  .meta({ id: 'OwnOrganization' });
export type OwnOrganization = z.output<typeof OwnOrganization>;

const AllowActing = z.boolean().meta({
  description:
    'Whether keys of the organization that have the right may act for the person (`On-Behalf-Of`): answer, decide and sign in their name.',
});

export const OwnOrganizationChanges = z
  .strictObject({ allow_acting: AllowActing.optional() })
  .meta({ id: 'OwnOrganizationChanges' });

export const OwnInvitation = z
  .strictObject({
    organization_id: Uuid,
    organization_name: z.string(),
    role: PersonRole.meta({ description: 'What the person would be there.' }),
    invited_by: z.string().meta({ description: 'The name of the admin who invites.' }),
    expires_at: Timestamp,
  })
  .meta({ id: 'OwnInvitation', description: 'An invitation that the person can join or decline.' });
export type OwnInvitation = z.output<typeof OwnInvitation>;

export const Joining = z.strictObject({ allow_acting: AllowActing.default(false) }).meta({ id: 'Joining' });

export const Session = z
  .strictObject({
    name: z.string().meta({ description: 'The name of the person, from the identity provider.' }),
    email: z.string(),
    user_id: Uuid.nullable().meta({
      description: 'The user id of the person as a member of `organization`.',
    }),
    organization: OwnOrganization.nullable(),
    created_at: Timestamp,
    expires_at: Timestamp.meta({
      description:
        'When the session ends: at most 12 hours after the sign-in, and earlier after 1 hour without a request.',
    }),
  })
  .meta({ id: 'Session', description: 'The session of a signed-in person.' });
export type Session = z.output<typeof Session>;

export const OwnSession = z
  .strictObject({
    id: Uuid,
    user_agent: z.string().meta({
      description: 'How the browser named itself at sign-in; empty when it did not.',
      examples: ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
    }),
    is_current: z.boolean().meta({ description: 'Whether it is the session of this request.' }),
    created_at: Timestamp,
    last_used_at: Timestamp.meta({ description: 'When it was last used, up to a minute late.' }),
  })
  .meta({ id: 'OwnSession', description: 'Where a person is signed in.' });
export type OwnSession = z.output<typeof OwnSession>;

/** A session as clients see it. The times of the row are epoch milliseconds. */
export const toSession = (
  {
    name,
    email,
    user_id,
    created_at,
    ends_at,
  }: { name: string; email: string; user_id: string | null; created_at: number; ends_at: number },
  organization: OwnOrganization | null,
): Session => ({
  name,
  email,
  user_id,
  organization,
  created_at: new Date(created_at).toISOString(),
  expires_at: new Date(ends_at).toISOString(),
});
