import { v7 as uuidv7 } from 'uuid';
import { startEngines } from '../../infra/local/engines.ts';
import * as schedules from '../../shared/db/schedules/schedules.ts';
import { change } from '../../shared/db/table/change.ts';
import { keys } from '../../shared/db/table/keys.ts';
import { getRow } from '../../shared/db/table/rows.ts';
import * as write from '../../shared/db/table/writes.ts';
import { newSchedule } from '../schedules/fixtures.ts';
import { newPerson, type Person } from '../support/people.ts';
import { print, ratio, RATIO, rounded } from './table.ts';
import { traffic } from './traffic.ts';

const SIZES = [100, 1_000] as const;
/** A row may cost this much more where there are ten times as many schedules. */
const GOAL = 1.3;
const YEAR = { from: '2031-01-01', to: '2031-12-31' };
const WEEKLY = {
  rrule: 'FREQ=WEEKLY;BYDAY=MO',
  dtstart_local: '2026-01-05T09:00',
  timezone: 'Europe/Athens',
};

/** Writes of one transaction. */
const AT_ONCE = 90;

/** An organization with this many schedules, all alike. */
const newSample = async (size: number): Promise<Person> => {
  const person = await newPerson(`Bench of ${size}`);
  const { id } = await newSchedule(person, { recurrence: WEEKLY });
  const row = await getRow(person.caller, keys.one(person.caller, 'SCHEDULE', id));
  for (let made = 1; made < size; made += AT_ONCE) {
    const writes = Array.from({ length: Math.min(AT_ONCE, size - made) }, () => {
      const other = uuidv7();
      return write.put({ ...row!, ...keys.one(person.caller, 'SCHEDULE', other), id: other });
    });
    await change(person.caller, async () => ({ writes, reply: undefined }));
  }
  return person;
};

/** Reads the calendar of a year. */
const readYear = async ({ caller }: Person, format: 'json' | 'ics') => {
  const start = performance.now();
  let parts = 0;
  const { calls } = await traffic(async () => {
    const result = await schedules.calendar(caller, { ...YEAR, format });
    for await (const _ of 'rows' in result ? result.rows : result.text) parts += 1;
  });
  return { milliseconds: performance.now() - start, calls, parts };
};

export const measure = async (): Promise<void> => {
  process.env['LOG_LEVEL'] = 'silent';
  const engines = await startEngines({ dataDir: null });
  try {
    const [small, large] = [await newSample(SIZES[0]), await newSample(SIZES[1])];
    // The first run warms up the code.
    await readYear(small, 'json');
    const [few, many] = [await readYear(small, 'json'), await readYear(large, 'json')];
    const [fewEvents, manyEvents] = [await readYear(small, 'ics'), await readYear(large, 'ics')];
    if (many.parts !== SIZES[1] * 52) throw new Error(`${many.parts} rows`);
    const each = ({ milliseconds }: typeof few, rows: number) => (milliseconds * 1_000) / rows;
    const line = (what: string, one: number, other: number) => [
      what,
      rounded(one),
      rounded(other),
      ...ratio(other, one, GOAL),
    ];
    print(
      `schedules: the calendar of a year, ${SIZES.join(' and ')} weekly schedules (${many.parts.toLocaleString('en')} rows)`,
      ['', ...SIZES.map((size) => size.toLocaleString('en')), ...RATIO],
      [
        line('µs a row, JSON', each(few, few.parts), each(many, many.parts)),
        line('µs a row, iCalendar', each(fewEvents, few.parts), each(manyEvents, many.parts)),
        line('DynamoDB calls', few.calls, many.calls),
      ],
    );
  } finally {
    await engines.stop();
  }
};
