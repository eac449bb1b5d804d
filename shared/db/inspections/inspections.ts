import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import { conflict, forbidden } from '../../base/errors.ts';
import { merge } from '../../base/merge.ts';
import { acceptsAnswers, isOpen as isOpenStatus, lockedMessage } from '../../domain/inspections/workflow.ts';
import type {
  Advance,
  Inspection,
  InspectionChanges,
  NewInspection,
  NewOwnInspection,
  OwnInspectionChanges,
  Participant,
} from '../../schemas/inspections/inspection.ts';
import {
  creation,
  rows,
  type StoredInspection,
  toInspection,
  transition,
} from '../inspection-core/record.ts';
import { revisionWrites } from '../inspection-core/revisions.ts';
import * as members from '../members/members.ts';
import { change } from '../table/change.ts';
import { expectVersion, newResource, nextVersion } from '../table/collection.ts';
import { keys } from '../table/keys.ts';
import { emit } from '../table/outbox.ts';
import { reference, resolve } from '../table/references.ts';
import { nextNumber, type Row, withoutKeys } from '../table/rows.ts';
import * as families from '../templates/families.ts';
import type { StoredFamily } from '../templates/families.ts';
import { notices } from './notices.ts';
import { answersToStart, arrange, setupReferences } from './setup.ts';
import { advanced, type Edit, reopened, started, step } from './steps.ts';

const { noun } = rows;

