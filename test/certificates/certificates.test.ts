import { expiryOf, readNumber, remindersOf } from '../../shared/domain/certificates.ts';
import { nextMoment, statusAt } from '../../shared/inspections/certificates/records.ts';
import { deleteWhole } from '../../shared/inspections/deletion.ts';
import type { Certificate } from '../../shared/schemas/certificates/certificate.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { keys } from '../../shared/table/keys.ts';
import { queryRows } from '../../shared/table/rows.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { dueDeadlines, notifyOfDeadline } from '../../shared/upkeep/due-notices.ts';
import { newAsset } from '../assets/scenarios.ts';
import { closeOf, openCorrection } from '../corrections/fixtures.ts';
import {
  advance,
  answer,
  completedInspection,
  NOTHING_REQUIRED,
  startedInspection,
} from '../inspections/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { uuid } from '../support/content.ts';
import { waitingEvents } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { answered, newCertificate, newCertificateKind } from './fixtures.ts';

let person: Person;

beforeAll(async () => {
  person = await newPerson('Lifts');
});

const at = ({ id }: { id: string }) => ({ params: { certificate_id: id } });

const of = ({ id }: { id: string }) => person.certificates.list({ query: { inspection_id: id } });

const typesOf = async (id: string): Promise<string[]> =>
  (await waitingEvents(person.caller)).flatMap(({ type, data }) => (data.id === id ? [type] : []));

/** Corrects the answer of a completed inspection. */
const correct = async (inspection: Inspection, value: boolean): Promise<string> => {
  const correction = await openCorrection(person, inspection);
  await answer(person, inspection, uuid(2), value);
  await closeOf(person, correction);
  return correction.id;
};

