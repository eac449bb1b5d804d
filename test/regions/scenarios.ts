import type { Region } from '../../shared/schemas/region.ts';
import { as } from '../support/call.ts';
import type { Person } from '../support/people.ts';
import type { Scenarios } from '../support/scenarios.ts';

export const newRegion = ({ key }: Person, fields: object = {}): Promise<Region> =>
  as(key).regions.create({ body: { name: 'District North', ...fields } });

const newCalendar = (person: Person): Promise<{ id: string }> =>
  person.schedules.createHolidayCalendar({ body: { name: 'Hamburg' } });

let refs = 0;
const newRef = () => `region-${(refs += 1)}`;

const one = async (person: Person, fields?: object) => ({
  params: { region_id: (await newRegion(person, fields)).id },
});

/** A region in another one. */
const inner = async (person: Person) => one(person, { parent_id: (await newRegion(person)).id });

export const scenarios: Scenarios = {
  createRegion: [
    () => ({ body: { name: 'District North' } }),
    async (person) => ({
      body: {
        name: 'Harbour',
        kind: 'quarter',
        parent_id: (await newRegion(person)).id,
        external_ref: newRef(),
        calendar_id: (await newCalendar(person)).id,
        people: [{ user_id: person.adminId, role: 'manager' }],
      },
    }),
  ],
  getRegion: [(person) => one(person), inner],
  listRegions: [
    async (person) => {
      await inner(person);
      return {};
    },
    async (person) => {
      const external_ref = newRef();
      await newRegion(person, { external_ref });
      return { query: { external_ref, limit: 1 } };
    },
    async (person) => ({ query: { parent_id: (await newRegion(person)).id } }),
    async (person) => {
      await newRegion(person);
      return { query: { q: 'north', limit: 1 } };
    },
  ],
  updateRegion: [
    async (person) => ({ ...(await one(person)), body: { name: 'District South', kind: 'district' } }),
    async (person) => ({
      ...(await inner(person)),
      body: { parent_id: (await newRegion(person)).id, external_ref: newRef() },
    }),
    async (person) => ({
      ...(await one(person, { external_ref: newRef() })),
      body: { external_ref: null, calendar_id: (await newCalendar(person)).id },
    }),
  ],
  deleteRegion: [inner, (person) => one(person, { external_ref: newRef() })],
};
