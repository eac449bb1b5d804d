import { defineError } from './define.ts';

/* Corrections. */

export const beingCorrected = defineError(
  409,
  'being_corrected',
  'The inspection has a correction that is open or awaits approval, which has to end first.',
  (status: string) =>
    `The inspection is ${status} and being corrected. Close or discard the correction, or decide about it, first.`,
);

export const correctionOpen = defineError(
  409,
  'correction_open',
  'The inspection has a correction already that is open or awaits approval.',
  (status: string, id: string, stage: string) =>
    `The inspection is ${status}, and its correction ${id} is ${stage}.`,
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

export const correctionNotPending = defineError(
  409,
  'correction_not_pending',
  'A decision about a correction is possible only while the correction awaits approval.',
  (state: string) => `The correction is ${state}, not pending_approval.`,
);

export const ownCorrection = defineError(
  403,
  'own_correction',
  'Whoever opened or closed a correction may not approve it, if the organization asks for a second person.',
  () => 'The person who opened or closed a correction may not approve it.',
);
