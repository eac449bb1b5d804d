import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { merge, pick } from '../base/fields.ts';
import { carryOver, type CarriedPosition, placesIn } from '../domain/content/carry-over.ts';
import { hasLogic } from '../domain/content/conditions/dependencies.ts';
import { evaluate } from '../domain/content/conditions/evaluate.ts';
import { type ContentIndex, isAnswerable } from '../domain/content/content-index.ts';
import { innermostIndexOf, placeName } from '../domain/content/instance-paths.ts';
import { progressOf } from '../domain/content/progress.ts';
import { answerStart } from '../domain/content/start.ts';
import { isAnswered } from '../domain/content/values/answer.ts';
import { hasPart } from '../domain/inspections/workflow.ts';
import { dutyOf, isAble, mayKeysDecide } from '../domain/members.ts';
import { fieldsFor } from '../schemas/inspections/fields.ts';
import type { Inspection, NewReinspection, Participant } from '../schemas/inspections/inspection.ts';
import { change, type Work } from '../table/change.ts';
import { newResource } from '../table/collection.ts';
import { hasValues } from '../table/conditions.ts';
import type {
  StoredAnswer,
  StoredFamily,
  StoredFinding,
  StoredInspection,
  StoredInstance,
} from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { resolve } from '../table/references.ts';
import { getRows, queryRows, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { contentOf } from '../templates/content.ts';
import { familyRecords } from '../templates/family-records.ts';
import { creationEvents, fieldsOfFamily, initialFields, newInspection } from './create.ts';
import { notices } from './edit.ts';
import { reinspectedInstances } from './reinspected-instances.ts';
import { countReinspections } from './reinspection-chain.ts';
import { answerStateWrite, authorIn } from './rows/answer-records.ts';
import {
  activityWrites,
  addToCounters,
  inspectionCreation,
  inspectionRecords,
  toInspection,
} from './rows/inspection-records.ts';
import { resolveSetup, setupReferences } from './setup.ts';
import { answerStartQuestions } from './start-answers.ts';
import { saveTaken } from './taken-answers.ts';

type EarlierFinding = NonNullable<StoredAnswer['earlier_finding']>;

/** An open finding at a field. */
type OpenFinding = EarlierFinding & CarriedPosition;

/**
 * The open findings at fields of an inspection, the oldest first: its own, and those of earlier inspections whose
 * fields it asked again. A Query, and a call for each hundred earlier findings.
 */
const openFindings = async (
  caller: Caller,
  { id }: StoredInspection,
  answers: readonly StoredAnswer[],
): Promise<OpenFinding[]> => {
  const own = queryRows(caller, {
    ...keys.parts(caller, 'INSPECTION', id, 'FINDING'),
    where: { status: ['open'] },
  });
  const followed = answers.flatMap((answer) =>
    answer.earlier_finding ? [{ answer, earlier: answer.earlier_finding }] : [],
  );
  const rows = await getRows(
    caller,
    followed.map(({ earlier }) => keys.child(caller, earlier.inspection_id, 'FINDING', earlier.id)),
  );
  const earlier = followed.flatMap(({ answer, earlier: finding }, position): OpenFinding[] => {
    const { field_id, instance_path } = answer;
    return rows[position]?.status === 'open' ? [{ ...finding, field_id, instance_path }] : [];
  });
  const atField = ({ inspection_id, id: findingId, field_id, instance_path }: StoredFinding): OpenFinding[] =>
    field_id === null ? [] : [{ inspection_id, id: findingId, field_id, instance_path }];
  return [...earlier, ...(await Array.fromAsync(own)).flatMap(atField)].toSorted((a, b) =>
    a.id < b.id ? -1 : 1,
  );
};

const EMPTY = {
  value: null,
  note: '',
  is_na: false,
  media: [],
  answered_by: null,
  answered_at: null,
  client_answered_at: null,
};
const NEW = { is_failed: false, finding_id: null, mutation_ids: [] };

/** What a re-inspection has from the start. */
interface Begun {
  records: StoredAnswer[];
  /** The instances that it adds. */
  added: StoredInstance[];
}

/** @throws ApiError 400 for a field that the content does not have, or that takes no answer */
const expectFields = ({ fields }: ContentIndex, ids: readonly string[]): void => {
  for (const [position, id] of ids.entries()) {
    const place = fields.get(id);
    if (!place || !isAnswerable(place.field))
      throw errors.notInTemplate(`also_ask.${position} is not a field that this inspection asks`);
  }
};

/**
 * The first answers of a re-inspection: an empty record for each field that it asks again, and those that it carries
 * over. Calls: a Query per megabyte of answers, those of `openFindings`, and the first one's content unless it is
 * cached.
 * @param first the inspection that is inspected again
 * @param index the content of the re-inspection
 * @throws ApiError 409 when there is nothing that it could ask again; as `reinspectedInstances`
 */
const carriedRecords = async (
  work: Work,
  first: StoredInspection,
  index: ContentIndex,
  start: StoredInspection['start_answers'],
  { scope, also_ask, instances }: NewReinspection,
): Promise<Begun> => {
  const [before, all] = await Promise.all([
    contentOf(work, first.template_id, first.content_hash),
    Array.fromAsync(queryRows(work, keys.parts(work, 'INSPECTION', first.id, 'ANSWER'))),
  ]);
  const paths = all.filter(isAnswered).map(({ instance_path }) => instance_path);
  const { added, isRemoved } = reinspectedInstances(work, index, instances, paths);
  const isKept = ({ instance_path }: CarriedPosition) => !isRemoved(instance_path);
  const answers = all.filter(isKept);
  const findings = (await openFindings(work, first, answers)).filter(isKept);
  const { standingOf } = evaluate(before, answers, first.start_answers);
  const failed = [
    ...findings,
    ...answers.filter(
      ({ is_failed, field_id, instance_path }) =>
        is_failed && standingOf(before.fields.get(field_id)!, instance_path) !== 'hidden',
    ),
  ];
  const again = placesIn(index, failed);
  const also = { field_ids: also_ask, added: added.map(({ instance_path }) => instance_path) };
  const isNothing = [again, also_ask, added].every(({ length }) => length === 0);
  if (scope === 'failed' && isNothing) throw errors.nothingFailed(first.status);
  const { asked, carried } =
    scope === 'failed'
      ? carryOver(index, start, { before, answers, failed }, also)
      : { asked: again, carried: [] };
  const findingAt = new Map(
    findings
      .toReversed()
      .map(({ inspection_id, id, field_id, instance_path }) => [
        placeName(field_id, instance_path),
        { inspection_id, id },
      ]),
  );
  const places = new Map(asked.map((each) => [placeName(each.place.field.id, each.instance_path), each]));
  const records = [
    ...places.entries().map(([name, { place, instance_path }]): StoredAnswer => {
      const earlier_finding = findingAt.get(name);
      return newResource(work, {
        ...EMPTY,
        ...NEW,
        section_id: place.section.id,
        field_id: place.field.id,
        instance_path,
        instance_index: innermostIndexOf(instance_path),
        is_asked_again: true as const,
        ...(earlier_finding && { earlier_finding }),
      });
    }),
    ...carried.map(({ given, ...taken }): StoredAnswer =>
      newResource(work, { ...taken, ...NEW, ...authorIn(given), is_carried_over: true as const }),
    ),
  ];
  return { records, added };
};

/** @throws ApiError 409 unless it is completed, and without a correction that is open or awaits approval */
const expectReinspectable = ({ status, active_correction_id }: StoredInspection): void => {
  if (status !== 'completed') throw errors.inspectionStatus(status, 'not completed');
  if (active_correction_id) throw errors.beingCorrected(status);
};

/** The default setup of a re-inspection: the people of the first one who can still do the same. */
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

/** The start answers that a content takes. */
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
 * Creates an inspection that inspects a completed one again. Several re-inspections of one inspection can run at the
 * same time: a finding is resolved by the first one that passes.
 * @throws ApiError 404; 400 for a member who is not able to do their duty, or a field or section that the content does
 *   not have; 409 unless the inspection is completed and
 *   not being corrected, when nothing has failed, for a family that is not published, or an external_ref that is in
 *   use; 422 for start answers that the template does not accept
 */
export const reinspect = (caller: Caller, id: string, request: NewReinspection): Promise<Inspection> =>
  change(caller, async (work) => {
    const first = withoutKeys(await inspectionRecords.get(work, id));
    const family = await familyRecords.get(work, first.template_family_id);
    const { scope, template, participants, approver_id, ...others } = request;
    const { start_answers: _changed, also_ask, instances: _instances, ...own } = others;
    const setup = { participants, approver_id };
    const found = await resolve(work, setupReferences(work, setup));
    const fields = {
      ...fieldsOfFamily(family),
      ...(template === 'pinned' && pick(first, fieldsFor('version'))),
      ...pick(first, fieldsFor('reinspection')),
    };
    const index = await contentOf(work, fields.template_id, fields.content_hash);
    expectFields(index, also_ask);
    expectReinspectable(first);
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
    const { records: taken, added } = await carriedRecords(work, first, index, start_answers, request);
    const inspection = await newInspection(work, {
      ...merge(fields, own),
      ...resolved,
      ...progressOf(evaluate(index, taken, start_answers)),
      approver_id: approver_id === undefined ? initial.approver_id : approver_id,
      start_answers,
      source: 'reinspection',
      reinspection_of_id: id,
      ...pick(first, ['visited_by_schedule', 'visits_asset']),
      reinspection_scope: scope,
      // With this, a deletion looks for the records that the inspection has from the start.
      answers_revision: Number(taken.length > 0),
    });
    const records = taken.map((record): Row<StoredAnswer> => ({
      ...keys.answer(work, inspection.id, record.field_id, record.instance_path),
      ...record,
    }));
    const { status, active_correction_id, answers_revision, findings_revision } = first;
    const creating = [
      ...inspectionCreation(work, inspection),
      ...creationEvents(work, inspection),
      ...added.map((instance) =>
        write.create({ ...keys.instance(work, inspection.id, instance.client_instance_id), ...instance }),
      ),
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
      ...(await countReinspections(work, first.reinspection_of_id, 1)),
      ...activityWrites(work, id, [{ kind: 'reinspection_created', inspection_id: inspection.id }]),
    ];
    return {
      writes: await saveTaken(work, inspection.id, records, creating),
      reply: toInspection(inspection, work.now),
    };
  });
