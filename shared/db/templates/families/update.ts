import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { merge } from '../../../base/fields.ts';
import type { Family, FamilyChanges } from '../../../schemas/templates/family.ts';
import type { Work } from '../../table/change.ts';
import { type Edit, editRow, expectVersion } from '../../table/collection.ts';
import type { StoredFamily } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import * as write from '../../table/writes.ts';
import { familyRecords, statusOf, toFamily, familyEvent } from './record.ts';
import { checkCorrectionMode, checkSettings, reviewSettings } from './settings.ts';

const { noun } = familyRecords;

/** @throws ApiError 404; what `decide` throws */
const edit = (
  caller: Caller,
  id: string,
  decide: (current: StoredFamily, work: Work) => Promise<Edit<StoredFamily>> | Edit<StoredFamily>,
): Promise<Family> =>
  editRow({
    caller,
    noun,
    key: familyRecords.key(caller, id),
    decide,
    event: (family, work) => familyEvent(work, 'updated', family),
    present: toFamily,
  });

/**
 * @throws ApiError 404; 403 for a key that changes a setting which grants rights; 400 for a setting with a member or
 *   layout that does not exist, or an approver who cannot approve; 409 for another version; 422 for a correction mode
 *   that needs an approval
 */
export const update = (
  caller: Caller,
  id: string,
  changes: FamilyChanges,
  expectedVersion?: number,
): Promise<Family> =>
  edit(caller, id, async (current, work) => {
    const next = merge(current, changes);
    const review = reviewSettings(work, id, next, current);
    await checkSettings(work, id, changes.settings ?? {}, current.settings.approval.approver_ids);
    expectVersion(noun, current, expectedVersion);
    checkCorrectionMode(next, current);
    const { default_layout_id } = next.settings;
    const isOtherLayout = default_layout_id !== current.settings.default_layout_id;
    return {
      next,
      writes: [
        ...review,
        // The layout may have been deleted since the settings were checked.
        ...(default_layout_id && isOtherLayout
          ? [write.check(keys.layout(work, id, default_layout_id))]
          : []),
      ],
    };
  });

/** @throws ApiError 404; 409 for another version, or when the family is archived already */
export const archive = (caller: Caller, id: string, expectedVersion?: number): Promise<Family> =>
  edit(caller, id, (current, work) => {
    expectVersion(noun, current, expectedVersion);
    if (current.archived_at !== null) throw errors.familyStatus('archived');
    return { next: { ...current, archived_at: work.now } };
  });

/** @throws ApiError 404; 409 for another version, or unless the family is archived */
export const restore = (caller: Caller, id: string, expectedVersion?: number): Promise<Family> =>
  edit(caller, id, (current) => {
    expectVersion(noun, current, expectedVersion);
    const status = statusOf(current);
    if (status !== 'archived') throw errors.familyStatus(status, 'archived');
    return { next: { ...current, archived_at: null } };
  });
