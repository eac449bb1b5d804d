import * as createSchedule from '../../functions/schedules/create-schedule.ts';
import * as getSchedule from '../../functions/schedules/get-schedule.ts';
import type { Schedule } from '../../shared/schemas/schedules/schedule.ts';
import { as } from '../support/call.ts';
import type { Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';

/** Every day at nine, from a day that is long past. */
export const DAILY = { rrule: 'FREQ=DAILY', dtstart_local: '2026-01-01T09:00', timezone: 'Europe/Athens' };

/** A schedule of a new family, unless the body names one. */
export const newSchedule = async (
  { key }: Person,
  { family, ...body }: { family?: object } & Record<string, unknown> = {},
): Promise<Schedule> => {
  const template_family_id = body['template_family_id'] ?? (await publishedFamily(key, family)).id;
  return as(key).must.post(createSchedule, {
    body: { title: 'Daily walk', recurrence: DAILY, ...body, template_family_id },
  });
};

export const of = ({ id }: { id: string }) => ({ params: { schedule_id: id } });

export const shown = ({ key }: Person, schedule: { id: string }): Promise<Schedule> =>
  as(key).must.get(getSchedule, of(schedule));
