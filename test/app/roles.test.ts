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
