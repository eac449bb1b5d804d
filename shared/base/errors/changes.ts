import { defineError } from './define.ts';

/* A change that names what does not exist, or that the stored resource does not allow. */

const list = (names: readonly string[]): string => names.join(', ');

export const referenceNotFound = defineError(
  400,
  'reference_not_found',
  'The request names something that the organization does not have.',
  (...fields: string[]) => `${list(fields)} ${fields.length > 1 ? 'do' : 'does'} not exist.`,
);

export const tooManyChanges = defineError(
  400,
  'too_many_changes',
  'The request changes more rows than one transaction can.',
  (rows: number, most: number) =>
    `Too many changes in one request (${rows} rows; the maximum is ${most}). Split it.`,
);

export const resourceTooLarge = defineError(
  400,
  'resource_too_large',
  'The resource would be larger, or nested more deeply, than the database can store.',
  () => 'The resource is too large, or nested too deeply, to be stored.',
);

export const versionMismatch = defineError(
  409,
  'version_mismatch',
  'The resource has changed since the version that `If-Match` or `expected_version` names.',
  (noun: string, version: number, expected: number) =>
    `The ${noun} has version ${version}, not ${expected}. Fetch it again.`,
);

export const valueInUse = defineError(
  409,
  'value_in_use',
  'A value that must be unique in the organization is used already.',
  (what: string) => `The value of ${what} is already in use.`,
);

export const stillUsed = defineError(
  409,
  'still_used',
  'The resource cannot be deleted while others use it.',
  (reason: string) => `${reason}.`,
);
