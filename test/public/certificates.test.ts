import * as getVerificationJson from '../../functions/public/get-certificate-verification-json.ts';
import * as getVerification from '../../functions/public/get-certificate-verification.ts';
import * as getSharedCertificatePdf from '../../functions/public/get-shared-certificate-pdf.ts';
import * as getSharedCertificate from '../../functions/public/get-shared-certificate.ts';
import { newCertificate } from '../certificates/fixtures.ts';
import { newClient, newLocation } from '../inspections/fixtures.ts';
import { newPerson, type Person } from '../support/people.ts';
import { visit } from '../support/visit.ts';

let person: Person;

beforeAll(async () => {
  person = await newPerson('Lifts & Co');
});
afterEach(() => jest.restoreAllMocks());

const at = ({ id }: { id: string }) => ({ params: { certificate_id: id } });

/** A certificate whose client and place nobody outside may know. */
const secret = async () => {
  const { id: client_account_id } = await newClient(person, 'Secret client');
  const location_id = (await newLocation(person, client_account_id)).id;
  return (await newCertificate(person, { client_account_id, location_id })).certificate;
};

describe('GET /verify/{token}, and GET /verify/{token}/json', () => {
  test('200 says for what it is and until when, but not for whom', async () => {
    const certificate = await secret();
    const { status, text } = await visit(getVerification, { token: certificate.number });
    expect(status).toBe(200);
    for (const shown of ['Valid until', certificate.number, 'Lifts &amp; Co', 'Lift A', 'SN 1'])
      expect(text).toContain(shown);
    const json = await visit(getVerificationJson, { token: certificate.number });
    expect(JSON.parse(json.text)).toEqual({
      number: certificate.number,
      title: certificate.title,
      status: 'valid',
      issued_by: 'Lifts & Co',
      issued_at: certificate.issued_at,
      expires_at: certificate.expires_at,
      asset: { name: 'Lift A', kind: null, serial: 'SN 1', manufacturer: 'Acme' },
    });
    for (const page of [text, json.text])
      for (const hidden of ['Secret client', 'Yard', certificate.id, certificate.inspection_id])
        expect(page).not.toContain(hidden);
  });

  test('200 tells how it ended, and not why', async () => {
    const { certificate } = await newCertificate(person);
    const states = async () => {
      const [page, json] = await Promise.all([
        visit(getVerification, { token: certificate.number.toLowerCase() }),
        visit(getVerificationJson, { token: certificate.number }),
      ]);
      return [
        /<strong>([^:<]*)/.exec(page.text)?.[1],
        JSON.parse(json.text).status,
        page.text.includes('Brake'),
      ];
    };
    await person.certificates.suspend({ ...at(certificate), body: { reason: 'Brake' } });
    expect(await states()).toEqual(['Suspended', 'suspended', false]);
    await person.certificates.reinstate(at(certificate));
    const later = Date.parse(certificate.expires_at) + 1_000;
    jest.useFakeTimers({
      now: later,
      doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'setInterval', 'performance', 'queueMicrotask'],
    });
    try {
      const [page, status] = await states();
      expect([page?.startsWith('Expired on'), status]).toEqual([true, 'expired']);
    } finally {
      jest.useRealTimers();
    }
    await person.certificates.revoke({ ...at(certificate), body: { reason: 'Brake' } });
    expect(await states()).toEqual(['Revoked', 'revoked', false]);
  });

  test('404 alike for a number that was never issued, for another position with the same code, and for the code alone', async () => {
    const { certificate } = await newCertificate(person);
    const [series, position, ...code] = certificate.number.split('-');
    const wrong = [
      [series, '00002', ...code],
      ['OTHER', position, ...code],
      [series, position, '0000', '0000', '0000'],
      code,
      [series, position],
    ].map((parts) => parts.join('-'));
    const pages = await Promise.all(wrong.map((token) => visit(getVerification, { token })));
    expect(pages.map(({ status }) => status)).toEqual(wrong.map(() => 404));
    expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
  });
});

describe('GET /k/{token}', () => {
  test('200 shows all that the certificate says, with its page, until the link is ended or replaced', async () => {
    const certificate = await secret();
    const { url } = await person.certificates.share(at(certificate));
    const { status, text } = await visit(getSharedCertificate, { token: url });
    expect(status).toBe(200);
    for (const shown of ['Secret client', 'Yard', `${url.split('/').at(-1)}/certificate.pdf`])
      expect(text).toContain(shown);
    const pdf = await visit(getSharedCertificatePdf, { token: url });
    expect([pdf.status, pdf.headers['content-type']]).toEqual([200, 'application/pdf']);
    const again = await person.certificates.share(at(certificate));
    expect((await visit(getSharedCertificate, { token: url })).status).toBe(404);
    expect((await visit(getSharedCertificate, { token: again.url })).status).toBe(200);
    expect((await person.certificates.unshare(at(certificate))).shared_at).toBeNull();
    for (const page of [getSharedCertificate, getSharedCertificatePdf])
      expect((await visit(page, { token: again.url })).status).toBe(404);
  });
});
