import * as z from 'zod';
import { Timestamp, Uuid } from '../common.ts';
import { CalendarRow } from './schedule.ts';

const { occurrence_date, starts_at, location_id } = CalendarRow.shape;

/** What the calendar shows of the occurrence, which is what a key that reads schedules may see. */
export const MissedOccurrence = z
  .strictObject({
    schedule_id: Uuid.meta({ description: 'The schedule that has created the inspection.' }),
    inspection_id: Uuid.meta({ description: 'The inspection that was not started.' }),
    occurrence_date,
    starts_at,
    location_id,
    missed_after: Timestamp.meta({ description: 'By when the inspection was to be started.' }),
  })
  .meta({
    id: 'MissedOccurrence',
    description: 'An occurrence of a schedule whose inspection was not started in time.',
  });
