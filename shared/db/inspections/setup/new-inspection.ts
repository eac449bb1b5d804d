import { namesWith, pick } from '../../../base/fields.ts';
import { NewInspection } from '../../../schemas/inspections/inspection.ts';
import { initialValues } from '../../../schemas/resource.ts';
import type { FamilySettings } from '../../../schemas/templates/family.ts';
import type { Work } from '../../table/change.ts';
import { newResource } from '../../table/collection.ts';
import type { StoredFamily, StoredInspection } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { nextNumber } from '../../table/single-write.ts';
import { initiableVersion } from '../../templates/families/record.ts';

/** The fields that no request gives, as every inspection starts with them. */
const INITIAL_STATE = {
  status: 'scheduled',
  active_correction_id: null,
  correction_stage: null,
  correction_revisions: 0,
  schedule_id: null,
  issue_id: null,
  reinspection_of_id: null,
  reinspection_scope: null,
  reinspections_count: 0,
  occurrence_date: null,
  missed_after: null,
  started_at: null,
  submitted_at: null,
  approved_at: null,
  signed_off_at: null,
  completed_at: null,
  archived_at: null,
  archived_from: null,
  approval_outcome: null,
  comment: null,
  signatures: [],
  score: null,
  findings_count: 0,
  open_corrective_actions_count: 0,
  answered: 0,
  answers_revision: 0,
  findings_revision: 0,
  parts_revision: 0,
} as const satisfies Partial<StoredInspection>;

/** What a new inspection starts with, unless something else is said. */
export const initialFields = () => ({ ...initialValues(NewInspection), participants: [], ...INITIAL_STATE });

/** Whether an inspection keeps a setting of its family as it was when the inspection was created. */
const IS_AGREED = {
  approval: true,
  sign_off: true,
  correction_mode: true,
  notifications: false,
  default_layout_id: false,
} satisfies Record<keyof FamilySettings, boolean>;

/** What a new inspection copies from its template family. @throws ApiError 409 unless the family is published */
export const fieldsOfFamily = (family: StoredFamily) => {
  const { template_id, content_hash, total, required } = initiableVersion(family);
  const { requires_approval, requires_sign_off, settings } = family;
  return {
    template_family_id: family.id,
    template_id,
    content_hash,
    asked: { total, required },
    requires_approval,
    requires_sign_off,
    ...pick(settings, namesWith(IS_AGREED, true)),
  };
};

type RequiredFields = ReturnType<typeof fieldsOfFamily> &
  Pick<StoredInspection, 'client_account_id' | 'location_id' | 'name' | 'source'>;

/** A new inspection with a number of its own. */
export const numberedInspection = (
  work: Work,
  number: number,
  fields: RequiredFields & Pick<StoredInspection, 'created_by'> & Partial<StoredInspection>,
): StoredInspection => newResource(work, { ...initialFields(), ...fields.asked, ...fields, number });

/** A new inspection with the organization's next number. */
export const newInspection = async (
  work: Work,
  fields: RequiredFields & Partial<StoredInspection>,
): Promise<StoredInspection> =>
  numberedInspection(work, await nextNumber(work, keys.sequence(work, 'INSPECTION')), {
    ...fields,
    created_by: work.user_id,
  });
