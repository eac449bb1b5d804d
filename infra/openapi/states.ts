import { type ActionStep, actionWays } from '../../shared/domain/corrective-actions.ts';
import { inspectionWays, type Step, type Way } from '../../shared/domain/inspections/workflow.ts';

/** How each step is asked for. */
const INSPECTION_STEPS: Readonly<Record<Step, string>> = {
  start: '`start`, or an empty `advance`',
  submit: 'an empty `advance`, the last of the participants’',
  approve: '`advance` with `decision` `approve`',
  request_changes: '`advance` with `decision` `request_changes`',
  reject: '`advance` with `decision` `reject`',
  sign_off: '`advance` with `sign_off`, the last required',
  reapprove: 'closing a correction, with `correction_mode` `reapprove`',
  archive: '`archive`',
  restore: '`restore`',
};

const ACTION_STEPS: Readonly<Record<ActionStep, string>> = {
  start: 'PATCH `status` to `in_progress`',
  complete: 'PATCH `status` to `pending_verification`',
  accept: '`verify`',
  decline: '`verify` with `accepted` false',
  cancel: 'PATCH `status` to `cancelled`',
  reopen: '`reopen`',
};

const spelled = (statuses: readonly string[]): string => statuses.map((status) => `\`${status}\``).join(', ');

/** The steps that a resource can take, as a Markdown table. */
const table = <Step extends string>(
  ways: readonly Way<Step, string>[],
  asked: Readonly<Record<Step, string>>,
): string =>
  [
    '| From | Step | To |',
    '|---|---|---|',
    ...ways.map(({ step, from, to }) => `| ${spelled(from)} | ${asked[step]} | ${spelled(to)} |`),
  ].join('\n');

/** The states of an inspection, from the rules that the service itself goes by. */
export const inspectionStates = (): string =>
  `${table(inspectionWays(), INSPECTION_STEPS)}

Of several the first that the inspection requires; an archived one goes back to where it was. Any other step is a \`409\` that names the status.`;

/** The same of a corrective action. */
export const actionStates = (): string =>
  `${table(actionWays(), ACTION_STEPS)}

Any other step is a \`409\` that names the status.`;
