import { defineError } from './define.ts';

/* Inspection schedules. */

export const scheduleEnded = defineError(
  409,
  'schedule_ended',
  'The schedule has ended: nothing lies ahead that it could create.',
  () => 'The schedule has ended. Change its rule or its last date first.',
);

export const overrideExists = defineError(
  409,
  'override_exists',
  'The occurrence has an override already.',
  (date: string, action: string) =>
    `The occurrence of ${date} already has the override ${action}. Delete that first.`,
);

export const tooManyOverrides = defineError(
  409,
  'too_many_overrides',
  'The schedule has as many overrides as it can have.',
  (most: number) => `The schedule already has ${most} overrides, the maximum.`,
);

export const occurrenceBegun = defineError(
  409,
  'occurrence_begun',
  'An inspection of the occurrence is no longer scheduled.',
  (number: number, status: string) => `Inspection ${number} of this occurrence is ${status}.`,
);
