import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import * as getIssueForm from '../../functions/public/get-issue-form.ts';
import * as submitIssueForm from '../../functions/public/submit-issue-form.ts';
import { newStamp } from '../../shared/domain/issue-form/stamp.ts';
import type { Issue } from '../../shared/schemas/issues/issue.ts';
import { DEFAULT_SUBMISSIONS_PER_HOUR as MAX_REPORTS } from '../../shared/schemas/organization.ts';
import { storageUse } from '../../shared/table/stored-bytes.ts';
import { anyBytes } from '../support/chance.ts';
import { newPerson, type Person } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { scaled } from '../support/scale.ts';
import { anyAddress, visit } from '../support/visit.ts';
import { type IssueLink, linkRow, newForm, newFormStamp, newIssueLink, uploadPhoto } from './fixtures.ts';

installRecorder();

const FLOOD = scaled(1_500, 4_000);
const AT_ONCE = 20;
const GUESSES = scaled(1_600, 2_000);

let person: Person;
beforeAll(async () => {
  person = await newPerson('Flooded');
});

const issuesOf = (link: IssueLink): Promise<Issue[]> =>
  person.issues.list({ query: { category_id: link.category.id } });

/** Runs work `count` times, many at once. */
const many = async <Result>(count: number, work: (n: number) => Promise<Result>): Promise<Result[]> => {
  const results: Result[] = [];
  for (let n = 0; n < count; n += AT_ONCE)
    results.push(
      ...(await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, i) => work(n + i)))),
    );
  return results;
};

const tally = (values: readonly (string | number)[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

test(`${FLOOD} reports at once from as many addresses: an hour’s are made, and each other one costs few calls`, async () => {
  const link = await newIssueLink(person);
  const { form_secret } = await linkRow(person, link);
  const outcomes = await many(FLOOD, async () => {
    const stamp = newStamp(form_secret, Date.now() - 10_000);
    const form = { stamp, description: 'x', next: 'send' };
    const { result, sent } = await recording(() => visit(submitIssueForm, { token: link.token, form }));
    return { status: result.status, calls: sent.tableCalls, text: result.text };
  });
  const refused = outcomes.filter(({ status }) => status !== 200);
  expect(tally(outcomes.map(({ status }) => status))).toEqual({
    200: MAX_REPORTS,
    429: FLOOD - MAX_REPORTS,
  });
  expect(new Set(refused.map(({ text }) => text)).size).toBe(1);
  expect(refused[0]!.text).toContain('Try again later');
  // Once the link's visits of the hour are used up, and those that were under way are answered, nothing is read or written.
  const { perLink } = submitIssueForm.operation.visits;
  expect(refused.filter(({ calls }) => calls > 0).length).toBeLessThanOrEqual(perLink + AT_ONCE);
  expect(await issuesOf(link)).toHaveLength(MAX_REPORTS);
});

test(`${GUESSES} guessed tokens find nothing, until the address is refused`, async () => {
  await newIssueLink(person);
  const sourceIp = anyAddress();
  const outcomes = await many(GUESSES, async () => {
    const token = anyBytes(16).toString('base64url');
    const { result, sent } = await recording(() => visit(getIssueForm, { token, sourceIp }));
    return { status: result.status, calls: sent.tableCalls };
  });
  const { perAddress } = getIssueForm.operation.visits;
  expect(tally(outcomes.map(({ status }) => status))).toEqual({ 404: perAddress, 429: GUESSES - perAddress });
  expect(outcomes.filter(({ calls }) => calls > 0).length).toBeLessThanOrEqual(perAddress + AT_ONCE);
});

test('1,000 requests from one address keep none of 20 people elsewhere from reporting', async () => {
  const link = await newIssueLink(person);
  const { form_secret } = await linkRow(person, link);
  const form = () => ({ stamp: newStamp(form_secret, Date.now() - 10_000), description: 'x', next: 'send' });
  const sourceIp = anyAddress();
  await many(500, async () => {
    await visit(getIssueForm, { token: link.token, sourceIp });
    await visit(submitIssueForm, { token: link.token, form: form(), sourceIp });
  });
  const reports = await many(20, async () => {
    const address = anyAddress();
    const page = await visit(getIssueForm, { token: link.token, sourceIp: address });
    const report = await visit(submitIssueForm, { token: link.token, form: form(), sourceIp: address });
    return `${page.status} ${report.status}`;
  });
  expect(tally(reports)).toEqual({ '200 200': 20 });
});

/** A PNG that declares 60,000 × 60,000 pixels in a few hundred bytes. */
const pixelBomb = async (): Promise<Buffer> => {
  const png = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const header = png.indexOf('IHDR') + 4;
  png.writeUInt32BE(60_000, header);
  png.writeUInt32BE(60_000, header + 4);
  return png;
};

describe('a photo that is not what it claims', () => {
  const photo = sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } }).jpeg();

  test('is refused, and the report is not lost', async () => {
    const jpeg = await photo.toBuffer();
    const script = '<script>alert(1)</script>';
    const fakes = {
      page: Buffer.from(`<!doctype html>${script}`),
      drawing: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`),
      program: Buffer.concat([Buffer.from('MZ'), anyBytes(500)]),
      'cut off': jpeg.subarray(0, jpeg.length / 2),
      'only a header': Buffer.concat([jpeg.subarray(0, 20), anyBytes(500)]),
      bomb: await pixelBomb(),
      compressed: deflateSync(Buffer.alloc(1_000_000)),
    };
    for (const [name, bytes] of Object.entries(fakes)) {
      const link = await newIssueLink(person);
      const stamp = await newFormStamp(person, link);
      await uploadPhoto(link, stamp, 0, bytes);
      const form = await newForm(person, link, { stamp, photos: '0:,1:' });
      const refused = await visit(submitIssueForm, { token: link.token, form });
      expect([name, refused.status, refused.text.match(/Photo \d could not be read/g)]).toEqual([
        name,
        422,
        // In the summary and at the field; the second one was never uploaded.
        ['Photo 1 could not be read', 'Photo 2 could not be read', 'Photo 2 could not be read'],
      ]);
      expect(refused.text).toContain('The tap in the kitchen leaks.');
      expect(refused.text).toContain('name="photos" value=""');
      expect(
        (await visit(submitIssueForm, { token: link.token, form: { ...form, photos: '' } })).status,
      ).toBe(200);
    }
    expect((await storageUse(person.caller)).used_bytes).toBe(0);
  });

  test('and a photo with something behind it keeps only the picture', async () => {
    const link = await newIssueLink(person);
    const stamp = await newFormStamp(person, link);
    const hidden = 'PK\u0003\u0004 <script>alert(1)</script>';
    await uploadPhoto(link, stamp, 0, Buffer.concat([await photo.toBuffer(), Buffer.from(hidden)]));
    const form = await newForm(person, link, { stamp, photos: '0:' });
    expect((await visit(submitIssueForm, { token: link.token, form })).status).toBe(200);
    const [issue] = await issuesOf(link);
    const { document_id } = issue!.media[0]!;
    const { download_url } = await person.documents.get({ params: { document_id } });
    expect(await (await fetch(download_url)).text()).not.toContain('script');
  });
});
