import type { Work } from '../../table/change.ts';
import { newResource } from '../../table/collection.ts';
import type { StoredFamily, StoredInspection } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { nextNumber } from '../../table/single-write.ts';
import { initiableVersion } from '../../templates/families/record.ts';

/** The fields that every inspection starts with. */
export const INITIAL_FIELDS = {
  status: 'scheduled',
  active_correction_id: null,
  correction_stage: null,
  correction_revisions: 0,
  schedule_id: null,
  issue_id: null,
  prefill_from_inspection_id: null,
  reinspection_of_id: null,
  reinspection_scope: null,
  reinspections_count: 0,
  occurrence_date: null,
  scheduled_for: null,
  due_at: null,
  missed_after: null,
  started_at: null,
  submitted_at: null,
  approved_at: null,
  signed_off_at: null,
  completed_at: null,
  archived_at: null,
  archived_from: null,
  participants: [],
  approver_id: null,
  approval_outcome: null,
  comment: null,
  signatures: [],
  start_answers: {},
  score: null,
  findings_count: 0,
  open_corrective_actions_count: 0,
  external_ref: null,
  answered: 0,
  answers_revision: 0,
  findings_revision: 0,
  parts_revision: 0,
} as const satisfies Partial<StoredInspection>;

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
    approval: settings.approval,
    sign_off: settings.sign_off,
    correction_mode: settings.correction_mode,
  };
};

type RequiredFields = ReturnType<typeof fieldsOfFamily> &
  Pick<StoredInspection, 'client_account_id' | 'location_id' | 'name' | 'source'>;

/** A new inspection with a number of its own. */
export const numberedInspection = (
  work: Work,
  number: number,
  fields: RequiredFields & Pick<StoredInspection, 'created_by'> & Partial<StoredInspection>,
): StoredInspection => newResource(work, { ...INITIAL_FIELDS, ...fields.asked, ...fields, number });

/** A new inspection with the organization's next number. */
export const newInspection = async (
  work: Work,
  fields: RequiredFields & Partial<StoredInspection>,
): Promise<StoredInspection> =>
  numberedInspection(work, await nextNumber(work, keys.sequence(work, 'INSPECTION')), {
    ...fields,
    created_by: work.user_id,
  });
