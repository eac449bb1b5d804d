import type { CertificateKind } from '../../shared/schemas/certificates/certificate-kind.ts';
import type { Certificate } from '../../shared/schemas/certificates/certificate.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { newAsset } from '../assets/scenarios.ts';
import {
  advance,
  answer,
  completedInspection,
  NOTHING_REQUIRED,
  startedInspection,
} from '../inspections/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { as } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import type { Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';

let kinds = 0;

export const newCertificateKind = async ({ key }: Person, fields: object = {}): Promise<CertificateKind> => {
  kinds += 1;
  const template_family_id =
    (fields as { template_family_id?: string }).template_family_id ??
    (await publishedFamily(key, NOTHING_REQUIRED)).id;
  const body = { name: `Certificate ${kinds}`, series: `C${kinds}`, valid_for: 'P12M', ...fields };
  return as(key).certificates.createKind({ body: { ...body, template_family_id } });
};

/** What a completed inspection has issued. */
export interface Issued {
  kind: CertificateKind;
  inspection: Inspection;
  certificate: Certificate;
}

/** A certificate of an asset at a location. @param fields of the inspection */
export const newCertificate = async (person: Person, fields: object = {}, ofKind = {}): Promise<Issued> => {
  const kind = await newCertificateKind(person, ofKind);
  const location_id = (await newLocation(person)).id;
  const { id: asset_id } = await newAsset(person, { location_id, serial: 'SN 1', manufacturer: 'Acme' });
  const { template_family_id } = kind;
  const inspection = await completedInspection(person, { template_family_id, asset_id, ...fields });
  const [certificate] = await as(person.key).certificates.list({ query: { inspection_id: inspection.id } });
  return { kind, inspection, certificate: certificate! };
};

/** A family that fails an inspection which answers its question, `uuid(2)`, with no. */
const CRITICAL = {
  content: {
    ...contentWith(field(2, 'yes_no', { fail_if: { op: 'eq', value: false }, critical: true, max_score: 1 })),
    scoring: { enabled: true, method: 'points' },
  },
};

/** An inspection in progress that issues a certificate of an asset once it is completed. @param family of its family */
export const certifying = async (person: Person, family: object = NOTHING_REQUIRED): Promise<Inspection> => {
  const { id: template_family_id } = await publishedFamily(person.key, family);
  await newCertificateKind(person, { template_family_id });
  const { id: kind_id } = await as(person.key).assets.createKind({ body: { name: `Lift ${kinds}` } });
  const { id: asset_id } = await newAsset(person, { kind_id });
  const location_id = (await newLocation(person)).id;
  return startedInspection(person, { template_family_id, asset_id, location_id });
};

/** The same, completed with an answer. */
export const answered = async (person: Person, value: boolean, family: object = {}): Promise<Inspection> => {
  const inspection = await certifying(person, { ...CRITICAL, ...family });
  await answer(person, inspection, uuid(2), value);
  return advance(person.key, inspection);
};
