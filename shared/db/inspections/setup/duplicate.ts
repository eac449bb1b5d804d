import { type Caller, isKey } from '../../../base/caller.ts';
import type { Inspection } from '../../../schemas/inspections/inspection.ts';
import { creation, inspectionRecords, toInspection } from '../../inspection-core/record.ts';
import { change } from '../../table/change.ts';
import type { StoredInspection } from '../../table/entities.ts';
import { familyRecords } from '../../templates/families/record.ts';
import { newInspection } from './new-inspection.ts';

/** The fields that a duplicate copies from its source. */
const copiedFields = (source: StoredInspection) => {
  const { template_family_id, template_id, content_hash, asked, name } = source;
  const { requires_approval, requires_sign_off, approval, sign_off, correction_mode } = source;
  const { client_account_id, location_id } = source;
  return {
    template_family_id,
    template_id,
    content_hash,
    asked,
    name,
    requires_approval,
    requires_sign_off,
    approval,
    sign_off,
    correction_mode,
    client_account_id,
    location_id,
  };
};

/**
 * The approval settings of a copy: those of its source. Whether keys may decide is what the family says now, because a
 * key could otherwise keep a right that was taken from it, in copies of old inspections.
 */
const approvalOfCopy = async (
  caller: Caller,
  { approval, template_family_id }: StoredInspection,
): Promise<StoredInspection['approval']> => {
  if (!approval.allow_api || !isKey(caller)) return approval;
  const family = await familyRecords.find(caller, template_family_id);
  return { ...approval, allow_api: family?.settings.approval.allow_api ?? false };
};

/** Copies the template version, client and location, but no participants. Emits no event. @throws ApiError 404 */
export const duplicate = (caller: Caller, id: string): Promise<Inspection> =>
  change(caller, async () => {
    const source = await inspectionRecords.get(caller, id);
    const inspection = await newInspection(caller, {
      ...copiedFields(source),
      approval: await approvalOfCopy(caller, source),
      source: 'duplicate',
    });
    return { writes: creation(caller, inspection), reply: toInspection(inspection) };
  });
