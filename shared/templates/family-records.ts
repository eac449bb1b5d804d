import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { checkRights, settingChanges } from '../domain/settings.ts';
import { expectAble } from '../organizations/members/members.ts';
import { present, type Presented } from '../schemas/projection.ts';
import { DEFAULT_SETTINGS, Family, type FamilySettingsChanges } from '../schemas/templates/family.ts';
import { audit } from '../table/audit.ts';
import type { Work } from '../table/change.ts';
import { collection } from '../table/collection.ts';
import type { CurrentVersion, StoredFamily } from '../table/entities/inspections.ts';
import type { StoredMember } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import { emit } from '../table/outbox/outbox.ts';
import { escalationReferences, reference, resolve } from '../table/references.ts';
import type { Write } from '../table/writes.ts';

export const familyRecords = collection('FAMILY', 'template family');

export const statusOf = ({ archived_at, current }: StoredFamily): Family['status'] => {
  if (archived_at !== null) return 'archived';
  return current ? 'published' : 'draft';
};

/** A family as it is sent to clients. */
export const toFamily = (family: StoredFamily): Presented<Family> =>
  present(Family, family, {
    status: statusOf(family),
    current_version_id: family.current?.template_id ?? null,
  });

/** The event of a change of a family. */
export const familyEvent = (
  work: Work,
  what: 'created' | 'updated' | 'deleted',
  family: StoredFamily,
): Write => emit(work, `template.${what}`, toFamily(family));

/**
 * The version that a new inspection of the family uses.
 * @throws ApiError 409 unless the family is published and not archived
 */
export const initiableVersion = (family: StoredFamily): CurrentVersion => {
  const { current } = family;
  const status = statusOf(family);
  if (status !== 'published' || !current) throw errors.familyStatus(status, 'published');
  return current;
};

const settingsOf = ({ requires_approval, requires_sign_off, settings }: ReviewedFields) => ({
  requires_approval,
  requires_sign_off,
  settings,
});

type ReviewedFields = Pick<StoredFamily, 'requires_approval' | 'requires_sign_off' | 'settings'>;

const NEW_FAMILY: ReviewedFields = {
  requires_approval: false,
  requires_sign_off: false,
  settings: DEFAULT_SETTINGS,
};

/**
 * Records a change of a family's settings.
 * @param former the family before the change; left out for a new one, whose settings are compared with the defaults
 * @returns the audit record, if a setting changes
 * @throws ApiError 403 for a key that changes a setting which grants rights
 */
export const reviewSettings = (
  work: Work,
  id: string,
  next: ReviewedFields,
  former?: ReviewedFields,
): Write[] => {
  const changes = settingChanges(settingsOf(former ?? NEW_FAMILY), settingsOf(next));
  checkRights(work, changes);
  if (Object.keys(changes).length === 0) return [];
  return [audit(work, former ? 'family.updated' : 'family.created', id, changes)];
};

const hasApproval = ({ requires_approval, settings }: ReviewedFields): boolean =>
  requires_approval || settings.correction_mode !== 'reapprove';

/**
 * Checks that corrections need an approval only if inspections do. Otherwise nobody would be asked to approve them.
 * @param former the family before the change; left out for a new one
 * @throws ApiError 422 at the field that the request has changed
 */
export const checkCorrectionMode = (next: ReviewedFields, former: ReviewedFields = NEW_FAMILY): void => {
  const isOtherMode = next.settings.correction_mode !== former.settings.correction_mode;
  if (hasApproval(next) || (!isOtherMode && !hasApproval(former))) return;
  throw errors.validationFailed([
    {
      loc: ['body', ...(isOtherMode ? ['settings', 'correction_mode'] : ['requires_approval'])],
      type: 'value_error',
      msg: 'Value error, the correction_mode reapprove needs requires_approval',
    },
  ]);
};

/**
 * Checks that the members and the layout that a family's settings name exist. The layout must be the family's own, and
 * new approvers must be able to approve.
 * @param formerApproverIds the approvers before the change; left out for a new family
 * @throws ApiError 400 naming a setting with a member or layout that does not exist, or with a member who cannot
 *   approve
 */
export const checkSettings = async (
  caller: Caller,
  familyId: string,
  { notifications = {}, approval = {}, escalation = [], default_layout_id }: FamilySettingsChanges,
  formerApproverIds: readonly string[] = [],
): Promise<void> => {
  const membersIn = (field: string, ids: readonly string[] = []) =>
    ids.flatMap((id) => reference(caller, `settings.${field}`, 'MEMBER', id));
  const approvers = membersIn('approval.approver_ids', approval.approver_ids);
  const found = await resolve(caller, [
    ...approvers,
    ...Object.entries(notifications).flatMap(([occasion, audience]) =>
      membersIn(`notifications.${occasion}.user_ids`, audience?.user_ids),
    ),
    ...escalationReferences(caller, 'settings.escalation', escalation),
    ...(default_layout_id
      ? [{ field: 'settings.default_layout_id', key: keys.layout(caller, familyId, default_layout_id) }]
      : []),
  ]);
  // `resolve` keeps the order, so these are the approvers' rows.
  const members = found.slice(0, approvers.length) as StoredMember[];
  for (const member of members) {
    if (formerApproverIds.includes(member.user_id)) continue;
    expectAble('settings.approval.approver_ids', member, 'approve');
  }
};
