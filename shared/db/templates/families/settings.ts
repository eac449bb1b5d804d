import type { Caller } from '../../../base/caller.ts';
import { checkRights, settingChanges } from '../../../domain/settings.ts';
import { DEFAULT_SETTINGS, type FamilySettingsChanges } from '../../../schemas/templates/family.ts';
import { audit } from '../../table/audit.ts';
import type { StoredFamily } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { reference, resolve } from '../../table/references.ts';
import type { Write } from '../../table/writes.ts';

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
  caller: Caller,
  id: string,
  next: ReviewedFields,
  former?: ReviewedFields,
): Write[] => {
  const changes = settingChanges(settingsOf(former ?? NEW_FAMILY), settingsOf(next));
  checkRights(caller, changes);
  if (Object.keys(changes).length === 0) return [];
  return [audit(caller, former ? 'family.updated' : 'family.created', id, changes)];
};

/**
 * Checks that the members and the layout that a family's settings name exist. The layout must be the family's own.
 * @throws ApiError 400 naming each setting with a member or layout that does not exist
 */
export const checkSettings = async (
  caller: Caller,
  familyId: string,
  { notifications = {}, approval = {}, default_layout_id }: FamilySettingsChanges,
): Promise<void> => {
  const membersIn = (field: string, ids: readonly string[] = []) =>
    ids.flatMap((id) => reference(caller, `settings.${field}`, 'MEMBER', id));
  await resolve(caller, [
    ...Object.entries(notifications).flatMap(([occasion, audience]) =>
      membersIn(`notifications.${occasion}.user_ids`, audience?.user_ids),
    ),
    ...membersIn('approval.approver_ids', approval.approver_ids),
    ...(default_layout_id
      ? [{ field: 'settings.default_layout_id', key: keys.layout(caller, familyId, default_layout_id) }]
      : []),
  ]);
};