describe('a certificate', () => {
  test('is issued when an inspection is completed, with the names of that moment', async () => {
    const { kind, inspection, certificate } = await newCertificate(person);
    expect(certificate).toMatchObject({
      kind_id: kind.id,
      title: kind.name,
      status: 'valid',
      inspected_at: inspection.submitted_at ?? inspection.completed_at,
      names_then: {
        organization: 'Lifts',
        asset: { name: 'Lift A', serial: 'SN 1', manufacturer: 'Acme' },
        location: { name: 'Harbour North' },
        client: null,
      },
    });
    expect(certificate.number).toMatch(new RegExp(`^${kind.series}-00001(-[0-9A-Z]{4}){3}$`));
    await person.assets.update({ params: { asset_id: inspection.asset_id! }, body: { name: 'Lift Z' } });
    expect((await person.certificates.get(at(certificate))).names_then.asset!.name).toBe('Lift A');
    expect(await typesOf(certificate.id)).toEqual(['certificate.issued']);
  });

  test('is not issued for nothing, for a failure, or by a kind that is not active', async () => {
    const kind = await newCertificateKind(person);
    const { template_family_id } = kind;
    expect(await of(await completedInspection(person, { template_family_id }))).toEqual([]);
    expect(await of(await answered(person, false))).toEqual([]);
    await person.certificates.updateKind({
      params: { certificate_kind_id: kind.id },
      body: { is_active: false },
    });
    const { id: asset_id } = await newAsset(person);
    expect(await of(await completedInspection(person, { template_family_id, asset_id }))).toEqual([]);
  });

  test('has a number without gaps or doubles, also when many are issued at once', async () => {
    const { template_family_id, id: kind_id } = await newCertificateKind(person);
    const { id: asset_id } = await newAsset(person);
    const started = await Promise.all(
      Array.from({ length: 6 }, () => startedInspection(person, { template_family_id, asset_id })),
    );
    await Promise.all(started.map((inspection) => advance(person.key, inspection)));
    const issued = await person.certificates.list({ query: { kind_id } });
    const numbers = issued.map(({ number }: Certificate) => number.split('-')[1]);
    expect(numbers.toSorted()).toEqual(['00001', '00002', '00003', '00004', '00005', '00006']);
    expect(new Set(issued.map(({ number }: Certificate) => readNumber(number)!.code)).size).toBe(6);
  });

  test('is suspended by a correction that lets its inspection fail, and reinstated by one that does not', async () => {
    const inspection = await answered(person, true);
    const [{ id }] = (await of(inspection)) as [{ id: string }];
    const correction_id = await correct(inspection, false);
    expect(await person.certificates.get(at({ id }))).toMatchObject({
      status: 'suspended',
      suspended_by: 'correction',
      correction_id,
    });
    expect((await person.try.certificates.reinstate(at({ id }))).headers['x-error-code']).toBe(
      'certificate_unfounded',
    );
    await correct(inspection, true);
    expect(await person.certificates.get(at({ id }))).toMatchObject({
      status: 'valid',
      status_reason: '',
      suspended_by: null,
      correction_id: null,
    });
    expect(await typesOf(id)).toEqual([
      'certificate.issued',
      'certificate.suspended',
      'certificate.reinstated',
    ]);
  });

  test('is issued by a correction that lets its inspection pass', async () => {
    const inspection = await answered(person, false);
    await correct(inspection, true);
    expect(await of(inspection)).toMatchObject([{ status: 'valid' }]);
  });

  test('is suspended while its inspection is archived, unless somebody has suspended or revoked it', async () => {
    const { inspection, certificate } = await newCertificate(person);
    const where = { params: { inspection_id: inspection.id } };
    await person.inspections.archive(where);
    expect(await person.certificates.get(at(certificate))).toMatchObject({
      status: 'suspended',
      suspended_by: 'archiving',
    });
    await person.inspections.restore(where);
    expect((await person.certificates.get(at(certificate))).status).toBe('valid');
    await person.certificates.suspend({ ...at(certificate), body: { reason: 'Brake' } });
    await person.inspections.archive(where);
    await person.inspections.restore(where);
    expect(await person.certificates.get(at(certificate))).toMatchObject({
      status: 'suspended',
      status_reason: 'Brake',
    });
    await person.certificates.reinstate(at(certificate));
    await person.certificates.revoke({ ...at(certificate), body: { reason: 'Mistake' } });
    const refusals = [
      await person.try.certificates.suspend({ ...at(certificate), body: { reason: 'Again' } }),
      await person.try.certificates.reinstate(at(certificate)),
    ];
    expect(refusals.map(({ status, body }) => [status, body.detail])).toEqual([
      [409, 'The certificate is revoked.'],
      [409, 'The certificate is revoked.'],
    ]);
    const again = await person.certificates.revoke({ ...at(certificate), body: { reason: 'Again' } });
    expect(again.status_reason).toBe('Mistake');
  });

  test('keeps its inspection, its kind and its family from being deleted, and is erased with the inspection', async () => {
    const { kind, inspection, certificate } = await newCertificate(person);
    const inUse = [
      await person.try.inspections.delete({ params: { inspection_id: inspection.id } }),
      await person.try.certificates.deleteKind({ params: { certificate_kind_id: kind.id } }),
    ];
    expect(inUse.map(({ status }) => status)).toEqual([409, 409]);
    await deleteWhole(person.caller, inspection.id);
    expect((await person.try.certificates.get(at(certificate))).status).toBe(404);
    const family = { params: { family_id: kind.template_family_id } };
    expect((await person.try.families.delete(family)).status).toBe(409);
    await person.certificates.deleteKind({ params: { certificate_kind_id: kind.id } });
    await person.families.delete(family);
  });

  test('ends with a day of its place', async () => {
    const { id: location_id } = await newLocation(person, { timezone: 'Pacific/Auckland' });
    const { certificate } = await newCertificate(person, { location_id });
    const { timezone, inspected_at, expires_at } = certificate;
    expect([timezone, expires_at]).toEqual([
      'Pacific/Auckland',
      expiryOf(inspected_at, 'P12M', 'Pacific/Auckland'),
    ]);
    expect(expires_at).not.toBe(expiryOf(inspected_at, 'P12M', 'UTC'));
  });

  test('is not issued for an inspection from before its kind, when that is archived and restored', async () => {
    const { template_family_id } = await newCertificateKind(person);
    const { id: family_id } = await publishedFamily(person.key, NOTHING_REQUIRED);
    const { id: asset_id } = await newAsset(person);
    const before = await completedInspection(person, { template_family_id: family_id, asset_id });
    await newCertificateKind(person, { template_family_id: family_id });
    const where = { params: { inspection_id: before.id } };
    await person.inspections.archive(where);
    await person.inspections.restore(where);
    expect(await of(before)).toEqual([]);
    expect(await of(await completedInspection(person, { template_family_id, asset_id }))).toHaveLength(1);
  });

  test('is found by its end, the first to expire first', async () => {
    const [long, short] = [
      await newCertificate(person),
      await newCertificate(person, {}, { valid_for: 'P1M' }),
    ];
    const found = async (before: string) =>
      (await person.certificates.list({ query: { expires_before: before } })).map(
        ({ id }: Certificate) => id,
      );
    const within = await found(new Date(Date.now() + 60 * 86_400_000).toISOString());
    expect(within).toContain(short.certificate.id);
    expect(within).not.toContain(long.certificate.id);
    const all = await found('2100-01-01T00:00:00Z');
    expect(all.indexOf(short.certificate.id)).toBeLessThan(all.indexOf(long.certificate.id));
    await person.certificates.revoke({ ...at(short.certificate), body: { reason: 'Mistake' } });
    expect(await found('2100-01-01T00:00:00Z')).not.toContain(short.certificate.id);
  });

  test('agrees with what follows from it', async () => {
    const { found } = await checkOrganization(person.caller, { repair: false });
    expect(found).toBe(0);
  });
});

