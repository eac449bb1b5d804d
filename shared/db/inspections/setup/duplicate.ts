import { type Caller, isKey } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { pick } from '../../../base/fields.ts';
import { fieldsFor } from '../../../schemas/inspections/fields.ts';
import type { Inspection } from '../../../schemas/inspections/inspection.ts';
import { creation, inspectionRecords, toInspection } from '../../inspection-core/record.ts';
import { change } from '../../table/change.ts';
import type { StoredFamily, StoredInspection } from '../../table/entities.ts';
import { familyRecords, statusOf } from '../../templates/families/record.ts';
import { newInspection } from './new-inspection.ts';

/**
 * The approval settings of a copy: those of its source. Whether keys may decide is what the family says now, because a
 * key could otherwise keep a right that was taken from it, in copies of old inspections.
 */
const approvalOfCopy = (
  caller: Caller,
  { approval }: StoredInspection,
  family: StoredFamily | undefined,
): StoredInspection['approval'] =>
  approval.allow_api && isKey(caller)
    ? { ...approval, allow_api: family?.settings.approval.allow_api ?? false }
    : approval;

/**
 * Copies the template version, client and location, but no participants. Emits no event.
 * @throws ApiError 404; 409 for an inspection whose template family is archived
 */
export const duplicate = (caller: Caller, id: string): Promise<Inspection> =>
  change(caller, async (work) => {
    const source = await inspectionRecords.get(work, id);
    const family = await familyRecords.find(work, source.template_family_id);
    if (family && statusOf(family) === 'archived') throw errors.familyStatus('archived');
    const inspection = await newInspection(work, {
      ...pick(source, fieldsFor('duplicate')),
      approval: approvalOfCopy(work, source, family),
      source: 'duplicate',
    });
    return { writes: creation(work, inspection), reply: toInspection(inspection, work.now) };
  });
