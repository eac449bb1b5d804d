import type { Caller } from '../../../base/caller.ts';
import type {
  Inspection,
  NewInspection,
  NewOwnInspection,
  Participant,
} from '../../../schemas/inspections/inspection.ts';
import {
  inspectionCreation,
  inspectionEvent,
  toInspection,
} from '../../inspection-core/inspection-record.ts';
import * as members from '../../members/members.ts';
import { change, type Work } from '../../table/change.ts';
import type { StoredInspection } from '../../table/entities.ts';
import { reference, resolve } from '../../table/references.ts';
import type { Write } from '../../table/writes.ts';
import { notices } from '../notices.ts';
import { fieldsOfFamily, initialFields, newInspection } from './new-inspection.ts';
import { expectNoPart, resolveSetup, setupReferences } from './participants.ts';
import { expectSameFamily, prefill } from './prefill.ts';
import { answerStartQuestions } from './start-answers.ts';

/** The events of a new inspection. */
export const creationEvents = (work: Work, inspection: StoredInspection): Write[] => [
  inspectionEvent(work, inspection, 'inspection.created'),
  ...(inspection.status === 'in_progress' ? [inspectionEvent(work, inspection, 'inspection.started')] : []),
];

/** What follows from how an inspection comes about, such as fields of one that is started at once. */
type OriginFields = (work: Work) => Promise<Partial<StoredInspection>>;

/**
 * A new inspection from a request, with its rows, its events and its notices.
 * @throws ApiError as `create`
 */
export const inspectionFrom = async (
  work: Work,
  request: Partial<NewInspection> & Omit<NewOwnInspection, 'prefill_from_inspection_id'>,
  originFields: OriginFields = async () => ({}),
): Promise<{ inspection: StoredInspection; writes: Write[] }> => {
  const { name, ...fields } = request;
  const [family, earlier, ...found] = await resolve(work, [
    reference(work, 'template_family_id', 'FAMILY', request.template_family_id),
    reference(work, 'prefill_from_inspection_id', 'INSPECTION', request.prefill_from_inspection_id),
    ...setupReferences(work, request),
  ]);
  if (earlier) expectSameFamily(earlier, family);
  const familyFields = fieldsOfFamily(family);
  const initial = { ...initialFields(), ...familyFields };
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
    // A deletion looks for the records that it has from the start.
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
  request: NewInspection | NewOwnInspection,
  originFields?: OriginFields,
): Promise<Inspection> =>
  change(caller, async (work) => {
    const { inspection, writes } = await inspectionFrom(work, request, originFields);
    return { writes, reply: toInspection(inspection, work.now) };
  });

/**
 * Creates a scheduled inspection of the family's published version, with the family's current settings.
 * @throws ApiError 400 for a resource that does not exist; 409 for a family that is not published, or an external_ref
 *   that is in use; 422 for start answers that the template does not accept
 */
export const create = (caller: Caller, request: NewInspection): Promise<Inspection> =>
  createFrom(caller, request);

/** The caller as a participant who has started. */
const startedParticipant = async (caller: Caller): Promise<Participant> => ({
  user_id: caller.user_id,
  name: (await members.get(caller, caller.user_id)).name,
  role: 'inspector',
  section_ids: [],
  status: 'started',
  submitted_at: null,
  reopened_at: null,
});

/**
 * Creates an inspection that the caller starts at once, as its only participant.
 * @throws ApiError as `create`
 */
export const createOwn = (caller: Caller, request: NewOwnInspection): Promise<Inspection> =>
  createFrom(caller, request, async (work) => ({
    source: 'self',
    status: 'in_progress',
    started_at: work.now,
    participants: [await startedParticipant(work)],
  }));
