import * as z from 'zod';
import { PERSON_ROLES } from '../base/caller.ts';
import { Email } from './addresses.ts';
import { Name, resourceFields, Timestamp, Uuid } from './common.ts';

export const Role = z.enum([...PERSON_ROLES, 'api']);
export type Role = z.output<typeof Role>;

/** The roles whose members carry out inspections. Approvers only decide on the inspections of others. */
export const INSPECTING_ROLES: readonly Role[] = ['admin', 'inspector', 'api'];

export const MemberStatus = z.enum(['active', 'invited', 'suspended']);

export const Member = z
  .strictObject({
    ...resourceFields,
    user_id: Uuid,
    name: Name,
    email: z.string().meta({ description: 'Empty for the service identity of an API key.' }),
    role: Role,
    position: z.string().nullable(),
    phone: z.string().nullable(),
    status: MemberStatus,
    last_active_at: Timestamp.nullable(),
    invitation_expires_at: Timestamp.nullable().meta({
      description: 'Until when an invited member can accept the invitation. Null for all others.',
    }),
  })
  .meta({
    id: 'Member',
    description: 'A person of the organization, or the service identity of an API key (`api`).',
  });
export type Member = z.output<typeof Member>;

const texts = {
  position: z.string().max(200).nullable(),
  phone: z.string().max(50).nullable(),
};

export const NewMember = z
  .strictObject({
    email: Email,
    role: z.enum(PERSON_ROLES),
    name: Name.optional().meta({
      description: 'What stands before the `@` of the address, unless it is given.',
    }),
    position: texts.position.optional(),
    phone: texts.phone.optional(),
  })
  .meta({ id: 'NewMember' });
export type NewMember = z.output<typeof NewMember>;

export const MemberChanges = z
  .strictObject({
    name: Name,
    role: z.enum(PERSON_ROLES),
    status: MemberStatus.exclude(['invited']),
    ...texts,
  })
  .partial()
  .meta({ id: 'MemberChanges' });
export type MemberChanges = z.output<typeof MemberChanges>;
