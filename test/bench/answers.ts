import { v7 as uuidv7 } from 'uuid';
import { startEngines } from '../../infra/local/engines.ts';
import { readFeed } from '../../shared/inspections/answers/feed.ts';
import { answersOf, inspectionRecords } from '../../shared/inspections/rows/inspection-records.ts';
import { putRows } from '../../shared/table/bulk.ts';
import type { StoredInspection } from '../../shared/table/entities/inspections.ts';
import type { Stored } from '../../shared/table/forms.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow, withoutKeys } from '../../shared/table/rows.ts';
import { answer, startedInspection } from '../inspections/fixtures.ts';
import { contentWith, field } from '../support/content.ts';
import { drain } from '../support/drain.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { compare, heading, line, timed } from './sizes.ts';
import { type Line, print } from './table.ts';
import { callsOf } from './traffic.ts';

/** The numbers of inspections of the organizations. `--scale` reduces all but the smallest one. */
const SIZES = [1_000, 10_000, 100_000] as const;
const FIELDS = 10;
/** Inspections with answers: as many as a page reads. */
const ANSWERED = 100;
/** Inspections in which something is saved between two requests. */
const CHANGED = 20;
const OFTEN = [21, 21, 21];
/** The first event of a time is found by halving, which takes a few reads more in a larger organization. */
const GOAL = 1.5;
const CHUNK = 1_000;
const LONG_AGO = '2026-01-01T00:00:00.000Z';

interface Organization {
  person: Person;
  template_family_id: string;
  /** Before the last changes. */
  since: string;
}

/** The rows of an inspection that a page may read: its own, its answers, and the event of its creation. */
const rowsLike = (
  { caller }: Person,
  like: StoredInspection,
  answers: readonly Stored[],
  event: Stored,
  sequence: number,
): Stored[] => {
  const inspection = { ...like, id: uuidv7(), number: sequence };
  const { inspection_id } = answersOf(inspection);
  const change = { inspection_id, sequence, recorded_at: LONG_AGO, ttl: event['ttl'] };
  return [
    {
      ...inspection,
      ...inspectionRecords.key(caller, inspection.id),
      by_family: keys.inspectionsWith(caller, 'FAMILY', like.template_family_id),
    },
    ...answers.map((row) => ({ ...row, pk: keys.below(caller, 'INSPECTION', inspection.id) })),
    { ...event, ...keys.event(caller, sequence), sequence, recorded_at: LONG_AGO },
    { ...change, ...keys.changedAnswers(caller, like.template_family_id, sequence) },
  ];
};

/** An organization in which all inspections but a few were answered long ago. */
const newOrganization = async (size: number): Promise<Organization> => {
  const person = await newPerson(`Bench of ${size}`);
  const { key, caller } = person;
  const fields = Array.from({ length: FIELDS }, (_, index) => field(index + 2));
  const { id: template_family_id } = await publishedFamily(key, { content: contentWith(...fields) });
  const inspections = [];
  for (let count = 0; count < CHANGED; count += 1)
    inspections.push(await startedInspection(person, { template_family_id }));
  for (const { id } of fields) await answer(person, inspections[0]!, id, 'Tight, no play');
  await drain(caller);
  const like = withoutKeys(await inspectionRecords.get(caller, inspections[0]!.id));
  const answers = await Promise.all(
    fields.map(({ id }) => getRow(caller, keys.answer(caller, like.id, id, ''))),
  );
  const { last = 0 } = (await getRow(caller, keys.eventSequence(caller))) ?? {};
  const event = await getRow(caller, keys.event(caller, last));
  let rows: Stored[] = [];
  for (let number = 1; number <= size - CHANGED; number += 1) {
    const own = number <= ANSWERED ? answers : [];
    rows.push(
      ...rowsLike(person, like, own as unknown as Stored[], event as unknown as Stored, last + number),
    );
    if (rows.length < CHUNK) continue;
    await putRows(rows);
    rows = [];
  }
  const sequence = { ...keys.eventSequence(caller), last: last + size - CHANGED, recorded_at: LONG_AGO };
  await putRows([...rows, sequence]);
  const since = new Date().toISOString();
  for (const inspection of inspections) await answer(person, inspection, fields[0]!.id, 'Loose');
  await drain(caller);
  return { person, template_family_id, since };
};

const READS: Record<string, (organization: Organization) => Promise<unknown>> = {
  [`what changed in ${CHANGED} of them`]: ({ person, template_family_id, since }) =>
    readFeed(person.caller, { template_family_id, updated_since: since, limit: 1_000 }),
  'the first 1,000 answers of all': ({ person, template_family_id }) =>
    readFeed(person.caller, { template_family_id, limit: 1_000 }),
};

/** @param scale a factor for the size of the larger organizations */
export const measure = async (scale: number): Promise<void> => {
  process.env['LOG_LEVEL'] = 'silent';
  const engines = await startEngines({ dataDir: null });
  try {
    const [few, ...more] = SIZES;
    const sizes = [few, ...more.map((size) => Math.max(few, size * scale))];
    const organizations: Organization[] = [];
    for (const size of sizes) organizations.push(await newOrganization(size));
    const lines: Line[] = [];
    for (const [what, read] of Object.entries(READS)) {
      lines.push(line(`${what}, calls`, await callsOf(organizations, read), GOAL));
      lines.push(line('    ms', await compare(organizations, OFTEN, timed(read)), GOAL));
    }
    print(
      'answers: a template in one list',
      heading('inspections in the organization', sizes),
      lines,
      'On the embedded engine. Medians; the sizes are measured in turns.',
    );
  } finally {
    await engines.stop();
  }
};
