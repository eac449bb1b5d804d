import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { merge } from '../base/fields.ts';
import { heldOn, holidaysOf, inOrder, NoCalendar } from '../domain/schedules/holidays.ts';
import { calendarOfRegion } from '../places/regions/regions.ts';
import { present } from '../schemas/projection.ts';
import {
  type Holiday,
  HolidayCalendar,
  type HolidayCalendarChanges,
  type HolidayCalendarQuery,
  MAX_HOLIDAYS,
  type NewHolidayCalendar,
} from '../schemas/schedules/holiday-calendar.ts';
import { change } from '../table/change.ts';
import { collection, edit, expectVersion, newResource } from '../table/collection.ts';
import type { StoredSchedule } from '../table/entities/schedules.ts';
import type { Listing } from '../table/listing.ts';
import * as resource from '../table/resource.ts';
import { withoutKeys } from '../table/rows.ts';
import { close } from '../table/usage.ts';

const KIND = 'HOLIDAYS';

export const holidayRecords = collection(KIND, 'calendar');

const toCalendar = (stored: HolidayCalendar): HolidayCalendar => present(HolidayCalendar, stored);

const refused = (field: 'dates' | 'ics', message: string) =>
  errors.validationFailed([
    { loc: ['body', field], type: 'value_error', msg: `Value error, ${message}`, input: null },
  ]);

/**
 * The dates of a request, and those of its file.
 * @param now ISO 8601 in UTC
 * @throws ApiError 422 for a file that cannot be read, or too many dates
 */
const datesFrom = (dates: readonly Holiday[], ics: string | null | undefined, now: string): Holiday[] => {
  const read = (): Holiday[] => {
    try {
      return ics ? holidaysOf(ics, now.slice(0, 10), MAX_HOLIDAYS) : [];
    } catch (error) {
      if (error instanceof NoCalendar) throw refused('ics', error.message);
      throw error;
    }
  };
  const all = inOrder([...dates, ...read()]);
  if (all.length > MAX_HOLIDAYS) throw refused(ics ? 'ics' : 'dates', `more than ${MAX_HOLIDAYS} dates`);
  return all;
};

/** @throws ApiError 422 for a file that cannot be read, or too many dates */
export const create = (caller: Caller, { ics, ...fields }: NewHolidayCalendar): Promise<HolidayCalendar> =>
  change(caller, (work) => {
    const calendar: HolidayCalendar = newResource(work, {
      ...fields,
      dates: datesFrom(fields.dates, ics, work.now),
      created_by: caller.user_id,
    });
    return { writes: resource.create(holidayRecords, work, calendar), reply: toCalendar(calendar) };
  });

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<HolidayCalendar> =>
  toCalendar(await holidayRecords.get(caller, id));

/** In creation order. */
export const list = (caller: Caller, query: HolidayCalendarQuery): Promise<Listing<HolidayCalendar>> =>
  holidayRecords.list(caller, query, {}, toCalendar);

/** @throws ApiError 404; 409 for another version; 422 as `create` */
export const update = async (
  caller: Caller,
  id: string,
  { ics, ...changes }: HolidayCalendarChanges,
  expectedVersion?: number,
): Promise<HolidayCalendar> =>
  toCalendar(
    await edit(holidayRecords, caller, id, expectedVersion, (current, work) => {
      const next = merge(current, changes);
      return { next: { ...next, dates: datesFrom(next.dates, ics, work.now) } };
    }),
  );

/** @throws ApiError 404; 409 for another version, or while schedules or regions name it */
export const remove = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async (work) => {
    const calendar = withoutKeys(await holidayRecords.get(work, id));
    expectVersion(holidayRecords.noun, calendar, expectedVersion);
    return {
      writes: [
        ...resource.remove(holidayRecords, work, calendar),
        ...close(work, KIND, id, ['schedules', 'regions'], 'The calendar is used by schedules or regions'),
      ],
      reply: null,
    };
  });

/** What of a schedule says on which days it holds no inspections. */
export type DaysOff = Pick<StoredSchedule, 'calendar_id' | 'on_holiday'> & {
  places?: { region_id?: string | null | undefined } | null;
};

/** Says on which date a schedule holds the occurrence of a date; null for one that it leaves out. Two calls at most. */
export const holdingOf = async (
  caller: Caller,
  { calendar_id, places, on_holiday }: DaysOff,
): Promise<(date: string) => string | null> => {
  const ofRegion = async () => (places?.region_id ? calendarOfRegion(caller, places.region_id) : null);
  const id = on_holiday && (calendar_id ?? (await ofRegion()));
  const calendar = id ? await holidayRecords.find(caller, id) : undefined;
  return heldOn(on_holiday, calendar ?? { dates: [], weekend_days: [] });
};
