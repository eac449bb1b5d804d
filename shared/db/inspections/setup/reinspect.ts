import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { merge, pick } from '../../../base/fields.ts';
import { hasLogic } from '../../../domain/content/conditions/dependencies.ts';
import { evaluate } from '../../../domain/content/conditions/evaluate.ts';
import type { ContentIndex } from '../../../domain/content/content-index.ts';
import { progressOf } from '../../../domain/content/progress.ts';
import { answerStart } from '../../../domain/content/start.ts';
import { hasPart } from '../../../domain/inspections/workflow.ts';
import { dutyOf, isAble, mayKeysDecide } from '../../../domain/members.ts';
import { fieldsFor } from '../../../schemas/inspections/fields.ts';
import type { Inspection, NewReinspection, Participant } from '../../../schemas/inspections/inspection.ts';
import { activityWrites } from '../../inspection-core/activity.ts';
import { answerStateWrite } from '../../inspection-core/answer-state.ts';
import { addToCounters } from '../../inspection-core/parts.ts';
import { creation, inspectionRecords, toInspection } from '../../inspection-core/record.ts';
import { change } from '../../table/change.ts';
import { hasValues } from '../../table/conditions.ts';
import type { StoredAnswer, StoredFamily, StoredInspection } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { resolve } from '../../table/references.ts';
import { getRows, type Row, withoutKeys } from '../../table/rows.ts';
import { contentOf } from '../../templates/content.ts';
import { familyRecords } from '../../templates/families/record.ts';
import { notices } from '../notices.ts';
import { carriedRecords } from './carried-records.ts';
import { creationEvents } from './create.ts';
import { fieldsOfFamily, initialFields, newInspection } from './new-inspection.ts';
import { resolveSetup, setupReferences } from './participants.ts';
import { answerStartQuestions } from './start-answers.ts';
import { saveTaken } from './taken-records.ts';

/** @throws ApiError 409 unless it is completed, and without a correction that is open or awaits approval */
const expectReinspectable = ({ status, active_correction_id }: StoredInspection): void => {
  if (status !== 'completed') throw errors.inspectionStatus(status, 'not completed');
  if (active_correction_id) throw errors.beingCorrected(status);
};

/** The setup that a re-inspection has unless the request says otherwise: who of the first one can still do the same. */
const defaultSetup = async (
  caller: Caller,
  first: StoredInspection,
  { requires_approval, settings }: StoredFamily,
  { participants = [] }: NewReinspection,
): Promise<Pick<StoredInspection, 'participants' | 'approver_id'>> => {
  const approver = first.approver_id && { user_id: first.approver_id, role: 'approver' as const };
  const candidates = [...first.participants, ...(approver ? [approver] : [])];
  const members = await getRows(
    caller,
    candidates.map(({ user_id }) => keys.one(caller, 'MEMBER', user_id)),
  );
  const isForKeys = mayKeysDecide({ requires_approval, approval: settings.approval });
  const able = new Set(
    candidates.filter((each, position) => isAble(dutyOf(each), members[position], isForKeys)),
  );
  const isBusy = participants.some((each) => each.user_id === first.approver_id && hasPart(each));
  return {
    approver_id: approver && able.has(approver) && !isBusy ? approver.user_id : null,
    participants: first.participants
      .filter((each) => able.has(each))
      .map((each): Participant => ({
        ...each,
        status: 'assigned',
        submitted_at: null,
        reopened_at: null,
      })),
  };
};

/** Participants whose parts are sections of a content. */
const withSectionsOf = (index: ContentIndex, participants: readonly Participant[]): Participant[] =>
  participants.map(({ section_ids, ...participant }) => ({
    ...participant,
    section_ids: section_ids.filter((id) => index.sections.has(id)),
  }));

/** Those of the start answers that a content takes. */
const startAnswersFor = (
  index: ContentIndex,
  answers: StoredInspection['start_answers'],
): StoredInspection['start_answers'] =>
  Object.fromEntries(
    Object.entries(answers).filter(
      ([key, value]) => !Array.isArray(answerStart(index, {}, { [key]: value })),
    ),
  );

/**
 * Creates an inspection that inspects a completed one again. Several re-inspections of one inspection can run at the same
 * time: a finding is resolved by the first one that passes.
 * @throws ApiError 404; 400 for a member who cannot do what is asked of them; 409 unless the inspection is completed and
 *   not being corrected, when nothing has failed, for a family that is not published, or an external_ref that is in use;
 *   422 for start answers that the template does not accept
 */
export const reinspect = (caller: Caller, id: string, request: NewReinspection): Promise<Inspection> =>
  change(caller, async (work) => {
    const first = withoutKeys(await inspectionRecords.get(work, id));
    const family = await familyRecords.get(work, first.template_family_id);
    const { scope, template, participants, approver_id, start_answers: _changed, ...own } = request;
    const setup = { participants, approver_id };
    const found = await resolve(work, setupReferences(work, setup));
    expectReinspectable(first);
    const fields = {
      ...fieldsOfFamily(family),
      ...(template === 'pinned' && pick(first, fieldsFor('version'))),
      ...pick(first, fieldsFor('reinspection')),
    };
    const index = await contentOf(work, fields.template_id, fields.content_hash);
    const defaults = await defaultSetup(work, first, family, request);
    const initial = {
      ...initialFields(),
      ...fields,
      approver_id: defaults.approver_id,
      participants: withSectionsOf(index, defaults.participants),
      start_answers: startAnswersFor(index, first.start_answers),
    };
    const resolved = await resolveSetup(work, setup, initial, found);
    const { fields: start } = await answerStartQuestions(work, request, initial);
    const start_answers = start.start_answers ?? initial.start_answers;
    const taken = await carriedRecords(work, first, index, start_answers, scope);
    const inspection = await newInspection(work, {
      ...merge(fields, own),
      ...resolved,
      ...progressOf(evaluate(index, taken, start_answers)),
      approver_id: approver_id === undefined ? initial.approver_id : approver_id,
      start_answers,
      source: 'reinspection',
      reinspection_of_id: id,
      reinspection_scope: scope,
      // A deletion looks for the records that it has from the start.
      answers_revision: Number(taken.length > 0),
    });
    const records = taken.map((record): Row<StoredAnswer> => ({
      ...keys.answer(work, inspection.id, record.field_id, record.instance_path),
      ...record,
    }));
    const { status, active_correction_id, answers_revision, findings_revision } = first;
    const creating = [
      ...creation(work, inspection),
      ...creationEvents(work, inspection),
      ...(await notices(work, undefined, inspection)),
      ...(hasLogic(index) && taken.length > 0
        ? [answerStateWrite(work, inspection.id, index, taken, undefined)]
        : []),
      addToCounters(
        work,
        id,
        { reinspections_count: 1, parts_revision: 1 },
        hasValues({ status, active_correction_id, answers_revision, findings_revision }),
      ),
      ...activityWrites(work, id, [{ kind: 'reinspection_created', inspection_id: inspection.id }]),
    ];
    return {
      writes: await saveTaken(work, inspection.id, records, creating),
      reply: toInspection(inspection, work.now),
    };
  });
