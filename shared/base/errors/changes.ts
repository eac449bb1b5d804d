import { defineError } from '../api-error.ts';

/* A change that names what does not exist, or that the stored resource does not allow. */

const joined = (names: readonly string[]): string => names.join(', ');

export const referenceNotFound = defineError(
  400,
  'reference_not_found',
  'The request names something that the organization does not have. Correct what `detail` names.',
  (...fields: string[]) => `${joined(fields)} ${fields.length > 1 ? 'do' : 'does'} not exist.`,
);

export const tooManyChanges = defineError(
  400,
  'too_many_changes',
  'The request changes more rows than one transaction can. Split it.',
  (rows: number, most: number) =>
    `Too many changes in one request (${rows} rows; the maximum is ${most}). Split it.`,
);

export const resourceTooLarge = defineError(
  400,
  'resource_too_large',
  'The resource would be larger, or nested more deeply, than the database can store. Send less.',
  () => 'The resource is too large, or nested too deeply, to be stored.',
);

export const versionMismatch = defineError(
  409,
  'version_mismatch',
  'The resource has changed since the version that `If-Match` or `expected_version` names. Fetch it again before you retry.',
  (noun: string, version: number, expected: number) =>
    `The ${noun} has version ${version}, not ${expected}. Fetch it again.`,
);

export const valueInUse = defineError(
  409,
  'value_in_use',
  'A value that must be unique in the organization is used already. Send another one.',
  (what: string) => `The value of ${what} is already in use.`,
);

export const fieldsFixed = defineError(
  409,
  'fields_fixed',
  'Fields that are set only when the resource is created have other values. Leave them out, or change them with the operations that exist for them.',
  (noun: string, fields: readonly string[]) =>
    `The ${noun} has another ${fields.join(', ')}, which this request cannot change. Leave it out.`,
);

export const stillUsed = defineError(
  409,
  'still_used',
  'The resource cannot be deleted while others use it. Delete or change those first.',
  (reason: string) => `${reason}.`,
);

export const ownerDeleted = defineError(
  409,
  'owner_deleted',
  'What the request changes is being deleted together with its client account. Do not retry.',
  () => 'The client account has been deleted, and this is being deleted with it.',
);

export const bulkChangeStatus = defineError(
  409,
  'bulk_change_status',
  'The status of the bulk change does not lead to the one that the request asks for. Fetch it to see its status.',
  (status: string, wanted: string) => `The bulk change is ${status}, so it cannot become ${wanted}.`,
);

export const notYourBulkChange = defineError(
  403,
  'not_your_bulk_change',
  'The bulk change was requested by somebody else, and would be carried out with their rights. Request one of your own.',
  () => 'Only who has requested the bulk change can carry it out.',
);

/* Forms and files. */

export const formNotReadable = defineError(
  400,
  'form_not_readable',
  'The body is not a valid `multipart/form-data` form. Correct it.',
  (reason: string) => `The form cannot be read: ${reason}.`,
);

export const alreadyExists = defineError(
  409,
  'already_exists',
  'The resource exists already. Fetch it instead of creating it.',
  (noun: string) => `The ${noun} already exists.`,
);

export const tooManyUploads = defineError(
  409,
  'too_many_uploads',
  'The organization has as many open uploads of the last day as it can have. Complete some of them first.',
  (most: number) => `The organization already has ${most} open uploads, the maximum. Complete them first.`,
);

export const storageFull = defineError(
  409,
  'storage_full',
  'The files of the organization would have more bytes than the maximum. Delete documents first.',
  (used: number, most: number, more: number) =>
    `The organization uses ${used} bytes of storage. The maximum is ${most}, and this needs ${more} more. Delete documents first.`,
);

export const uploadCompleted = defineError(
  409,
  'upload_completed',
  'The upload is completed already. Get the document, which has the id of the upload.',
  () => 'The upload is completed.',
);

export const fileNotUploaded = defineError(
  409,
  'file_not_uploaded',
  'The file of an upload has not arrived. PUT it to the `url` of the upload first.',
  () => 'The file has not been uploaded.',
);

export const fileSizeMismatch = defineError(
  409,
  'file_size_mismatch',
  'The uploaded file has another size than the upload announced. Create a new upload with the right size.',
  (size: number, announced: number) => `The uploaded file has ${size} bytes, not ${announced}.`,
);