describe('the link of a certificate', () => {
  test('is shown once, replaced by another one, and ended', async () => {
    const { certificate } = await newCertificate(person);
    const first = await person.certificates.share(at(certificate));
    const second = await person.certificates.share(at(certificate));
    expect(second.url).not.toBe(first.url);
    const shown = await person.certificates.get(at(certificate));
    expect([shown.shared_at, JSON.stringify(shown).includes('url')]).toEqual([second.shared_at, false]);
    const ended = await person.certificates.unshare(at(certificate));
    expect(ended.shared_at).toBeNull();
    expect(await person.certificates.unshare(at(certificate))).toEqual(ended);
  });
});

describe('a certificate kind', () => {
  test('has a name and a series of its own, and keeps its family and series', async () => {
    const kind = await newCertificateKind(person);
    const { name, series, template_family_id } = kind;
    const create = (body: object) =>
      person.try.certificates.createKind({
        body: { name: 'Other', series: 'OTHER', valid_for: 'P1Y', template_family_id, ...body },
      });
    const answers = await Promise.all([
      create({ name: name.toUpperCase() }),
      create({ series }),
      create({ series: 'lift' }),
      create({ valid_for: 'PT8H' }),
      create({ remind_before: ['P1D', 'never'] }),
      create({ template_family_id: uuid(9) }),
      person.try.certificates.updateKind({
        params: { certificate_kind_id: kind.id },
        body: { series: 'NEW' },
      }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 422, 422, 422, 400, 422]);
    const at = { params: { certificate_kind_id: kind.id } };
    const changed = await person.certificates.updateKind({ ...at, body: { layout: { color: '#102030' } } });
    expect(changed.layout).toEqual({ ...kind.layout, color: '#102030' });
    expect(await person.certificates.getKind(at)).toEqual(changed);
    expect(await person.certificates.listKinds({})).toContainEqual(changed);
  });
});

describe('the end of a certificate', () => {
  const told = async (owner: Person, now: Date) => {
    for await (const deadlines of dueDeadlines(now)) {
      for (const deadline of deadlines.filter(({ org_id }) => org_id === owner.caller.org_id)) {
        await notifyOfDeadline(deadline, now);
        await notifyOfDeadline(deadline, now);
      }
    }
  };
  const endEvents = async (owner: Person) =>
    (await waitingEvents(owner.caller)).flatMap(({ type, data }) =>
      type.startsWith('certificate.expir') ? [[type, data.id]] : [],
    );

  test('is told before and when it comes, each once, unless a later certificate is valid', async () => {
    const owner = await newPerson('Reminders');
    const { kind, certificate, inspection } = await newCertificate(
      owner,
      {},
      { remind_before: ['P30D', 'P7D'] },
    );
    const { expires_at, id } = certificate;
    const before = (days: number) => new Date(Date.parse(expires_at) - days * 86_400_000 + 7_200_000);
    await told(owner, before(31));
    expect(await endEvents(owner)).toEqual([]);
    await told(owner, before(30));
    await told(owner, before(29));
    expect(await endEvents(owner)).toEqual([['certificate.expiring', id]]);
    const { template_family_id } = kind;
    const { asset_id } = inspection;
    const later = await completedInspection(owner, { template_family_id, asset_id });
    const [renewal] = await owner.certificates.list({ query: { inspection_id: later.id } });
    expect(renewal!.number.split('-')[1]).toBe('00002');
    await told(owner, before(7));
    expect(await endEvents(owner)).toEqual([
      ['certificate.expiring', id],
      ['certificate.expiring', renewal!.id],
    ]);
  });

  test('is told also where the later certificate was revoked', async () => {
    const owner = await newPerson('Revoker');
    const { kind, certificate, inspection } = await newCertificate(owner, {}, { remind_before: ['P7D'] });
    const { template_family_id } = kind;
    const { asset_id } = inspection;
    const later = await completedInspection(owner, { template_family_id, asset_id });
    const [renewal] = await owner.certificates.list({ query: { inspection_id: later.id } });
    await owner.certificates.revoke({ ...at(renewal), body: { reason: 'Mistake' } });
    await told(owner, new Date(Date.parse(certificate.expires_at) - 6 * 86_400_000));
    expect(await endEvents(owner)).toEqual([['certificate.expiring', certificate.id]]);
  });

  test('is the last moment in which it is valid, and a moment that has been told of is not told again', () => {
    const [soon, end, later] = [
      '2027-06-23T23:59:59.000Z',
      '2027-06-30T23:59:59.000Z',
      '2027-07-01T00:00:00.000Z',
    ];
    const certificate = { status: 'valid', remind_at: [soon], expires_at: end } as const;
    expect([soon, end, later].map((now) => statusAt(certificate, now))).toEqual([
      'valid',
      'valid',
      'expired',
    ]);
    const moments = ['2027-01-01T00:00:00.000Z', soon, end].map((after) =>
      nextMoment({ ...certificate, remind_at: [soon] }, after),
    );
    expect(moments).toEqual([soon, end, undefined]);
  });

  test('is told once it has come', async () => {
    const owner = await newPerson('Ends');
    const { certificate } = await newCertificate(owner, {}, { remind_before: [] });
    await told(owner, new Date(Date.parse(certificate.expires_at) + 1_000));
    expect(await endEvents(owner)).toEqual([['certificate.expired', certificate.id]]);
    const partition = keys.unreadNotification.partition(owner.caller, owner.adminId);
    const notices = await Array.fromAsync(queryRows(owner.caller, { partition }));
    expect(notices).toMatchObject([
      {
        event: 'certificate_expired',
        note: `${certificate.title} · ${certificate.number} · Lift A · ${certificate.expires_at.slice(0, 10)}`,
      },
    ]);
  });

  test.each([
    ['2027-02-28T10:00:00.000Z', 'P12M', 'UTC', '2028-02-28T23:59:59.000Z'],
    ['2028-02-29T10:00:00.000Z', 'P1Y', 'UTC', '2029-02-28T23:59:59.000Z'],
    ['2027-09-30T23:30:00.000Z', 'P1M', 'Europe/Athens', '2027-11-01T21:59:59.000Z'],
    ['2027-03-01T12:00:00.000Z', 'P27D', 'Europe/Athens', '2027-03-28T20:59:59.000Z'],
  ])('of an inspection at %s is after %s in %s', (inspected, valid, zone, end) => {
    expect(expiryOf(inspected, valid, zone)).toBe(end);
  });

  test('is reminded of after the issue only, the earliest first', () => {
    const end = '2027-06-30T23:59:59.000Z';
    expect(remindersOf(end, ['P7D', 'P90D', 'P30D', 'P7D'], 'UTC', '2027-05-01T00:00:00.000Z')).toEqual([
      '2027-05-31T23:59:59.000Z',
      '2027-06-23T23:59:59.000Z',
    ]);
  });
});

describe('a number', () => {
  test.each([
    ['lift-00012-7k3m-q9xw-hb2t', 'LIFT-00012-7K3M-Q9XW-HB2T'],
    [' LIFT-00012-7K3MQ9XWHB2T ', 'LIFT-00012-7K3M-Q9XW-HB2T'],
    ['LIFT-00012-7K3M-Q9XW-HBIO', 'LIFT-00012-7K3M-Q9XW-HB10'],
  ])('%s is read as it was issued', (typed, number) => {
    expect(readNumber(typed)?.number).toBe(number);
  });

  test.each([
    '',
    'LIFT-00012',
    'LIFT-00012-7K3M-Q9XW-HB2',
    'LIFT-00012-7K3M-Q9XW-HB2TT',
    'LI/FT-00012-7K3MQ9XWHB2T',
  ])('%j is none', (text) => {
    expect(readNumber(text)).toBeUndefined();
  });

  test('typed in full leads nowhere with another position', () => {
    expect(readNumber('LIFT-00013-7K3M-Q9XW-HB2T')?.number).not.toBe('LIFT-00012-7K3M-Q9XW-HB2T');
  });
});
