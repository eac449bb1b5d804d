import { appEntries, operationEntries } from '../support/catalogue.ts';

/*
 * Who may do what, by hand: the other tests read the declarations, so that a declaration that is wrong would be wrong
 * there as well.
 */

const ANYBODY = 'any';
const ADMINS = ['admin'];
const MEMBERS = ['admin', 'approver', 'inspector'];
const DECIDERS = ['admin', 'approver'];

/** What signed-in people of other roles than admin may call. All else is for admins. */
const FOR_OTHERS: Record<string, 'any' | string[]> = {
  getSession: ANYBODY,
  chooseOrganization: ANYBODY,
  listOwnOrganizations: ANYBODY,
  endSession: ANYBODY,
  listOwnSessions: ANYBODY,
  endOwnSession: ANYBODY,
  endOtherSessions: ANYBODY,
  signOut: ANYBODY,
  listOwnInvitations: ANYBODY,
  joinOrganization: ANYBODY,
  declineInvitation: ANYBODY,
  updateOwnOrganization: ANYBODY,
  leaveOrganization: ANYBODY,
  getOwnProfile: MEMBERS,
  updateOwnProfile: MEMBERS,
  appGetMyPreferences: MEMBERS,
  appUpdateMyPreferences: MEMBERS,
  decideInspection: DECIDERS,
  decideCorrection: DECIDERS,
};

test('people of other roles than admin reach their session and their profile, and approvers decide', () => {
  const roles = appEntries().map(({ operation: { id, roles } }) => [id, roles] as const);
  const open = roles.filter(([, each]) => JSON.stringify(each) !== JSON.stringify(ADMINS));
  expect(Object.fromEntries(open)).toEqual(FOR_OTHERS);
});

/** What of `/v1` people of other roles read: only what is their own. All else that people read is for admins. */
const READ_BY_OTHERS: Record<string, string[]> = {
  getMyProfile: MEMBERS,
  getInspection: MEMBERS,
  getCorrectiveAction: MEMBERS,
  listAssignedInspections: MEMBERS,
  listInspections: DECIDERS,
  listMyCorrectiveActions: MEMBERS,
  listMyNotifications: MEMBERS,
};

test('admins read all of /v1, and people of other roles what is their own', () => {
  const reading = operationEntries().filter(({ operation: { method } }) => method === 'GET');
  const unread = reading.filter(({ operation: { app, people } }) => !app && !people);
  expect(unread.map(({ operation }) => operation.id)).toEqual([]);
  const others = reading.filter(({ operation: { people = ADMINS } }) => people.join() !== ADMINS.join());
  expect(Object.fromEntries(others.map(({ operation }) => [operation.id, operation.people]))).toEqual(
    READ_BY_OTHERS,
  );
});

/** They take a body, and store nothing. */
const READING_POSTS = ['previewFamilyReport', 'previewFamilyReportPayload', 'previewSchedule'];

test('a key with read access changes nothing', () => {
  const entries = operationEntries();
  expect(entries.length).toBeGreaterThanOrEqual(124);
  const others = entries
    .filter(({ operation: { method, access } }) => (method === 'GET') !== (access === 'read'))
    .map(({ operation: { id } }) => id);
  expect(others.toSorted()).toEqual(READING_POSTS);
});
