/** Issues: what somebody reported, who looks after it, and what is done about it. */
export { type IssueSubmission, type OpenedLink, openLink, report } from './report.ts';
