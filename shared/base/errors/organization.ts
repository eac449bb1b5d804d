import { defineError } from '../api-error.ts';

/* Organizations and their members. */

export const memberNotActive = defineError(
  400,
  'member_not_active',
  'The request names a member who is not active. Name an active one.',
  (field: string, status: string) => `${field} names a member who is ${status}, not active.`,
);

export const memberUnable = defineError(
  400,
  'member_unable',
  'The request gives a member something to do that they cannot do: their role does not allow it, or their API key was revoked, has expired or may only read. Name another member.',
  (field: string, obstacle: string) => `${field} names ${obstacle}.`,
);

export const approverTakesPart = defineError(
  400,
  'approver_takes_part',
  'The approver of an inspection takes no part in it. Name another approver, or take them off the participants.',
  (field: string) => `${field} names a member who would approve the inspection and take part in it.`,
);

export const ownerNotAdmin = defineError(
  400,
  'owner_not_admin',
  'The owner of an organization must be one of its active admins. Name one of them.',
  (field: string) => `${field} is not an active admin of the organization.`,
);

export const keyEnded = defineError(
  409,
  'key_ended',
  'The API key was revoked or has expired. Create another one.',
  (state: string) => `The API key is ${state}.`,
);

export const memberMadeKeys = defineError(
  409,
  'member_made_keys',
  'The member has made API keys that are active. Say with `keys` what becomes of them.',
  (names: readonly string[]) =>
    `The member has made API keys that are active: ${names.join(', ')}. Say with keys=revoke or keys=keep what becomes of them.`,
);

export const memberMadeManyKeys = defineError(
  409,
  'member_made_many_keys',
  'The member has made more API keys than can be revoked together. Revoke some first.',
  (count: number, most: number) =>
    `The member has made ${count} API keys that are active, and ${most} at most can be revoked together. Revoke some first.`,
);

/* People: signing in, and being a member. */

export const sessionRequired = defineError(
  401,
  'session_required',
  'There is no session: the person has not signed in, or the session has ended. Sign in; an API key is no session.',
  () => 'There is no session, or it has ended. Sign in.',
);

export const organizationSuspended = defineError(
  403,
  'organization_suspended',
  'The organization is suspended. Ask the operator of the service, who alone can change that.',
  () => 'The organization is suspended. Ask the operator of the service.',
);

export const foreignOrigin = defineError(
  403,
  'foreign_origin',
  'The request changes something in the app, and its header `Origin` is missing or names another page than one of this service. Send the address of this service.',
  () => 'The header Origin is missing, or does not name a page of this service. Browsers send it themselves.',
);

export const organizationNotChosen = defineError(
  403,
  'organization_not_chosen',
  'The person is a member of several organizations, and has not chosen one yet. Choose one by `PUT /app/session`.',
  () => 'Choose an organization first: PUT /app/session.',
);

export const roleNotAllowed = defineError(
  403,
  'role_not_allowed',
  'The operation is for members of another role. Let one of them do it.',
  (role: string) => `The role ${role} may not do this.`,
);

export const noMembership = defineError(
  403,
  'no_membership',
  'Somebody has signed in who is a member of no organization, and was invited by none. Ask an admin for an invitation.',
  () => 'You are no member of any organization. Ask an admin to invite this email address.',
);

export const invitationNotYours = defineError(
  403,
  'invitation_not_yours',
  'Somebody has followed an invitation that is for another email address. Sign in with that address.',
  () => 'The invitation is for another email address. Sign in with the address that it was sent to.',
);

export const alreadyMember = defineError(
  409,
  'already_member',
  'The person is a member of the organization already, with another email address. Decline the invitation.',
  () => 'You are a member of this organization already. Decline the invitation.',
);

/** What exactly was wrong is in the log. */
export const signInFailed = defineError(
  400,
  'sign_in_failed',
  'The sign-in could not be completed: it took too long, was completed before, or began in another browser. Start again.',
  () => 'The sign-in could not be completed. Start again.',
);

export const ownerStays = defineError(
  409,
  'owner_stays',
  'The owner of an organization stays an active admin, so nobody can demote, suspend or remove the owner. Let the owner hand the organization over first.',
  () =>
    'This member is the owner of the organization. The owner first hands it over to another admin, in the app: POST /app/organization/handover.',
);

export const ownerIsHandedOver = defineError(
  403,
  'owner_is_handed_over',
  'The request changes `owner_user_id`. Leave it out: the owner hands the organization over in the app.',
  () =>
    'Nobody sets owner_user_id: the owner names an active admin in the app (POST /app/organization/handover), who then accepts.',
);

export const notTheOwner = defineError(
  403,
  'not_the_owner',
  'Only the owner of the organization may do this. Ask the owner.',
  () => 'Only the owner of the organization may hand it over.',
);

export const notTheNextOwner = defineError(
  403,
  'not_the_next_owner',
  'The owner has named another admin as the next owner. Leave the answer to that admin.',
  () => 'The owner has named another admin as the next owner. Only that admin can answer.',
);

export const handoverPending = defineError(
  409,
  'handover_pending',
  'The owner has already named an admin as the next owner, who has not answered yet. Withdraw that first.',
  () => 'An admin is named as the next owner already. Withdraw this first.',
);

