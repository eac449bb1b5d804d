import type { Plural } from '../plural.ts';

/** `{n} …`: how many there are. */
const findings: Plural = { one: '{n} finding', other: '{n} findings' };
const actions: Plural = { one: '{n} corrective action', other: '{n} corrective actions' };
const updates: Plural = { one: '{n} update', other: '{n} updates' };
/** Ends a list that is cut. */
const more: Plural = { one: 'and {n} more', other: 'and {n} more' };

/** The texts of mails, and the keys that every other language has as well. */
export const en = {
  /** What happened, after the name of the inspection or corrective action: “Kitchen 4: assigned to you”. */
  events: {
    inspection_assigned: 'assigned to you',
    part_reopened: 'part reopened',
    approval_requested: 'approval needed',
    sign_off_requested: 'signature needed',
    changes_requested: 'changes requested',
    approved: 'approved',
    rejected: 'rejected',
    correction_approval_requested: 'correction to approve',
    correction_approved: 'correction approved',
    correction_changes_requested: 'changes to the correction requested',
    correction_rejected: 'correction rejected',
    completed: 'completed',
    overdue: 'overdue',
    finding_created: 'new finding',
    corrective_action_assigned: 'corrective action for you',
    corrective_action_due_soon: 'corrective action due soon',
    corrective_action_due: 'corrective action due',
    corrective_action_completed: 'corrective action to verify',
    corrective_action_verified: 'corrective action verified',
    corrective_action_declined: 'corrective action not accepted',
    corrective_action_reopened: 'corrective action reopened',
    issue_reported: 'new issue',
    issue_assigned: 'issue for you',
    issue_overdue: 'issue overdue',
    schedule_stopped: 'cannot create inspections',
    sync_failed: 'sync failed',
    sync_incomplete: 'sync incomplete',
    credential_refused: 'credential refused',
    webhook_disabled: 'webhook disabled',
  },
  findings,
  actions,
  updates,
  more,
  /** The subject of a mail: the name of an inspection, and what happened. */
  subject: '{name}: {what}',
  labels: {
    inspection: 'Inspection',
    issue: 'Issue',
    client: 'Client',
    location: 'Location',
    due: 'Due',
    by: 'By',
    comment: 'Comment',
    score: 'Score',
    result: 'Result',
  },
  openInspection: 'Open the inspection',
  results: { pass: 'Passed', fail: 'Failed' },
  /** Why a member or an address gets a mail, and how to stop it. */
  memberReason: 'You receive this because you are a member of {organization}.',
  memberStop: 'To stop these emails, change your notification settings.',
  addressReason: 'You receive this because {organization} notifies this address about its inspections.',
  stop: 'Stop these emails',
  /** The mail that brings a contact outside the organization the link to a corrective action. */
  contactLink: {
    text: '{organization} asks you to do the following, and to say when it is done:',
    open: 'Open the task',
    hint: 'The link is for you alone and works until {date}. Whoever has it can answer in your place.',
    reason: 'You receive this because {organization} has named you as the contact for this task.',
  },
  /** The mail that brings a report, where its layout has no text of its own. */
  report: {
    subject: '{inspection.name}: inspection report',
    body: 'Hello,\n\nplease find the report of the inspection “{inspection.name}” of {date}.\n\nKind regards\n{organization.name}',
    open: 'Open the report',
    linkEnds: 'The link works until {date}.',
    draft: 'This report is a draft: the inspection is not completed yet.',
    reason: 'You receive this because {organization} has sent you a report.',
  },
};

export type MailTexts = typeof en;
