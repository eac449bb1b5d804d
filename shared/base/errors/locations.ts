import { defineError } from './define.ts';

/* Locations. */

export const otherClientAccount = defineError(
  400,
  'other_client_account',
  'The location belongs to another client account than the one that is named.',
  (field: string) => `${field} belongs to another client account.`,
);

export const locationTooDeep = defineError(
  409,
  'location_too_deep',
  'Locations would be nested more deeply than is allowed.',
  (most: number) => `Locations can be nested ${most} levels deep.`,
);

export const locationCycle = defineError(
  409,
  'location_cycle',
  'A location would be below itself.',
  () => 'A location cannot be below itself.',
);

export const locationSynced = defineError(
  409,
  'location_synced',
  'The location comes from another system and can be deleted only there.',
  () => 'The location is synced from another system. Delete it there.',
);
