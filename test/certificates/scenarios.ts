import { as } from '../support/call.ts';
import type { Person } from '../support/people.ts';
import type { Scenarios } from '../support/scenarios.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { newCertificate, newCertificateKind } from './fixtures.ts';

const kind = async (person: Person) => ({
  params: { certificate_kind_id: (await newCertificateKind(person)).id },
});

const one = async (person: Person) => ({
  params: { certificate_id: (await newCertificate(person)).certificate.id },
});

const suspended = async (person: Person) => {
  const certificate = await one(person);
  await as(person.key).certificates.suspend({ ...certificate, body: { reason: 'Brake' } });
  return certificate;
};

export const scenarios: Scenarios = {
  createCertificateKind: [
    async (person) => ({
      body: {
        name: `${person.caller.org_id} lift`,
        template_family_id: (await publishedFamily(person.key)).id,
        series: 'LIFT',
        valid_for: 'P12M',
      },
    }),
  ],
  getCertificateKind: [kind],
  listCertificateKinds: [
    async (person) => {
      await newCertificateKind(person);
      return { query: { limit: 1 } };
    },
  ],
  updateCertificateKind: [
    async (person) => ({
      ...(await kind(person)),
      body: { name: `${person.caller.org_id} crane`, valid_for: 'P6M', is_active: false },
    }),
  ],
  deleteCertificateKind: [kind],
  listCertificates: [
    async (person) => {
      const { kind_id, asset_id, location_id } = (await newCertificate(person)).certificate;
      return {
        query: { kind_id, asset_id: asset_id!, location_id: location_id!, status: ['valid'], limit: 10 },
      };
    },
    async (person) => {
      const { kind_id } = (await newCertificate(person)).certificate;
      return { query: { kind_id, limit: 10 } };
    },
    async (person) => {
      const { location_id } = (await newCertificate(person)).certificate;
      return { query: { location_id: location_id!, limit: 10 } };
    },
    async (person) => {
      await newCertificate(person);
      return { query: { expires_before: '2100-01-01T00:00:00Z', limit: 1 } };
    },
    async (person) => {
      await suspended(person);
      return { query: { status: ['suspended'], limit: 1 } };
    },
    async (person) => {
      const { inspection_id } = (await newCertificate(person)).certificate;
      return { query: { inspection_id } };
    },
    async (person) => {
      const client_account_id = (await as(person.key).clientAccounts.create({ body: { name: 'Port' } })).id;
      await newCertificate(person, {
        client_account_id,
        asset_id: null,
        location_id: (await as(person.key).locations.create({ body: { name: 'Yard', client_account_id } }))
          .id,
      });
      return { query: { client_account_id } };
    },
  ],
  getCertificate: [one],
  getCertificatePage: [one],
  suspendCertificate: [async (person) => ({ ...(await one(person)), body: { reason: 'The brake failed.' } })],
  reinstateCertificate: [suspended],
  revokeCertificate: [async (person) => ({ ...(await one(person)), body: { reason: 'Issued by mistake.' } })],
  shareCertificate: [one],
  unshareCertificate: [
    async (person) => {
      const certificate = await one(person);
      await as(person.key).certificates.share(certificate);
      return certificate;
    },
  ],
};