/** What every inspection begins with: nothing done, nobody assigned, no link to where it came from. */
const BLANK = {
  status: 'scheduled',
  active_correction_id: null,
  correction_stage: null,
  correction_revisions: 0,
  schedule_id: null,
  occurrence_date: null,
  scheduled_for: null,
  due_at: null,
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

/** What a new inspection keeps of its template family, whatever becomes of that. @throws ApiError 409 */
const pinned = (family: StoredFamily) => {
  const { template_id, content_hash, total, required } = families.initiable(family);
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

type Pinned = ReturnType<typeof pinned> & Pick<StoredInspection, 'client_account_id' | 'location_id'>;

/** What a duplicate shares with its source. */
const setupOf = (source: StoredInspection) => {
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

const newInspection = async (
  caller: Caller,
  fields: Pinned & Pick<StoredInspection, 'name' | 'source'> & Partial<StoredInspection>,
): Promise<StoredInspection> =>
  newResource({
    ...BLANK,
    ...fields.asked,
    ...fields,
    number: await nextNumber(caller, keys.sequence(caller, 'INSPECTION')),
    created_by: caller.user_id,
  });

/**
 * One change of an inspection: read, decided and written, again if another writer was faster.
 * @param replyOf what the operation answers, of the inspection as it is then
 * @throws ApiError 404
 */
export const editing = <Reply>(
  caller: Caller,
  id: string,
  decide: (current: StoredInspection) => Promise<Edit> | Edit,
  replyOf: (inspection: StoredInspection) => Reply,
): Promise<Reply> =>
  change(caller, async () => {
    const current = withoutKeys<StoredInspection>(await rows.get(caller, id));
    const { fields, writes = [], withAnswers } = await decide(current);
    if (writes.length === 0 && isDeepStrictEqual({ ...current, ...fields }, current)) {
      return { writes: [], reply: replyOf(current) };
    }
    const next = nextVersion(current, fields);
    return {
      writes: [
        ...transition(caller, current, next, { withAnswers }),
        ...writes,
        ...(await notices(caller, current, next)),
      ],
      reply: replyOf(next),
    };
  });

const edit = (
  caller: Caller,
  id: string,
  decide: (current: StoredInspection) => Promise<Edit> | Edit,
): Promise<Inspection> => editing(caller, id, decide, toInspection);

/** The caller as the only participant, at work. */
const alone = async (caller: Caller): Promise<Participant> => ({
  user_id: caller.user_id,
  name: (await members.get(caller, caller.user_id)).name,
  role: 'inspector',
  section_ids: [],
  status: 'started',
  submitted_at: null,
  reopened_at: null,
});

/** A new inspection as a request sets it up, and as it begins. */
const setUp = (
  caller: Caller,
  request: Partial<NewInspection> & NewOwnInspection,
  begun: () => Promise<Partial<StoredInspection>> = async () => ({}),
): Promise<Inspection> =>
  change(caller, async () => {
    const { name, ...fields } = request;
    const found = await resolve(caller, [
      ...reference(caller, 'template_family_id', 'FAMILY', request.template_family_id),
      ...setupReferences(caller, request),
    ]);
    const family = found.get('template_family_id') as Row<StoredFamily>;
    const agreed = pinned(family);
    const standing = { ...BLANK, ...agreed, client_account_id: null, location_id: null };
    const arranged = await arrange(caller, request, standing, found);
    const start = await answersToStart(caller, request, standing);
    const inspection = await newInspection(caller, {
      ...agreed,
      ...fields,
      ...arranged,
      ...start.fields,
      name: name ?? family.name,
      source: 'api',
      ...(await begun()),
    });
    const { id, status } = inspection;
    const told = { inspection_id: id, status };
    return {
      writes: [
        ...creation(caller, inspection),
        emit(caller, 'inspection.created', told),
        ...(status === 'in_progress' ? [emit(caller, 'inspection.started', told)] : []),
        ...(await notices(caller, undefined, inspection)),
      ],
      reply: toInspection(inspection),
    };
  });

/** What a correction changes of the start answers, key by key. */
const startRevisions = (before: StoredInspection, after: StoredInspection) => {
  const [was, is] = [before.start_answers, after.start_answers];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((key) => !isDeepStrictEqual(was[key], is[key]))
    .map((key) => ({
      revision: {
        answer_source: 'start' as const,
        field_id: key,
        section_id: null,
        instance_index: 0,
        instance_path: '',
        previous_value: was[key] ?? null,
        value: is[key] ?? null,
        previous_note: '',
        note: '',
        previous_is_na: false,
        is_na: false,
        version: before.version + 1,
      },
      before: was[key],
    }));
};

/** @throws ApiError as `update`, and what `check` throws */
const amend = (
  caller: Caller,
  id: string,
  changes: InspectionChanges,
  expectedVersion: number | undefined,
  check: (current: StoredInspection) => void = () => {},
): Promise<Inspection> =>
  edit(caller, id, async (current) => {
    check(current);
    const found = await resolve(caller, setupReferences(caller, changes, current));
    const arranged = await arrange(caller, changes, current, found);
    expectVersion(noun, current, expectedVersion);
    const isCorrection = !isOpenStatus(current.status);
    const { start_answers: _, ...rest } = changes;
    const isAccepted = acceptsAnswers(current) && (!isCorrection || Object.keys(rest).length === 0);
    if (Object.keys(changes).length > 0 && !isAccepted) throw conflict(lockedMessage(current.status));
    const begun = await answersToStart(caller, changes, current, id);
    const next = { ...merge<object>(current, changes), ...arranged, ...begun.fields };
    if (!isCorrection) return { fields: next, writes: begun.writes };
    const revisions = startRevisions(current, { ...current, ...next });
    return {
      fields: { ...next, correction_revisions: current.correction_revisions + revisions.length },
      writes: [...begun.writes, ...revisionWrites(caller, current, revisions)],
      withAnswers: true,
    };
  });

export { deleteInspection as remove, deleteWhole } from './deletion.ts';
export { listAssigned, listInspections as list, summarizeInspections as summary } from './lists.ts';

export const key = rows.key;

export const find = rows.find;

export const get = rows.get;

/** @throws ApiError 404 */
export const show = async (caller: Caller, id: string): Promise<Inspection> =>
  toInspection(withoutKeys(await rows.get(caller, id)));

/**
 * A scheduled inspection of the family's published version, with the demands that the family makes now.
 * @throws ApiError 400 for what the organization does not have; 409 for a family that is not published, or a
 *   taken external_ref; 422 for start answers the template does not accept
 */
export const create = (caller: Caller, request: NewInspection): Promise<Inspection> => setUp(caller, request);

/**
 * An inspection that the caller begins at once, as its only participant.
 * @throws ApiError as `create`
 */
export const createOwn = (caller: Caller, request: NewOwnInspection): Promise<Inspection> =>
  setUp(caller, request, async () => {
    const at = new Date().toISOString();
    return {
      source: 'self',
      status: 'in_progress',
      started_at: at,
      participants: [await alone(caller)],
    };
  });

/** @throws ApiError 404; 400 for what the organization does not have; 409 for another version or while locked */
export const update = (
  caller: Caller,
  id: string,
  changes: InspectionChanges,
  expectedVersion?: number,
): Promise<Inspection> => amend(caller, id, changes, expectedVersion);

/** The same of an inspection that the caller has created for itself. @throws ApiError as `update`; 403 for another */
export const updateOwn = (
  caller: Caller,
  id: string,
  changes: OwnInspectionChanges,
  expectedVersion?: number,
): Promise<Inspection> =>
  amend(caller, id, changes, expectedVersion, ({ source, created_by }) => {
    if (source !== 'self' || created_by !== caller.user_id) {
      throw forbidden('only whoever created an inspection for themselves may change it here');
    }
  });

/**
 * Opens the caller's submitted part again. It contends with the last part's submission on the inspection's row,
 * so that a completed inspection never has an open part.
 * @throws ApiError 404; 409 unless it is in progress and the part submitted
 */
export const reopenPart = (caller: Caller, id: string): Promise<null> =>
  editing(
    caller,
    id,
    (current) => reopened(caller, current),
    () => null,
  );

/** @throws ApiError 404; 409 unless it is scheduled */
export const start = (caller: Caller, id: string, expectedVersion?: number): Promise<Inspection> =>
  edit(caller, id, (current) => {
    expectVersion(noun, current, expectedVersion);
    return started(caller, current);
  });

/**
 * One step on: the one asked for, or the one forward.
 * @throws ApiError 404; 403 for a decision that is not the caller's to take; 409 for a step that is not open,
 *   leads elsewhere than `to`, or is blocked by what is missing
 */
export const advance = (
  caller: Caller,
  id: string,
  request: Advance,
  expectedVersion?: number,
): Promise<Inspection> =>
  edit(caller, id, async (current) => {
    expectVersion(noun, current, expectedVersion);
    const made = await advanced(caller, current, request);
    const reached = made.fields.status ?? current.status;
    if (request.to !== undefined && request.to !== reached) {
      throw conflict(`${noun} is ${current.status}, and this step leads to ${reached}`);
    }
    return { ...made, fields: { ...made.fields, comment: request.comment ?? null } };
  });

/** @throws ApiError 404; 409 when it is archived already */
export const archive = (caller: Caller, id: string, expectedVersion?: number): Promise<Inspection> =>
  edit(caller, id, (current) => {
    expectVersion(noun, current, expectedVersion);
    if (current.active_correction_id) {
      throw conflict(`${noun} is ${current.status} and being corrected; close or discard the correction`);
    }
    return step(caller, 'archive', current);
  });

/** Back to the status it was archived from. @throws ApiError 404; 409 unless it is archived */
export const restore = (caller: Caller, id: string, expectedVersion?: number): Promise<Inspection> =>
  edit(caller, id, (current) => {
    expectVersion(noun, current, expectedVersion);
    // What was rejected awaits a decision again.
    const isUndone = current.approval_outcome === 'rejected';
    return step(caller, 'restore', current, isUndone ? { approval_outcome: null } : {});
  });

/** Its setup anew: same snapshot, client and location, nobody assigned. No event tells of it. @throws ApiError 404 */
export const duplicate = (caller: Caller, id: string): Promise<Inspection> =>
  change(caller, async () => {
    const source = await rows.get(caller, id);
    const inspection = await newInspection(caller, { ...setupOf(source), source: 'duplicate' });
    return { writes: creation(caller, inspection), reply: toInspection(inspection) };
  });
