import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { completedInspection, newClient, newInspection, newLocation } from '../inspections/fixtures.ts';
import { contentWith, field } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';

/** The names that a report of an inspection shows. */
const shown = async (person: Person, { id }: Pick<Inspection, 'id'>) => {
  const payload = await person.reports.getPayload({ params: { inspection_id: id } });
  const { client, location, participants } = payload['inspection'] as never as {
    client: object;
    location: object;
    participants: { name: string }[];
  };
  return { client, location, people: participants.map(({ name }) => name) };
};

const FAMILY = { content: contentWith(field(2)) };

let ana: Person;
let client: { id: string };
let tower: { id: string };
let flat: { id: string };

beforeEach(async () => {
  ana = await newPerson('Ana');
  client = await newClient(ana, 'Acme');
  tower = await newLocation(ana, client.id);
  await ana.locations.update({ params: { location_id: tower.id }, body: { name: 'Tower One' } });
  flat = await ana.locations.create({
    body: {
      name: 'Flat 41',
      client_account_id: client.id,
      parent_id: tower.id,
      address: 'Quay 1',
      timezone: 'Europe/Athens',
      external_ref: 'F41',
    },
  });
});

const renameAll = async () => {
  await ana.clientAccounts.update({ params: { ca_id: client.id }, body: { name: 'Zenith' } });
  await ana.locations.update({ params: { location_id: tower.id }, body: { name: 'Tower Two' } });
  await ana.locations.update({
    params: { location_id: flat.id },
    body: { name: 'Flat 99', address: 'Hill 2', timezone: 'Europe/Berlin', external_ref: 'F99' },
  });
};

const THEN = {
  client: { name: 'Acme', current_name: 'Zenith' },
  location: {
    name: 'Flat 41',
    current_name: 'Flat 99',
    path: ['Tower One'],
    address: { lines: ['Quay 1'] },
    timezone: 'Europe/Athens',
    external_ref: 'F41',
  },
};

test('a completed inspection keeps the names of its client, its location and the people with a part', async () => {
  const inspection = await completedInspection(ana, { family: FAMILY, location_id: flat.id });
  await renameAll();
  expect(await shown(ana, inspection)).toMatchObject(THEN);
});

test('an inspection that is not completed shows the present names', async () => {
  const inspection = await newInspection(ana, { family: FAMILY, location_id: flat.id });
  await renameAll();
  expect(await shown(ana, inspection)).toMatchObject({
    client: { name: 'Zenith' },
    location: { name: 'Flat 99', address: { lines: ['Hill 2'] }, timezone: 'Europe/Berlin' },
  });
});

test.each(['close', 'discard'] as const)('a correction that names another location, then %s', async (end) => {
  const inspection = await completedInspection(ana, { family: FAMILY, location_id: flat.id });
  await renameAll();
  const at = { inspection_id: inspection.id };
  const other = await newLocation(ana, client.id);
  await ana.locations.update({ params: { location_id: other.id }, body: { name: 'Flat 7' } });
  const { id } = await ana.corrections.create({ params: at, body: { reason: 'The wrong flat' } });
  await ana.inspections.update({ params: at, body: { location_id: other.id } });
  await ana.locations.update({ params: { location_id: other.id }, body: { name: 'Flat 8' } });
  await ana.corrections[end]({ params: { ...at, correction_id: id } });
  const corrected = { id: other.id, name: 'Flat 7', current_name: 'Flat 8' };
  expect(await shown(ana, inspection)).toMatchObject({
    client: THEN.client,
    location: end === 'close' ? corrected : THEN.location,
  });
});
