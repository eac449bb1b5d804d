import { useState } from 'preact/hooks';
import type { HolidayCalendar } from '../../../../shared/schemas/schedules/holiday-calendar.ts';
import type { CalendarRow, Schedule } from '../../../../shared/schemas/schedules/schedule.ts';
import { dayText, fill, numberText } from '../formats.ts';
import { useLoaded } from '../hooks.ts';
import { t, words } from '../page.ts';
import { FailureNotice } from '../ui/failure.tsx';
import { Chip, type Mood, Skeleton, Time } from '../ui/parts.tsx';
import { type Column, More, Table } from '../ui/table.tsx';
import { LinkTo } from './links.tsx';
import {
  type CalendarDate,
  datesOf,
  heldElsewhere,
  missedSpan,
  nextSpan,
  type Span,
} from './schedule-dates.ts';

const x = t.dates;

const MOODS: Partial<Record<CalendarRow['status'], Mood>> = {
  completed: 'good',
  pending_approval: 'warn',
  pending_sign_off: 'warn',
  skipped: 'warn',
  cancelled: 'warn',
};

const STATUSES: Record<CalendarRow['status'], string> = {
  ...words.statuses,
  projected: x.planned,
  skipped: x.leftOut,
  cancelled: words.actionStatuses.cancelled,
};

/** Dates that are shown at once. */
const FEW = 10;

/** Places or inspections of a date that are named one by one. */
const MAX_NAMED = 3;

/** Links to a few, or the number of many. */
const FewLinks = ({
  ids,
  place,
}: {
  ids: readonly string[];
  place: 'locations' | 'assets' | 'inspections';
}) => {
  if (ids.length === 0) return <>–</>;
  if (ids.length > MAX_NAMED) return <>{numberText(ids.length)}</>;
  return (
    <>
      {ids.map((id) => (
        <span class="item" key={id}>
          <LinkTo place={place} id={id} />
        </span>
      ))}
    </>
  );
};

const idsOf = (
  rows: readonly CalendarRow[],
  name: 'location_id' | 'asset_id' | 'inspection_id',
): string[] => [...new Set(rows.flatMap((row) => row[name] ?? []))];

interface DatesProps {
  caption: string;
  schedule: Schedule;
  dates: readonly CalendarDate[];
  holidays: ReadonlyMap<string, string | null>;
}

const Dates = ({ caption, schedule, dates, holidays }: DatesProps) => {
  const [count, setCount] = useState(FEW);
  /** Why an occurrence is left out or held on another day. */
  const reasonOf = ({ date, first }: CalendarDate): string | null => {
    if (first.override) return first.override.reason;
    return holidays.get(date) ?? x.dayOff;
  };
  /** A column of links, where there is one to show. */
  const linksOf = (
    title: string,
    place: 'locations' | 'assets',
    name: 'location_id' | 'asset_id',
  ): Column<CalendarDate>[] => {
    const cell = ({ rows }: CalendarDate) => <FewLinks place={place} ids={idsOf(rows, name)} />;
    return dates.some(({ rows }) => idsOf(rows, name).length > 0) ? [{ title, cell }] : [];
  };
  const columns: Column<CalendarDate>[] = [
    {
      title: words.date,
      cell: (each) => {
        const isElsewhere = heldElsewhere(schedule, each);
        return (
          <>
            <Time at={each.first.starts_at} />
            {isElsewhere && (
              <span class="sub">
                {fill(x.insteadOf, { date: dayText(each.date) })}
                {reasonOf(each) && (
                  <>
                    {' · '}
                    <bdi>{reasonOf(each)}</bdi>
                  </>
                )}
              </span>
            )}
          </>
        );
      },
    },
    {
      title: t.common.status,
      cell: (each) => (
        <>
          {each.statuses.map((status) => (
            <Chip key={status} mood={MOODS[status] ?? ''}>
              {STATUSES[status]}
            </Chip>
          ))}{' '}
          {each.rows.some(({ is_missed }) => is_missed) && <Chip mood="bad">{x.missed}</Chip>}
          {['skipped', 'cancelled'].includes(each.first.status) && (
            <span class="sub">
              <bdi>{reasonOf(each)}</bdi>
            </span>
          )}
        </>
      ),
    },
    ...linksOf(words.location, 'locations', 'location_id'),
    ...linksOf(t.explore.asset, 'assets', 'asset_id'),
    {
      title: words.workbook.inspection,
      cell: ({ rows }) => <FewLinks place="inspections" ids={idsOf(rows, 'inspection_id')} />,
    },
  ];
  return (
    <>
      <Table caption={caption} columns={columns} rows={dates.slice(0, count)} keyOf={({ key }) => key} />
      <More more={dates.length > count ? () => setCount(count + FEW) : undefined} isLoading={false} />
    </>
  );
};

