import type { Plural } from '../plural.ts';

const pointsUp: Plural = { one: '+{shown} point since {date}', other: '+{shown} points since {date}' };
const pointsDown: Plural = { one: '−{shown} point since {date}', other: '−{shown} points since {date}' };
const items: Plural = { one: '{n} item', other: '{n} items' };
const failedCount: Plural = { one: '{n} failed', other: '{n} failed' };
const attachedFiles: Plural = { one: '{n} file', other: '{n} files' };

/**
 * The fixed texts of reports, and the keys that every other language has as well. Names in braces are replaced, some of
 * them by links.
 */
export const en = {
  kind: 'Inspection report',
  draft: 'Draft',
  draftNotice: 'This inspection is not completed. Answers may still change, so there is no result yet.',
  numbered: 'No. {n}',
  generated: 'Generated on {when} · Version {version}',
  pageOf: 'Page {page} of {pages}',
  contents: 'Contents',

  client: 'Client',
  location: 'Location',
  date: 'Date',
  status: 'Status',
  inspectedBy: 'Inspected by',
  approvedBy: 'Approved by',
  started: 'Started',
  completed: 'Completed',
  due: 'Due',
  template: 'Template',
  templateVersion: '{name}, version {version}',
  preparedBy: 'Prepared by',
  statuses: {
    scheduled: 'Scheduled',
    in_progress: 'In progress',
    pending_approval: 'Awaiting approval',
    pending_sign_off: 'Awaiting sign-off',
    completed: 'Completed',
    archived: 'Archived',
  },

  summary: 'Summary',
  results: { pass: 'Passed', fail: 'Failed' },
  reasons: {
    critical_item: 'A critical item failed: {place}',
    section: '{place} scored {percentage}; {passing} is required.',
    total: 'The total is {percentage}; {passing} is required.',
  },
  passingScore: 'Required: {passing}',
  pointsUp,
  pointsDown,
  unchanged: 'Unchanged since {date}',
  answered: 'Answered',
  failedItems: 'Failed items',
  notApplicable: 'Not applicable',
  mostSevere: 'Most severe findings',
  sections: 'Sections',

  score: 'Score',
  total: 'Total',
  section: 'Section',
  points: 'Points',
  required: 'Required',
  result: 'Result',
  of: '{value} of {max}',

  findings: 'Findings',
  noFindings: 'No findings were recorded.',
  finding: 'Finding {n}',
  concerns: 'Finding',
  severities: { observation: 'Observation', minor: 'Minor', major: 'Major', critical: 'Critical' },
  cleared: 'No longer failing',
  findingStatuses: { open: 'Open', resolved: 'Resolved' },
  fromIssue: 'From a reported issue',
  description: 'Description',
  rootCause: 'Root cause',
  recommendation: 'Recommendation',

  actions: 'Corrective actions',
  number: 'No.',
  action: 'Action',
  assignee: 'Assigned to',
  unassigned: 'Not assigned',
  verified: 'Verified',
  completionNote: 'What was done',
  verificationNote: 'Note on verification',
  before: 'Before',
  after: 'After',
  overdue: 'Overdue',
  actionStatuses: {
    open: 'Open',
    in_progress: 'In progress',
    pending_verification: 'Awaiting verification',
    verified: 'Verified',
    cancelled: 'Cancelled',
  },
  priorities: {
    low: 'Low priority',
    medium: 'Medium priority',
    high: 'High priority',
    critical: 'Critical priority',
  },
  by: '{when} by {name}',

  record: 'Inspection record',
  details: 'Inspection details',
  items,
  failedCount,
  answeredBy: 'Answered by {name} on {when}',
  answeredByBetween: 'Answered by {name} between {from} and {to}',
  failed: 'Failed',
  carriedOver: 'Carried over',
  critical: 'Critical',
  notAnswered: 'Not answered',
  note: 'Note',
  yes: 'Yes',
  no: 'No',
  pass: 'Pass',
  fail: 'Fail',
  deleted: '(deleted)',
  map: 'Map',

  photos: 'Photos',
  photo: 'Photo {n}',
  taken: 'Taken on {when}',
  notShown: 'The image cannot be shown',
  files: {
    image: 'Image',
    video: 'Video',
    audio: 'Audio',
    pdf: 'PDF document',
    file: 'File',
    attached: 'attached',
  },
  attachedFiles,

  signatures: 'Signatures',
  signOff: 'Sign-off',
  signedOn: 'Signed on {when}',
  forVia: 'For {name} via {key}',
  beforeCorrection: 'Given before correction {n}',

  corrections: 'Corrections',
  correction: 'Correction {n}',
  reason: 'Reason',
  opened: 'Opened',
  closed: 'Closed',
  stillOpen: 'Still open',
  approved: 'Approved',
  name: 'Name',
  scheduledFor: 'Scheduled for',
  participants: 'Participants',
  question: 'Question',
  changedBy: 'Changed by',

  verification: 'Verification',
  verify:
    'This report was made from data with the fingerprint below. The report as the organization’s system has it shows the same fingerprint if nothing was altered.',
  preview: 'This is a preview. It was not stored and cannot be verified.',
};

/** The fixed texts of reports in one language. */
export type ReportTexts = typeof en;
