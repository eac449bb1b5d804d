import type { RowKind } from '../../table/keys.ts';

/**
 * What becomes of a row when its organization moves to another deployment:
 *
 * - `exported`: it is in the export.
 * - `derived`: it follows from exported rows, and is made anew from them.
 * - `secret`: it lets somebody in. It is in no export; what can be made anew, is.
 * - `passing`: it serves work of the moment, and ends by itself.
 */
export type RowClass = 'exported' | 'derived' | 'secret' | 'passing';

/** The class of each kind of row. The compiler asks for that of a new kind. */
export const CLASSES: Readonly<Record<RowKind, RowClass>> = {
  organization: 'exported',
  audit: 'exported',
  address: 'exported',
  openQuestion: 'exported',
  endedQuestion: 'exported',
  apiKey: 'secret',
  session: 'secret',
  ownSession: 'secret',
  link: 'secret',
  membership: 'derived',
  emailMember: 'derived',
  keyRequests: 'passing',
  keyRefusals: 'passing',
  visits: 'passing',

  KEY: 'exported',
  MEMBER: 'exported',
  PREFERENCES: 'exported',
  CLIENT: 'exported',
  LOCATION: 'exported',
  TRANSFER: 'exported',
  REGION: 'exported',
  ASSET_KIND: 'exported',
  ASSET: 'exported',
  CERTIFICATE_KIND: 'exported',
  CERTIFICATE: 'exported',
  DOCUMENT: 'exported',
  UPLOAD: 'passing',
  FAMILY: 'exported',
  TEMPLATE: 'exported',
  INSPECTION: 'exported',
  SCHEDULE: 'exported',
  HOLIDAYS: 'exported',
  BULK_EXPORT: 'exported',
  BULK_CHANGE: 'exported',
  CONNECTION: 'exported',
  SOURCE: 'exported',
  CANDIDATE: 'exported',
  ISSUE_CATEGORY: 'exported',
  ISSUE: 'exported',
  WEBHOOK: 'exported',
  FINDING: 'exported',
  ACTION: 'exported',
  REPORT: 'exported',
  reference: 'derived',

  locationByName: 'derived',
  clientLocationByName: 'derived',
  clientWith: 'derived',
  clientByWord: 'derived',
  locationWith: 'derived',
  inspectionWith: 'derived',
  issueWith: 'derived',
  issueByWord: 'derived',

  assetActivity: 'exported',
  assetWith: 'derived',
  assetByWord: 'derived',

  certifies: 'derived',
  certificateSeries: 'exported',
  certified: 'derived',
  certificateWith: 'derived',
  // It says which reminders were sent.
  certificateExpiry: 'exported',

  familyVersion: 'exported',
  layout: 'exported',
  layoutNames: 'exported',
  running: 'derived',
  content: 'exported',

  answer: 'exported',
  formerAnswer: 'exported',
  answerState: 'exported',
  instance: 'exported',
  correction: 'exported',
  revision: 'exported',
  inspectionActivity: 'exported',
  signatureLink: 'exported',
  reportCount: 'exported',
  raisedIssue: 'exported',
  reinspection: 'derived',
  foundAt: 'derived',
  findingWith: 'derived',
  assignment: 'derived',
  // A due row says which reminders were sent.
  due: 'exported',

  activity: 'exported',
  attachment: 'exported',
  contactForm: 'exported',
  contactTask: 'derived',
  contactReminder: 'exported',
  unsentLink: 'passing',
  actionAssignment: 'derived',
  actionWith: 'derived',
  actionDue: 'exported',

  export: 'exported',
  reportEmail: 'exported',
  shareLink: 'exported',
  bulkSelection: 'exported',
  bulkItem: 'exported',
  bulkSelected: 'exported',
  bulkRow: 'exported',
  heldNotice: 'exported',
  exportedBytes: 'exported',

  publicLink: 'exported',
  issueActivity: 'exported',
  inspectionLink: 'derived',
  actionLink: 'derived',
  issueAssignment: 'derived',
  issueDue: 'exported',
  submission: 'passing',

  incompleteSchedule: 'derived',
  scheduleByWord: 'derived',
  scheduleByLocation: 'derived',
  scheduleByAsset: 'derived',
  schedulePlaces: 'exported',
  occurrence: 'exported',
  scheduledStart: 'derived',
  visitedPlace: 'exported',
  visit: 'derived',
  unstarted: 'exported',
  // An entry says what else the calendar shows of its inspection.
  calendarEntry: 'exported',

  // What was counted keeps the time zone, and what a finding has repeated.
  numbers: 'exported',
  answerNumbers: 'exported',
  counted: 'exported',
  numbersState: 'exported',

  unreadNotification: 'exported',
  readNotification: 'exported',
  mail: 'exported',
  mailbox: 'exported',
  clientDigestTurn: 'exported',
  waitingMail: 'exported',
  heldMail: 'exported',
  mailCount: 'exported',
  mailFate: 'exported',

  counter: 'derived',
  usage: 'derived',
  storedBytes: 'derived',
  maxStoredBytes: 'exported',
  monthCount: 'exported',
  slot: 'exported',
  maxSlots: 'exported',
  sequence: 'exported',
  eventSequence: 'exported',
  unique: 'derived',

  migration: 'passing',
  claim: 'passing',
  replyPart: 'passing',
  loggedRequest: 'exported',
  pageEnd: 'passing',

  outbox: 'exported',
  event: 'exported',
  changedAnswers: 'exported',
  deadLetter: 'exported',

  sourceState: 'exported',
  syncRun: 'exported',
  seenPage: 'exported',
  syncedItem: 'exported',
  syncedList: 'exported',
  integrationActivity: 'exported',

  webhookState: 'exported',
  delivery: 'exported',
  pendingDelivery: 'exported',
  webhookReplay: 'exported',
};

/** The attributes of exported rows that are secret, and so are left out of an export. */
export const SECRETS: { readonly [Kind in RowKind]?: readonly (readonly string[])[] } = {
  KEY: [['hash'], ['previous']],
  WEBHOOK: [['secret'], ['previous_secret'], ['headers']],
  CONNECTION: [['credential']],
  ACTION: [['contact_link', 'form_secret']],
  publicLink: [['form_secret']],
  signatureLink: [['form_secret']],
};
