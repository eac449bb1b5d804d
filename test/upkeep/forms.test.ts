import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../shared/base/caller.ts';
import { systemClient } from '../../shared/table/client.ts';
import { FORM, formAt, type Stored, UPGRADES } from '../../shared/table/forms.ts';
import { keys } from '../../shared/table/keys.ts';
import { scanPage, type ScannedPage } from '../../shared/table/scan.ts';
import { storedRowsOf } from '../../shared/table/walk.ts';
import { checkForms } from '../../shared/upkeep/consistency/forms.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { installFaults, on, withFault } from '../support/faults.ts';
import { newMember, tell } from '../support/notices.ts';
import { newPerson, type Person } from '../support/people.ts';

installFaults();

let person: Person;
let caller: Caller;
let inspectionId: string;
let location: Stored;

beforeEach(async () => {
  person = await newPerson('Checked');
  ({ caller } = person);
  ({ id: inspectionId } = await newInspection(person, { due_at: '2030-01-01T00:00:00.000Z' }));
  const params = { inspection_id: inspectionId };
  await person.findings.create({ params, body: { label: 'Crack' } });
  await tell(person, { user_ids: [await newMember(person, 'Ana')] });
  const { id } = await newLocation(person);
  const rows = await Array.fromAsync(storedRowsOf(caller));
  location = rows.find(({ sk }) => sk === id)!;
});

const put = (Item: object) =>
  systemClient().send(new PutCommand({ TableName: process.env['TABLE_NAME'], Item: Item as Stored }));

const faults = async () => (await Array.fromAsync(checkForms(caller))).filter((fault) => fault !== undefined);

/** All rows of the organization, which the table may have among many others. */
const scanned = async (): Promise<Stored[]> => {
  const rows: Stored[] = [];
  let start: ScannedPage['next'];
  do {
    const page = await scanPage(start, 10_000, caller.org_id);
    rows.push(...page.rows);
    start = page.next;
  } while (start);
  return rows;
};

test('all rows of an organization are read, but those that stand by a hash', async () => {
  const names = ({ pk, sk }: Stored) => `${pk} ${sk}`;
  const reached = await Array.fromAsync(storedRowsOf(caller), names);
  const rows = await scanned();
  const left = rows.filter((row) => !reached.includes(names(row)));
  expect(new Set(reached).size).toBe(reached.length);
  expect(new Set(left.map(({ pk }) => pk.replace(`ORG#${caller.org_id}#`, '').split('#')[0]))).toEqual(
    new Set(['UNIQUE', 'KEY', 'EMAIL']),
  );
});

test('the ids of a kind are read once, however many kinds of rows stand below it', async () => {
  const read: unknown[] = [];
  const noted = on(
    ({ command }) => command === 'Query',
    ({ input, send }) => {
      read.push((input['ExpressionAttributeValues'] as Record<string, unknown>)[':v0']);
      return send();
    },
  );
  await withFault(noted, () => Array.fromAsync(storedRowsOf(caller)));
  const times = (partition: string) => read.filter((each) => each === partition).length;
  // Once more for the rows themselves.
  expect(times(keys.all(caller, 'INSPECTION'))).toBe(2);
  expect(times(keys.all(caller, 'FAMILY'))).toBe(2);
});

test('a row of no kind, of a newer form, or without what clients are shown is a fault', async () => {
  expect(await faults()).toEqual([]);
  const { name: _, ...nameless } = location;
  await put({ ...nameless, created_at: 7 });
  const client = keys.one(caller, 'CLIENT', uuidv7());
  const known = formAt(client);
  await put({ ...client, [FORM]: known + 1 });
  await put({ pk: keys.below(caller, 'INSPECTION', inspectionId), sk: 'FLOOR#1' });
  const found = await faults();
  expect(found).toHaveLength(3);
  expect(found).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ what: 'attributes of LOCATION', stored: { created_at: 7, name: undefined } }),
      expect.objectContaining({
        what: 'row of a newer release',
        stored: { [FORM]: known + 1 },
        found: { [FORM]: known },
      }),
      expect.objectContaining({ what: 'row of no kind', id: `INSPECTION#${inspectionId} FLOOR#1` }),
    ]),
  );
});

test('a row that an upgrade does not take is a fault', async () => {
  UPGRADES.LOCATION = [
    () => {
      throw new TypeError('it has no name');
    },
  ];
  const found = await faults();
  delete UPGRADES.LOCATION;
  expect(found).toEqual([expect.objectContaining({ what: 'LOCATION that cannot be upgraded' })]);
});
