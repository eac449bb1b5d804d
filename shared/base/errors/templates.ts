import { defineError, defineProblems } from './define.ts';

/* Templates, their content and report layouts. */

export const contentVersionMismatch = defineError(
  409,
  'content_version_mismatch',
  'The content of the draft has changed since the version that `expected_content_version` names.',
  (version: number, expected: number) =>
    `The template has content_version ${version}, not ${expected}. Fetch it again.`,
);

export const patchTestFailed = defineError(
  409,
  'patch_test_failed',
  'A `test` operation of a JSON Patch failed.',
  (position: number, reason: string) => `operations.${position}: ${reason}`,
);

export const notADraft = defineError(
  409,
  'not_a_draft',
  'Only a draft can be changed, published or looked at in this way.',
  (version: number, status: string) => `The template version ${version} is ${status}, not a draft.`,
);

export const draftExists = defineError(
  409,
  'draft_exists',
  'The template family has a draft already.',
  (id: string) => `The template family already has a draft, ${id}.`,
);

export const draftHasNoSnapshot = defineError(
  409,
  'draft_has_no_snapshot',
  'A draft has no snapshot; only a published version has one.',
  () => 'The template version is a draft, which has no snapshot.',
);

export const familyStatus = defineError(
  409,
  'family_status',
  'The template family is in another status than the operation needs.',
  (status: string, needed?: string) => `The template family is ${status}${needed ? `, not ${needed}` : ''}.`,
);

export const notAPicture = defineError(
  400,
  'not_a_picture',
  'A picture is needed, and the document is none.',
  (field: string) => `${field} is not a picture.`,
);

export const nameInUse = defineError(
  409,
  'name_in_use',
  'Another resource beside this one has the same name.',
  (noun: string) => `Another ${noun} already has this name.`,
);

export const tooManyLayouts = defineError(
  409,
  'too_many_layouts',
  'The template family has as many report layouts as it can have.',
  (most: number) => `The template family already has ${most} report layouts, the maximum.`,
);

export const contentInvalid = defineProblems(
  'content_invalid',
  'The content of a template is not valid. `detail` lists every problem, its place in `content` or `body`.',
);

export const formInvalid = defineProblems(
  'form_invalid',
  'The XLSForm cannot be imported. `detail` lists every problem by sheet, row and column.',
);
