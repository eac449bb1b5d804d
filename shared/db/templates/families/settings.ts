import type { Caller } from '../../../base/caller.ts';
import type { FamilySettingsChanges } from '../../../schemas/templates/family.ts';
import { keys } from '../../table/keys.ts';
import { reference, resolve } from '../../table/references.ts';

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
