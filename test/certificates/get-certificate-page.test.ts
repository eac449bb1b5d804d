import { readPdf } from '../support/pdf.ts';
import { newPerson } from '../support/people.ts';
import { newCertificate } from './fixtures.ts';

test('GET /certificates/{certificate_id}/page says what the certificate says, and that it is not valid any more', async () => {
  const person = await newPerson('Lifts');
  const { certificate } = await newCertificate(person);
  const at = { params: { certificate_id: certificate.id } };
  const drawn = async () => {
    const { status, headers, bytes } = await person.try.certificates.getPage(at);
    expect([status, headers['content-type']]).toEqual([200, 'application/pdf']);
    return (await readPdf(bytes)).pages.join('\n');
  };
  const page = await drawn();
  for (const shown of [
    certificate.number,
    certificate.title,
    'Lift A',
    'SN 1',
    'Acme',
    'Harbour North',
    'Lifts',
  ])
    expect(page).toContain(shown);
  expect(page).not.toContain('Revoked');
  await person.certificates.revoke({ ...at, body: { reason: 'Mistake' } });
  expect(await drawn()).toContain('Revoked: no longer valid');
});