export const ownsAlready = defineError(
  409,
  'owns_already',
  'The request names the owner as the next owner. Name another admin.',
  () => 'This admin is the owner of the organization already.',
);

export const memberIsKey = defineError(
  409,
  'member_is_key',
  'The member is the service identity of an API key. Revoke the key instead.',
  () => 'This member is the identity of an API key. Revoke the key instead.',
);

export const memberStatus = defineError(
  409,
  'member_status',
  'The member is in another status than the request needs. Fetch the member to see it.',
  (status: string, needed: string) => `The member is ${status}, not ${needed}.`,
);

/* Regions, locations and assets. */

export const regionTooDeep = defineError(
  409,
  'region_too_deep',
  'Regions would be nested more deeply than is allowed. Name a parent nearer to the top.',
  (most: number) => `Regions can be nested ${most} levels deep.`,
);

export const regionCycle = defineError(
  409,
  'region_cycle',
  'A region would be below itself. Name another parent.',
  () => 'A region cannot be below itself.',
);

export const assetTooDeep = defineError(
  409,
  'asset_too_deep',
  'Assets would be nested more deeply than is allowed. Name a parent nearer to the top.',
  (most: number) => `Assets can be nested ${most} levels deep.`,
);

export const assetDecommissioned = defineError(
  409,
  'asset_decommissioned',
  'The asset is decommissioned, so nothing new begins for it. Put it into service again first.',
  () => 'The asset is decommissioned.',
);

export const certificateStatus = defineError(
  409,
  'certificate_status',
  'The certificate is in a status that does not allow the request. Fetch it to see its status.',
  (status: string) => `The certificate is ${status}.`,
);

export const certificateUnfounded = defineError(
  409,
  'certificate_unfounded',
  'A certificate cannot be reinstated while its inspection does not count as passed: it was archived, or a correction lets it fail. Restore or correct the inspection.',
  () => 'The inspection of the certificate does not stand as passed.',
);

export const assetCycle = defineError(
  409,
  'asset_cycle',
  'An asset would be below itself. Name another parent.',
  () => 'An asset cannot be below itself.',
);

/** The most schedules that a text names; it counts the others. */
const MAX_NAMED_SCHEDULES = 10;

/** Schedules in a text: the first of them, and how many others there are. */
const namedSchedules = (schedules: readonly string[]): string => {
  const named = schedules.slice(0, MAX_NAMED_SCHEDULES);
  const others = schedules.length - named.length;
  const more = others > 0 ? ` and ${others} more` : '';
  return `${named.join(', ')}${more}`;
};

export const assetScheduled = defineError(
  409,
  'asset_scheduled',
  'Schedules name the asset, so it cannot be deleted. Take it out of them, or decommission it.',
  (schedules: readonly string[]) =>
    `Schedules name the asset: ${namedSchedules(schedules)}. Take it out of them, or decommission it.`,
);

export const otherClientAccount = defineError(
  400,
  'other_client_account',
  'The location belongs to another client account than the one that is named. Name two that belong together.',
  (field: string) => `${field} belongs to another client account.`,
);

export const locationTooDeep = defineError(
  409,
  'location_too_deep',
  'Locations would be nested more deeply than is allowed. Name a parent nearer to the top.',
  (most: number) => `Locations can be nested ${most} levels deep.`,
);

export const locationCycle = defineError(
  409,
  'location_cycle',
  'A location would be below itself. Name another parent.',
  () => 'A location cannot be below itself.',
);

export const locationOfClient = defineError(
  409,
  'location_of_client',
  'The location already belongs to the client account that it is to go to. Name another one.',
  () => 'The location belongs to this client account already.',
);

export const transferRunning = defineError(
  409,
  'transfer_running',
  'Another transfer of the organization has not ended yet. Try again when it has.',
  (id: string) => `The transfer ${id} is still running. Try again when it has ended.`,
);

export const transferBegun = defineError(
  409,
  'transfer_begun',
  'The transfer has begun, so it cannot be cancelled. Transfer the location back once it has ended.',
  (status: string) => `The transfer is ${status}, so it cannot be cancelled.`,
);

export const locationMerged = defineError(
  409,
  'location_merged',
  'A location that was merged into another one is neither deleted nor merged again. Use the other one, which `detail` names.',
  (id: string) => `The location was merged into ${id}. Use that one.`,
);

export const locationSynced = defineError(
  409,
  'location_synced',
  'The location comes from another system. Delete it there.',
  () => 'The location is synced from another system. Delete it there.',
);

export const locationScheduled = defineError(
  409,
  'location_scheduled',
  'Schedules name the location, so it cannot be deleted. Take it out of them, or delete it with `from_schedules=remove`.',
  (schedules: readonly string[]) =>
    `Schedules name the location: ${namedSchedules(schedules)}. Take it out of them, or delete it with \`from_schedules=remove\`.`,
);

export const locationInactive = defineError(
  409,
  'location_inactive',
  'The location is inactive, so no inspection is created there. Make it active, or send `allow_inactive` as true.',
  () => 'The location is inactive. Make it active, or send `allow_inactive: true`.',
);
