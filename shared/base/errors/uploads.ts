import { defineError } from './define.ts';

/* Forms and files. */

export const formNotReadable = defineError(
  400,
  'form_not_readable',
  'The body is not a valid `multipart/form-data` form.',
  (reason: string) => `The form cannot be read: ${reason}.`,
);

export const alreadyExists = defineError(
  409,
  'already_exists',
  'The resource exists already.',
  (noun: string) => `The ${noun} already exists.`,
);

export const tooManyUploads = defineError(
  409,
  'too_many_uploads',
  'The organization has as many open uploads of the last day as it can have.',
  (most: number) => `The organization already has ${most} open uploads, the maximum. Complete them first.`,
);

export const storageFull = defineError(
  409,
  'storage_full',
  'The files of the organization would have more bytes than the maximum.',
  (used: number, most: number, more: number) =>
    `The organization uses ${used} bytes of storage. The maximum is ${most}, and this needs ${more} more. Delete documents first.`,
);

export const uploadCompleted = defineError(
  409,
  'upload_completed',
  'The upload is completed already.',
  () => 'The upload is completed.',
);

export const fileNotUploaded = defineError(
  409,
  'file_not_uploaded',
  'The file of an upload has not arrived.',
  () => 'The file has not been uploaded.',
);

export const fileSizeMismatch = defineError(
  409,
  'file_size_mismatch',
  'The uploaded file has another size than the upload announced.',
  (size: number, announced: number) => `The uploaded file has ${size} bytes, not ${announced}.`,
);
