import ical, { escape, ICalCalendarMethod, type ICalEventData, ICalEventStatus } from 'ical-generator';
import { plainLines } from '../../base/text.ts';
import type { CalendarRow } from '../../schemas/schedules/schedule.ts';

/** A row of the calendar, with the fields that only the feed shows. */
export interface FeedRow {
  row: CalendarRow;
  /** Increases with every change of what is shown. */
  sequence: number;
  location: string | undefined;
}

/** Events that are written together. */
const EVENTS_AT_ONCE = 200;

/** With the line break before it: within a text, no line begins like this (RFC 5545, section 3.1). */
const BEGIN_EVENT = '\r\nBEGIN:VEVENT';
const END_CALENDAR = '\r\nEND:VCALENDAR';

const CANCELLED = new Set<CalendarRow['status']>(['archived', 'skipped', 'cancelled']);

const statusOf = ({ status }: CalendarRow): ICalEventStatus => {
  if (CANCELLED.has(status)) return ICalEventStatus.CANCELLED;
  return status === 'projected' ? ICalEventStatus.TENTATIVE : ICalEventStatus.CONFIRMED;
};

/** Some readers end a line at more characters than RFC 5545 does. */
const inOneLine = (text: string): string => plainLines(text).join(' ');

/**
 * The event of a row. Its UID stays when the inspection is created, moved or archived, because it names the occurrence
 * of the schedule and not the inspection. Its times are in UTC, which every calendar shows in its reader's zone.
 */
const eventOf = ({ row, sequence, location }: FeedRow, stamp: Date): ICalEventData => {
  const { schedule_id, occurrence_date, location_id, asset_id, title, starts_at, due_at, override } = row;
  return {
    id: [schedule_id, occurrence_date, asset_id ?? location_id].filter(Boolean).join('-'),
    sequence,
    stamp,
    start: new Date(starts_at),
    ...(due_at !== null && due_at > starts_at && { end: new Date(due_at) }),
    summary: inOneLine(title),
    status: statusOf(row),
    ...(location !== undefined && { location: inOneLine(location) }),
    ...(override?.reason && { description: plainLines(override.reason).join('\n') }),
  };
};

/** A calendar of some events, as RFC 5545 has it. */
const textOf = (name: string, rows: readonly FeedRow[], stamp: Date): string =>
  ical({
    // ical-generator 11.1 escapes all texts but this one.
    name: escape(inOneLine(name), false),
    prodId: { company: 'inspection-service', product: 'schedules' },
    method: ICalCalendarMethod.PUBLISH,
    events: rows.map((row) => eventOf(row, stamp)),
  }).toString();

/**
 * A calendar as an iCalendar stream (RFC 5545). It is written as its rows are read: memory holds some hundred events.
 * @param now when it is written
 */
export const feed = async function* (
  name: string,
  rows: AsyncIterable<FeedRow>,
  now: Date,
): AsyncGenerator<string> {
  const empty = textOf(name, [], now);
  const end = empty.indexOf(END_CALENDAR);
  yield empty.slice(0, end);
  let batch: FeedRow[] = [];
  const events = (): string => {
    const text = textOf(name, batch, now);
    batch = [];
    return text.slice(text.indexOf(BEGIN_EVENT), text.lastIndexOf(END_CALENDAR));
  };
  for await (const row of rows) {
    batch.push(row);
    if (batch.length === EVENTS_AT_ONCE) yield events();
  }
  if (batch.length > 0) yield events();
  yield empty.slice(end);
};
