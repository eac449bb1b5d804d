import { timeAfter } from '../base/time.ts';
import { MAX_SHIFT_DAYS } from '../domain/schedules/holidays.ts';
import { withoutResource, withoutSolved } from '../domain/schedules/problems.ts';
import type { Work } from '../table/change.ts';
import type { StoredSchedule } from '../table/entities/schedules.ts';
import { keys } from '../table/keys.ts';
import { queryRows, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { listedPlaces, placesReplacement, storedPlaces } from './many-places.ts';
import { clientChange, scheduleRecords } from './records.ts';
import { enrolledAgain } from './schedules.ts';

/* How schedules follow locations that go to another client account, or are merged. */

/** What becomes of a schedule, and the locations that it keeps if it loses some. */
export interface Leaving {
  outcome: 'moves' | 'stays' | 'loses_locations';
  rest: string[];
}

/**
 * What becomes of a schedule whose client account loses locations; undefined for one that they do not concern. A filter
 * of all the client account's locations finds those that go no more, and so needs no change.
 * @param listed the locations of its listed `places`
 * @param mayMove whether one that has no other location goes along
 */
export const leaving = (
  { status, client_account_id, location_ids, places }: StoredSchedule,
  listed: readonly string[] | null,
  going: ReadonlySet<string>,
  from: string,
  mayMove: boolean,
): Leaving | undefined => {
  if (status === 'ended') return undefined;
  if (places && !places.list) {
    const isTheirs = client_account_id === from || places.client_account_id === from;
    if (!isTheirs || places.within === null || !going.has(places.within)) return undefined;
    return { outcome: mayMove ? 'moves' : 'stays', rest: [] };
  }
  if (client_account_id !== from) return undefined;
  const named = listed ?? location_ids;
  const rest = named.filter((id) => !going.has(id));
  if (rest.length === named.length) return undefined;
  return { outcome: mayMove && rest.length === 0 ? 'moves' : 'loses_locations', rest };
};

const moved = (schedule: StoredSchedule, from: string, to: string | null): StoredSchedule => {
  const { client_account_id, places } = schedule;
  return {
    ...schedule,
    client_account_id: client_account_id === from ? to : client_account_id,
    ...(places?.client_account_id === from && { places: { ...places, client_account_id: to } }),
  };
};

/** A schedule without locations that it loses. Without any, it is paused: it would inspect no place. */
const without = (schedule: StoredSchedule, rest: string[], going: ReadonlySet<string>): StoredSchedule => {
  const { places, location_ids, status } = schedule;
  const next: StoredSchedule = {
    ...schedule,
    ...(places ? { places: storedPlaces({ location_ids: rest }) } : { location_ids: rest }),
    status: rest.length === 0 && status === 'active' ? 'paused' : status,
  };
  const lost = places ? going : location_ids.filter((id) => going.has(id));
  return withoutSolved([...lost].reduce(withoutResource<StoredSchedule>, next));
};

/**
 * The writes by which a schedule follows locations that go from one client account to another; undefined when nothing is
 * left to change.
 * @param mayMove as in `leaving`
 */
export const scheduleToClient = async (
  work: Work,
  id: string,
  going: ReadonlySet<string>,
  from: string,
  to: string | null,
  mayMove: boolean,
): Promise<Write[] | undefined> => {
  const row = await scheduleRecords.find(work, id);
  if (!row) return undefined;
  const current = withoutKeys(row);
  const left = leaving(current, await listedPlaces(work, current), going, from, mayMove);
  if (!left || left.outcome === 'stays') return undefined;
  if (left.outcome === 'moves') return clientChange(work, current, moved(current, from, to)).writes;
  const next = enrolledAgain(current, without(current, left.rest, going), work.now);
  const { writes } = clientChange(work, current, next);
  return [...writes, ...(current.places ? placesReplacement(work, id, left.rest) : [])];
};

/** Whether a schedule names a location. @param listed the locations of its listed `places` */
export const namesLocation = (
  { location_ids, places }: StoredSchedule,
  listed: readonly string[] | null,
  id: string,
): boolean => (listed ?? location_ids).includes(id) || places?.within === id;

/**
 * How long before its time an occurrence can have its date, in milliseconds: a holiday moves it by so many days, and it
 * has the date of its schedule's time zone.
 */
const EARLIER_MS = (MAX_SHIFT_DAYS + 1) * 86_400_000;

/** Occurrences of one location that are ahead, at most. The generator creates no more of them early. */
const MAX_AHEAD = 60;

/** The writes by which what a schedule has created ahead for one location counts for another one. */
const occurrenceWrites = async (work: Work, id: string, from: string, to: string): Promise<Write[]> => {
  const { partition, prefix } = keys.occurrence.range(work, id);
  const since = timeAfter(work.now, -EARLIER_MS).slice(0, 10);
  const created = await Array.fromAsync(queryRows(work, { partition, prefix, after: `${prefix}${since}` }));
  const known = new Set(created.map(({ sk }) => sk));
  return created
    .filter(({ sk }) => sk.endsWith(`#${from}`))
    .map((row) => ({ ...row, sk: `${row.sk.slice(0, -from.length)}${to}` }))
    .filter(({ sk }) => !known.has(sk))
    .slice(0, MAX_AHEAD)
    .map((row) => write.put<object>(row));
};

/**
 * The writes by which a schedule names another location in the place of one; undefined when it does not name that one.
 * @param to null where there is none any more
 */
export const replaceLocation = async (
  work: Work,
  id: string,
  from: string,
  to: string | null,
): Promise<Write[] | undefined> => {
  const row = await scheduleRecords.find(work, id);
  if (!row) return undefined;
  const current = withoutKeys(row);
  const listed = await listedPlaces(work, current);
  if (!namesLocation(current, listed, from)) return undefined;
  const { places, location_ids } = current;
  const replaced = (ids: readonly string[]) => [
    ...new Set(ids.flatMap((each) => (each === from ? (to ?? []) : each))),
  ];
  const list = listed && replaced(listed);
  const changed: StoredSchedule = {
    ...current,
    location_ids: replaced(location_ids),
    ...(list && { places: storedPlaces({ location_ids: list }) }),
    // A filter whose location is gone finds nothing, instead of everything.
    ...(places?.within === from && {
      places: to === null ? storedPlaces({ location_ids: [] }) : { ...places, within: to },
    }),
  };
  const next = enrolledAgain(current, withoutSolved(withoutResource(changed, from)), work.now);
  return [
    ...clientChange(work, current, next).writes,
    ...(list ? placesReplacement(work, id, list) : []),
    ...(to === null ? [] : await occurrenceWrites(work, id, from, to)),
  ];
};
