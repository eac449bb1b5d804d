import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { carryOver, type Place, placesIn } from '../../../domain/content/carry-over.ts';
import { evaluate } from '../../../domain/content/conditions/evaluate.ts';
import type { ContentIndex } from '../../../domain/content/content-index.ts';
import { innermostIndexOf, placeName } from '../../../domain/content/instance-paths.ts';
import type { NewReinspection } from '../../../schemas/inspections/inspection.ts';
import { authorIn } from '../../inspection-core/answer-record.ts';
import type { Work } from '../../table/change.ts';
import { newResource } from '../../table/collection.ts';
import type { StoredAnswer, StoredFinding, StoredInspection } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { getRows, queryRows } from '../../table/rows.ts';
import { contentOf } from '../../templates/content.ts';

type EarlierFinding = NonNullable<StoredAnswer['earlier_finding']>;

/** An open finding at a field. */
type OpenFinding = EarlierFinding & Place;

/**
 * The open findings at fields of an inspection, the oldest first: its own, and those of earlier inspections that it asked
 * about again. A Query, and a call for each hundred of these.
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

const EMPTY = { value: null, note: '', is_na: false, media: [], answered_by: null, answered_at: null };
const NEW = { is_failed: false, finding_id: null, mutation_ids: [] };

/**
 * The answers that a re-inspection begins with: an empty record for what it asks again, and those that it carries over.
 * Calls: a Query per megabyte of answers, those of `openFindings`, and the first one's content unless it is cached.
 * @param first the inspection that is inspected again
 * @param index the content of the re-inspection
 * @throws ApiError 409 when nothing has failed that it could ask again
 */
export const carriedRecords = async (
  work: Work,
  first: StoredInspection,
  index: ContentIndex,
  start: StoredInspection['start_answers'],
  scope: NewReinspection['scope'],
): Promise<StoredAnswer[]> => {
  const [before, answers] = await Promise.all([
    contentOf(work, first.template_id, first.content_hash),
    Array.fromAsync(queryRows(work, keys.parts(work, 'INSPECTION', first.id, 'ANSWER'))),
  ]);
  const findings = await openFindings(work, first, answers);
  const { standingOf } = evaluate(before, answers, first.start_answers);
  const failed = [
    ...findings,
    ...answers.filter(
      ({ is_failed, field_id, instance_path }) =>
        is_failed && standingOf(before.fields.get(field_id)!, instance_path) !== 'hidden',
    ),
  ];
  const again = placesIn(index, failed);
  if (scope === 'failed' && again.length === 0) throw errors.nothingFailed(first.status);
  const { asked, carried } =
    scope === 'failed' ? carryOver(index, start, { before, answers, failed }) : { asked: again, carried: [] };
  const findingAt = new Map(
    findings
      .toReversed()
      .map(({ inspection_id, id, field_id, instance_path }) => [
        placeName(field_id, instance_path),
        { inspection_id, id },
      ]),
  );
  const places = new Map(asked.map((each) => [placeName(each.place.field.id, each.instance_path), each]));
  return [
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
};
