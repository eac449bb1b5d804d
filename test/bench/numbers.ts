import { v7 as uuidv7 } from 'uuid';
import { startEngines } from '../../infra/local/engines.ts';
import { nameOf, type Numbers, numbersOfInspection, plus } from '../../shared/domain/numbers/counting.ts';
import { ofActions, ofFindings, ofInspections } from '../../shared/inspections/numbers/summaries.ts';
import { inspectionRecords } from '../../shared/inspections/rows/inspection-records.ts';
import { putRows } from '../../shared/table/bulk.ts';
import type { Stored } from '../../shared/table/forms.ts';
import { withoutKeys } from '../../shared/table/rows.ts';
import { newInspection, newLocation } from '../inspections/fixtures.ts';
import { listedLocations, numbersRow } from '../numbers/fixtures.ts';
import { newPerson, type Person } from '../support/people.ts';
import { compare, heading, line, timed } from './sizes.ts';
import { type Line, print, rounded } from './table.ts';
import { callsOf } from './traffic.ts';

/** The numbers of inspections of the organizations. `--scale` reduces all but the smallest one. */
const ORGANIZATIONS = [1_000, 20_000, 200_000] as const;
const STORES = 50;
/** The stores of the league table, which has two template families. */
const CHAIN = 600;
const CALLS = 20;
const MONTHS = 12;
const OFTEN = [41, 41, 41];
const GOAL = 1.1;
const YEAR = { from: '2026-01', to: '2026-12' };
/** Rows that are held in memory before they are stored. */
const CHUNK = 1_000;

interface Organization {
  person: Person;
  storeId: string;
  familyId: string;
}

const monthOf = (number: number): string => `2026-${String((number % MONTHS) + 1).padStart(2, '0')}`;

/**
 * An organization whose inspections are completed, at these stores in turn, month by month, each with a finding and an
 * action. Only what is read is stored: the rows of the inspections, and their numbers.
 */
const newOrganization = async (size: number, storeCount: number, families = 1): Promise<Organization> => {
  const person = await newPerson(`Bench of ${size}`);
  const { caller } = person;
  const inspection = await newInspection(person);
  const like = withoutKeys(await inspectionRecords.get(caller, inspection.id));
  const first = await newLocation(person);
  const store = await person.locations.get({ params: { location_id: first.id } });
  const listed = listedLocations(person, store, storeCount);
  const stores = listed.map(({ id }) => id);
  let rows: Stored[] = [...listed];
  const put = async (...some: Stored[]) => {
    rows.push(...some);
    if (rows.length < CHUNK) return;
    await putRows(rows);
    rows = [];
  };
  const cells = new Map<string, Numbers>();
  for (let number = 0; number < size; number += 1) {
    const location_id = stores[number % storeCount]!;
    const month = monthOf(Math.floor(number / storeCount));
    const completed_at = `${month}-10T12:00:00.000Z`;
    const score = { percentage: number % 101, points: 0, max: 1, result: 'pass' as const };
    const id = uuidv7();
    const done = { ...like, id, location_id, status: 'completed' as const, score, completed_at };
    await put({ ...done, ...inspectionRecords.key(caller, id) });
    const name = `${location_id} ${month}`;
    cells.set(name, plus(cells.get(name) ?? {}, numbersOfInspection({ ...done, started_at: completed_at })));
  }
  for (const [name, inspected] of cells) {
    const [location_id, month] = name.split(' ') as [string, string];
    for (let family = 0; family < families; family += 1) {
      const template_family_id = family === 0 ? like.template_family_id : inspection.id;
      const cell = { month, location_id, client_account_id: null, template_family_id };
      const count = inspected['completed']!;
      const numbers = {
        INSPECTION: inspected,
        FINDING: {
          [nameOf('-', 'minor', 'open', 'first')]: count,
          [nameOf('-', 'major', 'resolved', 'first')]: count,
        },
        ACTION: {
          [nameOf('actions', 'open', 'low')]: count,
          [nameOf('due', 'open', 'low', '490000')]: count,
        },
      } as const;
      for (const what of ['INSPECTION', 'FINDING', 'ACTION'] as const)
        await put(numbersRow(person, what, cell, numbers[what]));
    }
  }
  await putRows(rows);
  return { person, storeId: stores[0]!, familyId: like.template_family_id };
};

const READS: Record<string, (organization: Organization) => Promise<unknown>> = {
  'inspections by month': ({ person }) => ofInspections(person.caller, { ...YEAR, group_by: ['month'] }),
  'inspections by location': ({ person }) =>
    ofInspections(person.caller, { ...YEAR, group_by: ['location'] }),
  'inspections of a location by month': ({ person, storeId }) =>
    ofInspections(person.caller, { ...YEAR, group_by: ['month'], location_id: [storeId] }),
  'findings by severity and month': ({ person }) =>
    ofFindings(person.caller, { ...YEAR, group_by: ['severity', 'month'] }),
  'actions by location and status': ({ person }) =>
    ofActions(person.caller, { ...YEAR, group_by: ['location', 'status'] }),
};

const LEAGUE: Record<string, (organization: Organization) => Promise<unknown>> = {
  inspections: ({ person }) => ofInspections(person.caller, { ...YEAR, group_by: ['location'] }),
  findings: ({ person }) => ofFindings(person.caller, { ...YEAR, group_by: ['location', 'severity'] }),
  actions: ({ person }) => ofActions(person.caller, { ...YEAR, group_by: ['location'] }),
};

/** @param scale a factor for the size of the larger organizations */
export const measure = async (scale: number): Promise<void> => {
  process.env['LOG_LEVEL'] = 'silent';
  const engines = await startEngines({ dataDir: null });
  try {
    const [few, ...more] = ORGANIZATIONS;
    const sizes = [few, ...more.map((size) => Math.max(few, size * scale))];
    const organizations: Organization[] = [];
    for (const size of sizes) organizations.push(await newOrganization(size, STORES));
    const lines: Line[] = [];
    for (const [what, read] of Object.entries(READS)) {
      lines.push(line(`${what}, calls`, await callsOf(organizations, read), 1));
      lines.push(line('    ms', await compare(organizations, OFTEN, timed(read)), GOAL));
    }
    print(
      `numbers: a year of ${STORES} locations`,
      heading('inspections in the organization', sizes),
      lines,
      'On the embedded engine. Medians; the sizes are measured in turns.',
    );
    const chain = await newOrganization(CHAIN * MONTHS, CHAIN, 2);
    const league: Line[] = [];
    for (const [what, read] of Object.entries(LEAGUE)) {
      const [calls] = await callsOf([chain], read);
      const [milliseconds] = await compare([chain], [5], timed(read));
      const isMet = calls! <= CALLS;
      league.push([what, String(calls), `≤ ${CALLS}`, isMet ? 'met' : 'MISSED', rounded(milliseconds!)]);
    }
    print(
      `numbers: a year's league table of ${CHAIN} locations with two template families`,
      ['of', 'calls', 'goal', '', 'ms'],
      league,
    );
  } finally {
    await engines.stop();
  }
};
