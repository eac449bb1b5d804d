/** Issues: what somebody reported, who looks after it, and what is done about it. */
export { createCorrectiveAction } from './corrective-actions.ts';
export { create } from './create.ts';
export { comment, listActivity } from './history.ts';
export { startInspection } from './inspections.ts';
export { get, list } from './lists.ts';
export { type IssueSubmission, openLink, report } from './report.ts';
export { update } from './update.ts';
