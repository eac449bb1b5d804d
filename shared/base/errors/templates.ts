import { defineError, defineProblems } from '../api-error.ts';

/* Templates, their content and report layouts. */

export const contentVersionMismatch = defineError(
  409,
  'content_version_mismatch',
  'The content of the draft has changed since the version that `expected_content_version` names. Fetch it again before you retry.',
  (version: number, expected: number) =>
    `The template has content_version ${version}, not ${expected}. Fetch it again.`,
);

export const patchTestFailed = defineError(
  409,
  'patch_test_failed',
  'A `test` operation of a JSON Patch failed. Fetch the content again, and make another patch.',
  (position: number, reason: string) => `operations.${position}: ${reason}`,
);

export const notADraft = defineError(
  409,
  'not_a_draft',
  'Only a draft can be changed, published or looked at in this way. Open a draft of the family first.',
  (version: number, status: string) => `The template version ${version} is ${status}, not a draft.`,
);

export const draftExists = defineError(
  409,
  'draft_exists',
  'The template family has a draft already. Change or publish that one.',
  (id: string) => `The template family already has a draft, ${id}.`,
);

export const draftHasNoSnapshot = defineError(
  409,
  'draft_has_no_snapshot',
  'A draft has no snapshot. Name a published version.',
  () => 'The template version is a draft, which has no snapshot.',
);

export const familyStatus = defineError(
  409,
  'family_status',
  'The template family is in another status than the operation needs, which `detail` names. Publish or restore the family first.',
  (status: string, needed?: string) => `The template family is ${status}${needed ? `, not ${needed}` : ''}.`,
);

export const notAPicture = defineError(
  400,
  'not_a_picture',
  'A picture is needed, and the document is none. Name another document.',
  (field: string) => `${field} is not a picture.`,
);

export const nameInUse = defineError(
  409,
  'name_in_use',
  'Another resource beside this one has the same name. Send another name.',
  (noun: string) => `Another ${noun} already has this name.`,
);

export const tooManyLayouts = defineError(
  409,
  'too_many_layouts',
  'The template family has as many report layouts as it can have. Delete one first.',
  (most: number) => `The template family already has ${most} report layouts, the maximum.`,
);

export const contentInvalid = defineProblems(
  'content_invalid',
  'The content of a template is not valid. Correct each problem that `detail` lists by its place in `content` or `body`.',
);

export const formInvalid = defineProblems(
  'form_invalid',
  'The XLSForm cannot be imported. Correct each problem that `detail` lists by sheet, row and column.',
);

/* Issues, their categories and public links. */

export const issueStatus = defineError(
  409,
  'issue_status',
  'The issue is in another status than the change needs. Take a step that its status allows.',
  (status: string, reason: string) => `The issue is ${status}. ${reason}.`,
);

export const issueDuplicate = defineError(
  409,
  'issue_duplicate',
  'An issue can be a duplicate only of another issue that is not itself a duplicate. Name such an issue.',
  (number: number, status: string) =>
    `The issue ${number} is ${status}. Name an issue that is not itself a duplicate.`,
);

export const issueNotLinked = defineError(
  409,
  'issue_not_linked',
  'A corrective action needs an inspection that the issue is linked to. Start an inspection from the issue first.',
  (status: string) =>
    `The issue is ${status} and not linked to an inspection. Start an inspection from it first.`,
);

export const categoryInactive = defineError(
  409,
  'category_inactive',
  'The category takes no new issues. Name an active one.',
  (name: string) => `The category “${name}” is inactive and takes no new issues.`,
);

export const publicLinkStatus = defineError(
  409,
  'public_link_status',
  'The public link is in a status that does not allow the change. Create another one.',
  (status: string) => `The public link is ${status}.`,
);

/* Inspection schedules. */

export const scheduleEnded = defineError(
  409,
  'schedule_ended',
  'The schedule has ended: nothing lies ahead that it could create. Change its rule or its last date first.',
  () => 'The schedule has ended. Change its rule or its last date first.',
);

export const overrideExists = defineError(
  409,
  'override_exists',
  'The occurrence has an override already. Delete that first.',
  (date: string, action: string) =>
    `The occurrence of ${date} already has the override ${action}. Delete that first.`,
);

export const tooManyOverrides = defineError(
  409,
  'too_many_overrides',
  'The schedule has as many overrides as it can have. Delete some first.',
  (most: number) => `The schedule already has ${most} overrides, the maximum.`,
);

export const occurrenceBegun = defineError(
  409,
  'occurrence_begun',
  'An inspection of the occurrence is no longer scheduled. Change the inspection itself.',
  (number: number, status: string) => `Inspection ${number} of this occurrence is ${status}.`,
);
