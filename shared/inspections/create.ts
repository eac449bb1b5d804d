import { type Caller, isKey } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { namesWith, pick } from '../base/fields.ts';
import { assignedParticipant } from '../domain/inspections/workflow.ts';
import * as members from '../organizations/members/members.ts';
import { atAsset } from '../places/assets/records.ts';
import { isActive } from '../places/locations/records.ts';
import { fieldsFor } from '../schemas/inspections/fields.ts';
import {
  type Inspection,
  NewInspection,
  type NewOwnInspection,
  type Participant,
} from '../schemas/inspections/inspection.ts';
import { initialValues } from '../schemas/resource.ts';
import { DEFAULT_SETTINGS, type FamilySettings } from '../schemas/templates/family.ts';
import { change, type Work } from '../table/change.ts';
import { newResource } from '../table/collection.ts';
import type { StoredFamily, StoredInspection } from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { reference, resolve } from '../table/references.ts';
import { nextNumber } from '../table/single-write.ts';
import type { Write } from '../table/writes.ts';
import { familyRecords, initiableVersion, statusOf } from '../templates/family-records.ts';
import { notices } from './edit.ts';
import {
  inspectionCreation,
  inspectionEvent,
  inspectionRecords,
  toInspection,
} from './rows/inspection-records.ts';
import { expectNoPart, resolveSetup, setupReferences } from './setup.ts';
import { answerStartQuestions } from './start-answers.ts';
import { expectSameFamily, prefill } from './taken-answers.ts';

/** The initial values of fields that no request gives. */
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
  archive_reason: null,
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

/** The initial values of a new inspection. */
export const initialFields = () => ({ ...initialValues(NewInspection), participants: [], ...INITIAL_STATE });

/** Whether an inspection keeps a setting of its family as it was when the inspection was created. */
const IS_AGREED = {
  approval: true,
  sign_off: true,
  correction_mode: true,
  self_assign: true,
  repeat_window: true,
  repeat_factor: true,
  escalation: false,
  notifications: false,
  default_layout_id: false,
} satisfies Record<keyof FamilySettings, boolean>;

/**
 * The fields that a new inspection copies from its template family.
 * @throws ApiError 409 unless the family is published
 */
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

/** The events of a new inspection. */
export const creationEvents = (work: Work, inspection: StoredInspection): Write[] => [
  inspectionEvent(work, inspection, 'inspection.created'),
  ...(inspection.status === 'in_progress' ? [inspectionEvent(work, inspection, 'inspection.started')] : []),
];

/** Fields that depend on how an inspection is created, such as those of one that is started at once. */
type OriginFields = (work: Work) => Promise<Partial<StoredInspection>>;

/**
 * A new inspection from a request, with its rows, its events and its notices.
 * @throws ApiError as `create`
 */
export const inspectionFrom = async (
  work: Work,
  given: Partial<NewInspection> & Omit<NewOwnInspection, 'prefill_from_inspection_id'>,
  originFields: OriginFields = async () => ({}),
): Promise<{ inspection: StoredInspection; writes: Write[] }> => {
  const { location_id } = await atAsset(work, given);
  const request = { ...given, location_id };
  const { name, allow_inactive: isInactiveAllowed, ...fields } = request;
  const [family, earlier, , ...found] = await resolve(work, [
    reference(work, 'template_family_id', 'FAMILY', request.template_family_id),
    reference(work, 'prefill_from_inspection_id', 'INSPECTION', request.prefill_from_inspection_id),
    reference(work, 'asset_id', 'ASSET', request.asset_id),
    ...setupReferences(work, request),
  ]);
  if (earlier) expectSameFamily(earlier, family);
  const familyFields = fieldsOfFamily(family);
  const initial = { ...initialFields(), ...familyFields };
  const [, location] = found;
  if (location && !isActive(location) && !isInactiveAllowed) throw errors.locationInactive();
  const setup = await resolveSetup(work, request, initial, found);
  const origin = await originFields(work);
  expectNoPart(request, { approver_id: null, participants: origin.participants ?? setup.participants });
  const start = await answerStartQuestions(work, request, initial);
  const inspection = await newInspection(work, {
    ...familyFields,
    ...fields,
    ...setup,
    ...start.fields,
    name: name ?? family.name,
    source: 'api',
    // With this, a deletion looks for the records that the inspection has from the start.
    ...(earlier && { answers_revision: 1 }),
    ...origin,
  });
  const writes = [
    ...inspectionCreation(work, inspection),
    ...creationEvents(work, inspection),
    ...(await notices(work, undefined, inspection)),
  ];
  return {
    inspection,
    writes: earlier ? await prefill(work, earlier, inspection, writes) : writes,
  };
};

const createFrom = (
  caller: Caller,
  request: Partial<NewInspection> & NewOwnInspection,
  originFields?: OriginFields,
): Promise<Inspection> =>
  change(caller, async (work) => {
    const { inspection, writes } = await inspectionFrom(work, request, originFields);
    return { writes, reply: toInspection(inspection, work.now) };
  });

/**
 * Creates a scheduled inspection of the family's published version, with the family's current settings.
 * @throws ApiError 400 for a resource that does not exist; 409 for a family that is not published, an inactive location
 *   that the request does not allow, or an external_ref that is in use; 422 for start answers that the template does not accept
 */
export const create = (caller: Caller, request: NewInspection): Promise<Inspection> =>
  createFrom(caller, request);

/** The caller as a participant who has started. */
const startedParticipant = async (caller: Caller): Promise<Participant> => ({
  ...assignedParticipant(caller.user_id, (await members.get(caller, caller.user_id)).name),
  status: 'started',
});

/**
 * Creates an inspection that the caller starts at once, as its only participant.
 * @throws ApiError as `create`
 */
export const createOwn = (caller: Caller, request: NewOwnInspection): Promise<Inspection> =>
  // Who carries it out is there.
  createFrom(caller, { ...request, allow_inactive: true }, async (work) => ({
    source: 'self',
    status: 'in_progress',
    started_at: work.now,
    participants: [await startedParticipant(work)],
  }));

/**
 * The approval settings of a copy: those of its source. But a copy that a key makes allows no more than the family does.
 * Otherwise the key could keep a right that was taken from it, in copies of old inspections.
 */
const approvalOfCopy = (
  caller: Caller,
  { approval }: StoredInspection,
  family: StoredFamily | undefined,
): StoredInspection['approval'] => {
  if (!isKey(caller)) return approval;
  const { allow_api, four_eyes, signed_in_only } = (family?.settings ?? DEFAULT_SETTINGS).approval;
  return {
    ...approval,
    allow_api: approval.allow_api && allow_api,
    four_eyes: approval.four_eyes || four_eyes,
    signed_in_only: approval.signed_in_only || signed_in_only,
  };
};

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
    return {
      writes: [
        ...inspectionCreation(work, inspection),
        inspectionEvent(work, inspection, 'inspection.duplicated'),
      ],
      reply: toInspection(inspection, work.now),
    };
  });
