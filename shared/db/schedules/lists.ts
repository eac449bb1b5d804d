import type { Caller } from '../../base/caller.ts';
import { fold } from '../../base/text.ts';
import type { Schedule, ScheduleQuery } from '../../schemas/schedules/schedule.ts';
import type { StoredFamily, StoredSchedule } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, readCursor } from '../table/listing.ts';
import { getRow, getRows, MAX_BATCH_KEYS, queryRows, type Row, withoutKeys } from '../table/rows.ts';
import { findReserved } from '../table/unique.ts';
import { familyRecords } from '../templates/families/record.ts';
import { EXTERNAL_REF, KIND, scheduleRecords, toSchedule } from './record.ts';

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Schedule> => {
  const schedule = await scheduleRecords.get(caller, id);
  return toSchedule(schedule, await getRow(caller, familyRecords.key(caller, schedule.template_family_id)));
};

type Families = Map<string, Pick<StoredFamily, 'archived_at'> | undefined>;

/** Reads those of the schedules' families that are not known yet. */
const readFamilies = async (
  caller: Caller,
  schedules: readonly StoredSchedule[],
  known: Families,
): Promise<void> => {
  const ids = [...new Set(schedules.map(({ template_family_id }) => template_family_id))].filter(
    (id) => !known.has(id),
  );
  const rows = await getRows(
    caller,
    ids.map((id) => familyRecords.key(caller, id)),
  );
  for (const [position, id] of ids.entries()) {
    const row = rows[position];
    known.set(id, row && { archived_at: row.archived_at });
  }
};

/**
 * Schedules as they are sent to clients. Each family is read once, many together.
 * @param count the number of schedules at most, where it is known
 */
export const withFamilies = async function* (
  caller: Caller,
  rows: AsyncIterable<Row<StoredSchedule>>,
  count = Infinity,
): AsyncGenerator<{ stored: StoredSchedule; schedule: Schedule }> {
  const families: Families = new Map();
  let batch: StoredSchedule[] = [];
  const shown = async function* () {
    await readFamilies(caller, batch, families);
    for (const stored of batch) {
      yield { stored, schedule: toSchedule(stored, families.get(stored.template_family_id)) };
    }
    batch = [];
  };
  for await (const row of rows) {
    batch.push(withoutKeys(row));
    if (batch.length >= Math.min(count, MAX_BATCH_KEYS)) yield* shown();
  }
  if (batch.length > 0) yield* shown();
};

/** Whether a schedule passes the filters that the query of its row does not apply. */
const filterOf = ({ status, location_id, assignee_id, q }: ScheduleQuery) => {
  const statuses = status && new Set(status);
  const text = q && fold(q);
  return (schedule: Schedule): boolean =>
    (!statuses || statuses.has(schedule.status)) &&
    (location_id === undefined || schedule.location_ids.includes(location_id)) &&
    (assignee_id === undefined || schedule.assignee_ids.includes(assignee_id)) &&
    (!text || fold(schedule.title).includes(text));
};

const filtered = async function* (
  schedules: AsyncIterable<{ schedule: Schedule }>,
  isWanted: (schedule: Schedule) => boolean,
): AsyncGenerator<Schedule> {
  for await (const { schedule } of schedules) if (isWanted(schedule)) yield schedule;
};

/** In creation order. @throws ApiError 422 for a cursor of another list */
export const list = async (caller: Caller, query: ScheduleQuery): Promise<Listing<Schedule>> => {
  const after = readCursor(caller, KIND, query);
  const { external_ref, template_family_id, client_account_id, limit } = query;
  const id = external_ref && ((await findReserved(caller, EXTERNAL_REF, external_ref)) ?? 'none');
  const rows = queryRows(caller, {
    partition: keys.all(caller, KIND),
    ...(id ? { prefix: id } : { after }),
    updatedSince: query.updated_since,
    where: {
      template_family_id: template_family_id === undefined ? undefined : [template_family_id],
      client_account_id: client_account_id === undefined ? undefined : [client_account_id],
    },
  });
  const schedules = withFamilies(caller, rows, limit && limit + 1);
  return listing(
    caller,
    KIND,
    query,
    filtered(schedules, filterOf(query)),
    (schedule) => schedule.id,
    (schedule) => schedule,
  );
};
