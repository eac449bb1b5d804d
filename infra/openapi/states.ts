import { type ActionStep, actionTransitions } from '../../shared/domain/corrective-actions.ts';
import { type CorrectionStep, correctionTransitions } from '../../shared/domain/inspections/corrections.ts';
import {
  inspectionTransitions,
  type InspectionStep,
  type Transition,
} from '../../shared/domain/inspections/workflow.ts';
import { type IssueMove, issueTransitions } from '../../shared/domain/issues/workflow.ts';

/** The request that takes each step. */
const INSPECTION_STEPS: Readonly<Record<InspectionStep, string>> = {
  start: '`start`, or `advance` with an empty body',
  submit: '`advance` with an empty body, by the last participant',
  approve: '`advance` with `decision` `approve`',
  request_changes: '`advance` with `decision` `request_changes`',
  reject: '`advance` with `decision` `reject`',
  sign_off: '`advance` with `sign_off`, by the last person who must sign',
  archive: '`archive`',
  restore: '`restore`',
};

const CORRECTION_STEPS: Readonly<Record<CorrectionStep, string>> = {
  close: '`close`',
  approve: '`approve`',
  request_changes: '`request-changes`',
  reject: '`reject`',
  discard: '`discard`',
};

const ACTION_STEPS: Readonly<Record<ActionStep, string>> = {
  start: 'PATCH `status` to `in_progress`',
  complete: 'PATCH `status` to `pending_verification`',
  pass: 'the completion of a re-inspection in which the field of its finding passes',
  accept: '`verify` with `accepted` true',
  decline: '`verify` with `accepted` false',
  cancel: 'PATCH `status` to `cancelled`',
  reopen: '`reopen`',
};

const ISSUE_MOVES: Readonly<Record<IssueMove, string>> = {
  triage: 'PATCH `status` to `triaged`',
  start: 'PATCH `status` to `in_progress`',
  resolve: 'PATCH `status` to `resolved`',
  close: 'PATCH `status` to `closed`',
  reject: 'PATCH `status` to `rejected`',
  mark_duplicate: 'PATCH `status` to `duplicate`, with `duplicate_of_id`',
  reopen: 'PATCH `status` to `in_progress`, with a `note`',
};

const listOf = (statuses: readonly string[]): string => statuses.map((status) => `\`${status}\``).join(', ');

/** The steps that a resource can take, as a Markdown table. */
const table = <Step extends string>(
  transitions: readonly Transition<Step, string>[],
  requests: Readonly<Record<Step, string>>,
): string =>
  [
    '| From | Step | To |',
    '|---|---|---|',
    ...transitions.map(({ step, from, to }) => `| ${listOf(from)} | ${requests[step]} | ${listOf(to)} |`),
  ].join('\n');

/** The steps of an inspection in Markdown, made from the rules that the service itself follows. */
export const inspectionStates = (): string =>
  `${table(inspectionTransitions(), INSPECTION_STEPS)}

Where a step has several statuses in the last column, the inspection goes to the first one that it requires. An archived inspection goes back to its former status. Any other step is a \`409\` that names the current status.`;

/** The steps of a correction in Markdown, made from the rules that the service itself follows. */
export const correctionStates = (): string =>
  `A correction of a completed inspection, which stays \`completed\` throughout:

${table(correctionTransitions(), CORRECTION_STEPS)}

Closing leads to \`pending_approval\` if \`correction_mode\` is \`reapprove\`. Any other step is a \`409\` that names the current status.`;

/** The steps of a corrective action in Markdown, made from the rules that the service itself follows. */
export const actionStates = (): string =>
  `${table(actionTransitions(), ACTION_STEPS)}

Any other step is a \`409\` that names the current status.`;

/** The moves of an issue in Markdown, made from the rules that the service itself follows. */
export const issueStates = (): string =>
  `${table(issueTransitions(), ISSUE_MOVES)}

Any other move is a \`409\` that names the current status.`;
