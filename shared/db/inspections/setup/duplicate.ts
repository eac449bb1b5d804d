import type { Caller } from '../../../base/caller.ts';
import type { Inspection } from '../../../schemas/inspections/inspection.ts';
import { creation, inspectionRecords, toInspection } from '../../inspection-core/record.ts';
import { change } from '../../table/change.ts';
import type { StoredInspection } from '../../table/entities.ts';
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

/** Copies the template version, client and location, but no participants. Emits no event. @throws ApiError 404 */
export const duplicate = (caller: Caller, id: string): Promise<Inspection> =>
  change(caller, async () => {
    const source = await inspectionRecords.get(caller, id);
    const inspection = await newInspection(caller, { ...copiedFields(source), source: 'duplicate' });
    return { writes: creation(caller, inspection), reply: toInspection(inspection) };
  });
