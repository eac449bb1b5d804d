import { defineError } from './define.ts';

/* Organizations and their members. */

export const memberNotActive = defineError(
  400,
  'member_not_active',
  'The request names a member who is not active.',
  (field: string, status: string) => `${field} names a member who is ${status}, not active.`,
);

export const memberUnable = defineError(
  400,
  'member_unable',
  'The request gives a member something to do that they cannot do: their role does not allow it, or their API key was revoked, has expired or may only read.',
  (field: string, obstacle: string) => `${field} names ${obstacle}.`,
);

export const approverTakesPart = defineError(
  400,
  'approver_takes_part',
  'The approver of an inspection takes no part in it.',
  (field: string) => `${field} names a member who would approve the inspection and take part in it.`,
);

export const ownerNotAdmin = defineError(
  400,
  'owner_not_admin',
  'The owner of an organization must be one of its active admins.',
  () => 'owner_user_id is not an active admin of the organization.',
);
