import { answering, CHECK, CONTENT, newDocument, TEXT, UNITS } from '../answers/fixtures.ts';
import { newAsset } from '../assets/scenarios.ts';
import { attach, moveThrough, newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { advance, newLocation, startedInspection } from '../inspections/fixtures.ts';
import { countChanges } from '../numbers/fixtures.ts';
import type { Person } from '../support/people.ts';
import type { Scenarios } from '../support/scenarios.ts';

const of = ({ id }: { id: string }) => ({ params: { inspection_id: id } });

const one = async (person: Person, body: object = {}) => ({
  params: { finding_id: (await newFinding(person, body)).id },
});

const media = async (person: Person) => [{ document_id: await newDocument(person) }];

/** A finding of an inspection whose family counts repeats. */
const repeatable = async (person: Person) => {
  const { id: location_id } = await newLocation(person);
  const inspection = await startedInspection(person, {
    family: { content: CONTENT, settings: { repeat_window: 'P12M' } },
    location_id,
  });
  const finding = await newFinding(person, { field_id: TEXT }, inspection);
  return { inspection, of: { params: { finding_id: finding.id } } };
};

const withFinding = async (person: Person) => {
  const request = of(await answering(person));
  await person.findings.create({ ...request, body: { label: 'Loose bolt' } });
  return request;
};

export const scenarios: Scenarios = {
  createFinding: [
    async (person) => ({ ...of(await answering(person)), body: { label: 'Loose bolt' } }),
    async (person) => ({
      ...of(await answering(person)),
      body: {
        label: 'Loose bolt',
        severity: 'critical',
        field_id: TEXT,
        content: {
          description: 'Rust',
          media: [{ document_id: await newDocument(person), caption: 'North' }],
        },
      },
    }),
    async (person) => ({
      ...of(await answering(person, { family: { content: UNITS } })),
      body: { label: 'Dust', field_id: CHECK },
    }),
    async (person) => ({
      ...of((await repeatable(person)).inspection),
      body: { label: 'Dust', field_id: TEXT },
    }),
  ],
  listAllFindings: [
    async (person) => {
      const inspection = await startedInspection(person, { family: { content: CONTENT } });
      await newFinding(person, { field_id: TEXT }, inspection);
      return { query: { field_id: [TEXT], template_family_id: [inspection.template_family_id], limit: 2 } };
    },
    async (person) => {
      const { id: location_id } = await newLocation(person);
      await newFinding(person, {}, await startedInspection(person, { location_id }));
      return { query: { within: location_id, status: 'open', severity: ['minor'] } };
    },
    async (person) => {
      const { id: asset_id } = await newAsset(person);
      await newFinding(person, {}, await startedInspection(person, { asset_id }));
      return { query: { asset_id: [asset_id], limit: 1 } };
    },
    async (person) => {
      await newFinding(person);
      return { query: { status: 'open', limit: 1 } };
    },
    async (person) => {
      await newFinding(person, { tags: ['Roof'], metadata: { lot: '7' } });
      return { query: { tag: ['roof'], 'metadata.lot': '7', status: 'open,resolved', limit: 1 } };
    },
    async (person) => {
      await newFinding(person, { external_ref: 'cmms-7' });
      return { query: { external_ref: 'cmms-7' } };
    },
  ],
  summarizeFindings: [
    async (person) => {
      const inspection = await startedInspection(person, { family: { content: CONTENT } });
      await newFinding(person, { field_id: TEXT }, inspection);
      await advance(person.key, inspection);
      await countChanges(person);
      const template_family_id = [inspection.template_family_id];
      return { query: { group_by: ['field', 'month'], template_family_id } };
    },
    async (person) => {
      const { id: location_id } = await newLocation(person);
      await newFinding(person, {}, await startedInspection(person, { location_id }));
      await countChanges(person);
      return { query: { group_by: ['location', 'severity', 'status'], location_id: [location_id] } };
    },
    async (person) => {
      const { id: asset_id } = await newAsset(person);
      await repeatable(person);
      await newFinding(person, {}, await startedInspection(person, { asset_id }));
      return { query: { group_by: ['client_account', 'template_family'], origin: 'manual', q: 'L' } };
    },
  ],
  listFindings: [
    withFinding,
    async (person) => ({
      ...(await withFinding(person)),
      query: { origin: 'manual', severity: ['minor'], limit: 1 },
    }),
    async (person) => ({ ...of((await repeatable(person)).inspection), query: { repeat: true } }),
    async (person) => {
      const request = await one(person);
      const { inspection_id } = await person.findings.update({ ...request, body: { status: 'resolved' } });
      return { params: { inspection_id } };
    },
  ],
  getFinding: [(person) => one(person), async (person) => (await repeatable(person)).of],
  updateFinding: [
    async (person) => ({ ...(await one(person)), body: { label: 'Rusty bolt', severity: 'major' } }),
    async (person) => ({
      ...(await one(person, { metadata: { lot: '7' } })),
      body: { tags: ['Roof'], metadata: { lot: null, row: '2' }, external_ref: 'cmms-7' },
    }),
    async (person) => ({ ...(await one(person)), body: { status: 'resolved' } }),
    async (person) => ({ ...(await repeatable(person)).of, body: { status: 'resolved' } }),
  ],
  updateFindingContent: [
    async (person) => ({ ...(await one(person)), body: { root_cause: 'Vibration' } }),
    async (person) => ({
      ...(await one(person, { content: { media: await media(person) } })),
      body: { media: await media(person) },
    }),
    async (person) => ({ ...(await repeatable(person)).of, body: { root_cause: 'Vibration' } }),
  ],
  deleteFinding: [
    (person) => one(person),
    async (person) => {
      const finding = await newFinding(person);
      const document_id = await newDocument(person);
      const action = await newAction(person, { assignee_id: person.adminId }, finding);
      await attach(person, action, document_id);
      await moveThrough(person, action, 'cancelled');
      return { params: { finding_id: finding.id } };
    },
  ],
};
