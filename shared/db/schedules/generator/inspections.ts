import type { Work as DueOccurrence } from '../../../domain/schedules/plan.ts';
import type { FieldFor } from '../../../schemas/inspections/fields.ts';
import { inspectionCreation } from '../../inspection-core/inspection-record.ts';
import { creationEvents, fieldsOfFamily, numberedInspection } from '../../inspections/create.ts';
import { notices } from '../../inspections/edit.ts';
import type { Work } from '../../table/change.ts';
import type { StoredInspection, StoredSchedule } from '../../table/entities.ts';
import { Overtaken } from '../../table/job.ts';
import { keys } from '../../table/keys.ts';
import { nextNumbers } from '../../table/single-write.ts';
import * as write from '../../table/writes.ts';
import { combineCounts, type Write } from '../../table/writes.ts';
import { assignedParticipant, timesFrom } from '../overrides/following.ts';
import type { Place, Prerequisites } from './prerequisites.ts';

/** Writes of one transaction that are left for the schedule and its event. */
const RESERVED_WRITES = 4;
const MAX_WRITES = 100 - RESERVED_WRITES;

/** The inspection of an occurrence at a place. */
const inspectionAt = (
  work: Work,
  schedule: StoredSchedule,
  due: DueOccurrence,
  place: Place,
  { family, assignees, clientOf }: Prerequisites,
  number: number,
): StoredInspection =>
  numberedInspection(work, number, {
    ...fieldsOfFamily(family),
    ...({
      ...timesFrom(schedule, due.starts_at),
      name: schedule.title,
      client_account_id: place === null ? schedule.client_account_id : clientOf.get(place)!,
      location_id: place,
      schedule_id: schedule.id,
      occurrence_date: due.occurrence_date,
      participants: assignees.map(({ user_id, name }) => assignedParticipant(user_id, name)),
      approver_id: schedule.approver_id,
      created_by: schedule.created_by,
    } satisfies Pick<StoredInspection, FieldFor<'schedule'>>),
    source: 'schedule',
  });

/**
 * The rows of one inspection. Creating its occurrence's row fails when that exists, so that there is one inspection at
 * most for an occurrence at a place, whoever else works on it.
 */
const writesOf = async (work: Work, inspection: StoredInspection): Promise<Write[]> => {
  const { id, schedule_id, occurrence_date, location_id } = inspection;
  return [
    write.create(
      { ...keys.occurrence(work, schedule_id!, occurrence_date!, location_id), inspection_id: id },
      () => new Overtaken('the occurrence has its inspection already'),
    ),
    ...inspectionCreation(work, inspection),
    ...creationEvents(work, inspection),
    ...(await notices(work, undefined, inspection)),
  ];
};

/** Inspections of an occurrence that are created together. */
export interface Chunk {
  writes: Write[];
  count: number;
}

/**
 * The inspections of an occurrence at some of these places, as many as fit into one transaction.
 * @param places not empty; none has its inspection yet
 */
export const nextChunk = async (
  work: Work,
  schedule: StoredSchedule,
  due: DueOccurrence,
  places: readonly Place[],
  prerequisites: Prerequisites,
): Promise<Chunk> => {
  const newWrites = (place: Place, number: number) =>
    writesOf(work, inspectionAt(work, schedule, due, place, prerequisites, number));
  // All inspections of an occurrence need the same rows, but for the use of a client account.
  const { length } = await newWrites(places[0]!, 0);
  const count = Math.min(places.length, Math.max(1, Math.floor(MAX_WRITES / (length + 1))));
  const first = await nextNumbers(work, keys.sequence(work, 'INSPECTION'), count);
  const each = await Promise.all(
    places.slice(0, count).map((place, position) => newWrites(place, first + position)),
  );
  return { writes: combineCounts(each.flat()), count };
};
