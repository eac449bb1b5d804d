import { defineError } from './define.ts';

/* Corrections. */

export const beingCorrected = defineError(
  409,
  'being_corrected',
  'The inspection has an open correction, which has to end first.',
  (status: string) =>
    `The inspection is ${status} and being corrected. Close or discard the correction first.`,
);

export const correctionOpen = defineError(
  409,
  'correction_open',
  'The inspection has an open correction already.',
  (status: string, id: string) => `The inspection is ${status}, and its correction ${id} is open.`,
);

export const correctionsLocked = defineError(
  409,
  'corrections_locked',
  'The inspection does not allow corrections.',
  (status: string) => `The inspection is ${status}, and its correction_mode is locked.`,
);

export const correctionNotOpen = defineError(
  409,
  'correction_not_open',
  'The correction has ended, or is about to end in another way.',
  (state: string) => `The correction is ${state}.`,
);