const calendarPath = ({ id }: Schedule, { from, to }: Span): string =>
  `/v1/inspection-schedules/calendar?${new URLSearchParams({ schedule_id: id, from, to }).toString()}`;

type PartProps = Omit<DatesProps, 'caption' | 'dates'> & { now: string };

/** The dates to come, and those that are left out. */
const NextDates = ({ now, ...shown }: PartProps) => {
  const span = nextSpan(shown.schedule, now);
  const calendar = useLoaded<CalendarRow[]>(calendarPath(shown.schedule, span));
  const dates = datesOf((calendar.value ?? []).filter(({ starts_at }) => starts_at >= now));
  return (
    <section class="part">
      <h2>{x.next}</h2>
      <FailureNotice failure={calendar.failure} onRetry={() => void calendar.reload()} />
      {!calendar.value && !calendar.failure && <Skeleton />}
      {shown.schedule.status === 'paused' && <p class="help">{x.paused}</p>}
      {calendar.value && dates.length === 0 && <p class="help">{fill(x.none, { date: dayText(span.to) })}</p>}
      {dates.length > 0 && <Dates caption={x.next} dates={dates} {...shown} />}
    </section>
  );
};

/** What nobody has started in time. */
const Missed = ({ now, ...shown }: PartProps) => {
  const span = missedSpan(shown.schedule, now);
  const calendar = useLoaded<CalendarRow[]>(calendarPath(shown.schedule, span));
  const dates = datesOf((calendar.value ?? []).filter(({ is_missed }) => is_missed)).toReversed();
  return (
    <section class="part">
      <h2>{x.missed}</h2>
      <FailureNotice failure={calendar.failure} onRetry={() => void calendar.reload()} />
      {!calendar.value && !calendar.failure && <Skeleton />}
      {calendar.value && dates.length === 0 && (
        <p class="help">{fill(x.noneMissed, { date: dayText(span.from) })}</p>
      )}
      {dates.length > 0 && <Dates caption={x.missed} dates={dates} {...shown} />}
    </section>
  );
};

/** Reads the names of holidays, which the calendar of a schedule has. */
const WithHolidays = (props: Omit<PartProps, 'holidays'> & { calendarId: string }) => {
  const { calendarId, ...part } = props;
  const { value } = useLoaded<HolidayCalendar>(`/v1/calendars/${calendarId}`);
  const holidays = new Map(value?.dates.map(({ date, name }) => [date, name]));
  return <NextDates {...part} holidays={holidays} />;
};

const NO_NAMES: ReadonlyMap<string, string | null> = new Map();

/** When a schedule creates inspections, what it leaves out, and what was missed. */
export const ScheduleDates = ({ row: schedule }: { row: Schedule }) => {
  const { calendar_id: calendarId, window } = schedule;
  const now = new Date(Math.floor(Date.now() / MINUTE) * MINUTE).toISOString();
  const part = { schedule, now };
  return (
    <>
      {calendarId ? (
        <WithHolidays {...part} calendarId={calendarId} />
      ) : (
        <NextDates {...part} holidays={NO_NAMES} />
      )}
      {window.miss_after !== null && <Missed {...part} holidays={NO_NAMES} />}
    </>
  );
};

/** Milliseconds. */
const MINUTE = 60_000;
