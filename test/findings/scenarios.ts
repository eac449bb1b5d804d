import { answering, CHECK, newDocument, TEXT, UNITS } from '../answers/fixtures.ts';
import { attach, moveThrough, newAction, newFinding } from '../corrective-actions/fixtures.ts';
import type { Person } from '../support/people.ts';
import type { Scenarios } from '../support/scenarios.ts';

const of = ({ id }: { id: string }) => ({ params: { inspection_id: id } });

const one = async (person: Person, body: object = {}) => ({
  params: { finding_id: (await newFinding(person, body)).id },
});

const media = async (person: Person) => [{ document_id: await newDocument(person) }];

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
  ],
  listFindings: [
    withFinding,
    async (person) => ({
      ...(await withFinding(person)),
      query: { origin: 'manual', severity: ['minor'], limit: 1 },
    }),
  ],
  getFinding: [(person) => one(person)],
  updateFinding: [
    async (person) => ({ ...(await one(person)), body: { label: 'Rusty bolt', severity: 'major' } }),
    async (person) => ({ ...(await one(person)), body: { status: 'resolved' } }),
  ],
  updateFindingContent: [
    async (person) => ({ ...(await one(person)), body: { root_cause: 'Vibration' } }),
    async (person) => ({
      ...(await one(person, { content: { media: await media(person) } })),
      body: { media: await media(person) },
    }),
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
