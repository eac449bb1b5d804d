import { defineError } from './define.ts';

/* Issues, their categories and public links. */

export const issueStatus = defineError(
  409,
  'issue_status',
  'The issue is in another status than the change needs.',
  (status: string, reason: string) => `The issue is ${status}. ${reason}.`,
);

export const issueDuplicate = defineError(
  409,
  'issue_duplicate',
  'An issue can duplicate only another one that is no duplicate itself.',
  (number: number, status: string) =>
    `The issue ${number} is ${status}. Name another issue that is no duplicate itself.`,
);

export const issueNotLinked = defineError(
  409,
  'issue_not_linked',
  'A corrective action needs an inspection that the issue is linked to.',
  (status: string) =>
    `The issue is ${status} and not linked to an inspection. Start an inspection from it first.`,
);

export const categoryInactive = defineError(
  409,
  'category_inactive',
  'The category takes no new issues.',
  (name: string) => `The category “${name}” is inactive and takes no new issues.`,
);

export const publicLinkStatus = defineError(
  409,
  'public_link_status',
  'The public link is in a status that does not allow the change.',
  (status: string) => `The public link is ${status}.`,
);
