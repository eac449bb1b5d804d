import { defineError } from './define.ts';

/* Findings and corrective actions. */

export const findingResolved = defineError(
  409,
  'finding_resolved',
  'The finding is resolved; corrective actions need an open one.',
  () => 'The finding is resolved. Open it again first.',
);

export const correctiveActionOpen = defineError(
  409,
  'corrective_action_open',
  'The finding cannot be resolved or deleted while a corrective action of it is open.',
  (number: number, title: string, status: string) =>
    `The corrective action ${number} (${title}) is ${status}.`,
);

export const correctiveActionsUnfinished = defineError(
  409,
  'corrective_actions_unfinished',
  'The finding cannot be resolved with this corrective action, because others of it are not verified or cancelled.',
  (count: number) =>
    `The finding has ${count} other corrective ${count === 1 ? 'action that is' : 'actions that are'} not verified or cancelled.`,
);

export const correctiveActionStatus = defineError(
  409,
  'corrective_action_status',
  'The corrective action is in another status than the step needs.',
  (status: string, reason: string) => `The corrective action is ${status}. ${reason}.`,
);

export const evidenceRequired = defineError(
  409,
  'evidence_required',
  'The corrective action needs an attachment of stage `after` before it can be verified.',
  (status: string) =>
    `The corrective action is ${status}. It needs an attachment of stage after as evidence first.`,
);

export const secondPersonRequired = defineError(
  403,
  'second_person_required',
  'Whoever completed a corrective action may not verify it.',
  () => 'The person who completed a corrective action may not verify it.',
);
