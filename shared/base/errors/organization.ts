import { defineError } from './define.ts';

/* Organizations and their members. */

export const memberNotActive = defineError(
  400,
  'member_not_active',
  'The request names a member who is not active.',
  (field: string, status: string) => `${field} names a member who is ${status}, not active.`,
);

export const ownerNotAdmin = defineError(
  400,
  'owner_not_admin',
  'The owner of an organization must be one of its active admins.',
  () => 'owner_user_id is not an active admin of the organization.',
);
