import * as createFinding from '../../../functions/findings/create-finding.ts';
import { answering, newDocument, TEXT } from '../../inspections/answer-fixtures.ts';
import { made } from '../call.ts';
import type { Person } from '../people.ts';
import type { Scenarios } from '../scenarios.ts';

const of = ({ id }: { id: string }) => ({ params: { inspection_id: id } });

const found = async (person: Person) => {
  const request = of(await answering(person));
  await made(createFinding, { as: person.key, ...request, body: { label: 'Loose bolt' } });
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
  ],
  listFindings: [
    found,
    async (person) => ({
      ...(await found(person)),
      query: { origin: 'manual', severity: ['minor'], limit: 1 },
    }),
  ],
};
