import * as z from 'zod';
import { PERSON_ROLES } from '../base/caller.ts';
import { Name, Timestamp, UNNOTICED, Uuid } from './common.ts';
import { Email } from './contact.ts';
import { MailProgress } from './mail.ts';
import { changedAs, derived, later, omittable, once, resource, shownAs } from './resource.ts';

export const Role = z.enum([...PERSON_ROLES, 'api']);
export type Role = z.output<typeof Role>;

/** The roles whose members carry out inspections. Approvers only decide on the inspections of others. */
export const INSPECTING_ROLES: readonly Role[] = ['admin', 'inspector', 'api'];

export const MemberStatus = z.enum(['active', 'invited', 'suspended']);

export const { Member, NewMember, MemberChanges } = resource(
  'Member',
  {
    ...derived({ user_id: Uuid }),
    name: omittable(Name, 'The part of the address before the `@`, unless it is given.'),
    email: shownAs(
      z.string().meta({ description: 'The email address; empty for the service identity of an API key.' }),
      once(Email),
    ),
    role: shownAs(
      Role.meta({ description: '`api`: the identity of an API key, for whose creation there is no event.' }),
      z.enum(PERSON_ROLES),
    ),
    position: shownAs(z.string().nullable(), omittable(z.string().max(200).nullable())),
    phone: shownAs(z.string().nullable(), omittable(z.string().max(50).nullable())),
    status: later(changedAs(MemberStatus.exclude(['invited']), MemberStatus)),
    ...derived({
      last_active_at: Timestamp.nullable().meta({
        description: `When they last opened the organization in the app. ${UNNOTICED}`,
      }),
      invitation_expires_at: Timestamp.nullable().meta({
        description: 'Until when an invited member can accept the invitation. Null for all others.',
      }),
      acting_consented_at: Timestamp.nullable().meta({
        description:
          'Since when keys with the right may act for the member (`On-Behalf-Of`), because the member has allowed it. Null while they may not.',
      }),
      mail: MailProgress.nullable()
        .optional()
        .meta({
          description: `What became of the mail of the invitation. Null for members who are not invited; older events do not have it. ${UNNOTICED}`,
        }),
    }),
  },
  {
    description: 'A person of the organization, or the service identity of an API key (`api`).',
    version: null,
    created: { before: { email: 'name', role: 'name' } },
    changed: { before: { status: 'position' } },
  },
);
export type Member = z.output<typeof Member>;
export type NewMember = z.output<typeof NewMember>;
export type MemberChanges = z.output<typeof MemberChanges>;
