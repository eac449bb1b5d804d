import sharp from 'sharp';
import * as createIssueUpload from '../../functions/public/create-issue-upload.ts';
import * as getIssueForm from '../../functions/public/get-issue-form.ts';
import * as getIssueQrPng from '../../functions/public/get-issue-qr-png.ts';
import * as getIssueQrSvg from '../../functions/public/get-issue-qr-svg.ts';
import * as submitIssueForm from '../../functions/public/submit-issue-form.ts';
import { publicUrl } from '../../shared/base/environment.ts';
import { aliasOf } from '../../shared/base/tenancy.ts';
import { MAX_PHOTO_BYTES } from '../../shared/domain/issue-form/fields.ts';
import { newStamp } from '../../shared/domain/issue-form/stamp.ts';
import { qrModules } from '../../shared/reports/qr-code.ts';
import type { Issue } from '../../shared/schemas/issues/issue.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { storageUse } from '../../shared/table/stored-bytes.ts';
import * as write from '../../shared/table/writes.ts';
import { startClock } from '../support/clock.ts';
import { newPerson, type Person } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { anyAddress, visit } from '../support/visit.ts';
import { type IssueLink, newForm, newFormStamp, newIssueLink, QUESTIONS, uploadPhoto } from './fixtures.ts';

installRecorder();

let person: Person;
beforeAll(async () => {
  person = await newPerson('Harbour & Sons');
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const DAY_MS = 86_400_000;

const issuesOf = (link: IssueLink, owner = person): Promise<Issue[]> =>
  owner.issues.list({ query: { category_id: link.category.id } });

const send = (link: IssueLink, form: Record<string, string>, sourceIp = anyAddress()) =>
  visit(submitIssueForm, { token: link.token, form, sourceIp });

const jpeg = (width = 60, height = 40) =>
  sharp({ create: { width, height, channels: 3, background: '#808080' } }).jpeg();

describe('GET /r/{token}', () => {
  test('200 with the questions in the reader’s language, and a choice of all languages', async () => {
    const link = await newIssueLink(person, {
      category: {
        name: '<i>Damage</i>',
        questions: [{ type: 'text', label: 'Where?' }],
        translations: [{ language: 'de', name: 'Schaden' }],
      },
    });
    const { text } = await visit(getIssueForm, { token: link.token, headers: { 'Accept-Language': 'de' } });
    expect(text).toContain('<h1><bdi>Schaden</bdi></h1>');
    expect(text).toContain('<bdi>Where?</bdi>');
    expect(text.match(/<option value="\w\w" lang/g)).toHaveLength(16);
    const english = await visit(getIssueForm, {
      token: link.token,
      query: { language: 'en', utm_source: 'x' },
    });
    expect(english.text).toContain('&lt;i&gt;Damage&lt;/i&gt;');
    expect(english.headers['content-security-policy']).toMatch(/form-action 'self' http:\/\/[\w.:]+;/);
  });

  test('200 with where one reports: the place of the link and its label, once where they are the same', async () => {
    const { id } = await person.locations.create({ body: { name: 'Quay <7>' } });
    const page = async (link: object) => {
      const { token } = await newIssueLink(person, { link });
      return (await visit(getIssueForm, { token })).text;
    };
    expect(await page({ location_id: id, label: 'Loading bay' })).toContain(
      'Place: <bdi>Quay &lt;7&gt; · Loading bay</bdi>',
    );
    expect(await page({ location_id: id, label: 'Quay <7>' })).toContain('Place: <bdi>Quay &lt;7&gt;</bdi>');
    expect(await page({ label: 'Loading bay' })).toContain('Place: <bdi>Loading bay</bdi>');
    expect(await page({})).not.toContain('Place:');
  });

  test('200 for a printed code after ten years, unless the link was made with an end', async () => {
    const expires_at = new Date(Date.now() + 30 * DAY_MS).toISOString();
    const [label, poster] = [
      await newIssueLink(person),
      await newIssueLink(person, { link: { expires_at } }),
    ];
    startClock(Date.now() + 3_650 * DAY_MS);
    for (const page of [getIssueForm, getIssueQrPng, getIssueQrSvg]) {
      expect((await visit(page, { token: label.token })).status).toBe(200);
      expect((await visit(page, { token: poster.token })).status).toBe(404);
    }
  });

  test('404 by the same calls, status, headers and text, whatever the reason; the page names the organization to ask', async () => {
    const [expired, paused, exhausted, revoked, inactive] = await Promise.all([
      newIssueLink(person, { link: { expires_at: new Date(Date.now() - 1_000).toISOString() } }),
      newIssueLink(person),
      newIssueLink(person, { link: { max_submissions: 1 } }),
      newIssueLink(person),
      newIssueLink(person, { category: { is_active: false } }),
    ]);
    const paramsOf = ({ link }: IssueLink) => ({ category_id: link.category_id, public_link_id: link.id });
    await person.issues.updatePublicLink({ params: paramsOf(paused), body: { is_paused: true } });
    await person.issues.revokePublicLink({ params: paramsOf(revoked) });
    expect((await send(exhausted, await newForm(person, exhausted))).status).toBe(200);
    const dead = [expired, paused, exhausted, revoked, inactive].map(({ token }) => token);
    const unknown = Buffer.from(crypto.randomUUID().replaceAll('-', ''), 'hex').toString('base64url');
    const ask = /Ask <bdi>Harbour &amp; Sons<\/bdi>/;
    const stamp = newStamp('a secret of nobody', Date.now() - 10_000);
    for (const [page, form] of [
      [getIssueForm],
      [submitIssueForm, { stamp, description: 'x', next: 'send' }],
      [submitIssueForm, { stamp: '', description: '' }],
      [createIssueUpload, { stamp, slot: '0', size: '1', type: 'image/jpeg' }],
      [getIssueQrPng],
      [getIssueQrSvg],
    ] as const) {
      const seen = new Set<string>();
      for (const token of dead) {
        const { result, sent } = await recording(() => visit(page, { token, ...(form && { form }) }));
        const { 'x-request-id': _, ...headers } = result.headers;
        expect([page.operation.id, result.status]).toEqual([page.operation.id, 404]);
        expect(result.text).toMatch(ask);
        seen.add(JSON.stringify([headers, result.text, sent.tableCalls, [...sent.grants].toSorted()]));
      }
      const { status, text } = await visit(page, { token: unknown, ...(form && { form }) });
      expect([status, ask.test(text)]).toEqual([404, false]);
      expect([page.operation.id, seen.size]).toEqual([page.operation.id, 1]);
    }
  });
});

describe('POST /r/{token}', () => {
  test('200 with the number; the answers as their questions take them', async () => {
    const link = await newIssueLink(person, {
      category: { questions: QUESTIONS },
      link: { contact: 'optional' },
    });
    const [room, story, bad, floor, affected, hurt, people, since] = link.category.questions.map(
      ({ id }) => id,
    );
    const { status, text } = await send(
      link,
      await newForm(person, link, {
        [`answer.${room}`]: ' 12 ',
        [`answer.${story}`]: 'One\r\ntwo',
        [`answer.${bad}`]: 'high',
        [`answer.${floor}`]: '7',
        [`answer.${affected}.0`]: 'water',
        [`answer.${affected}.2`]: 'heat',
        [`answer.${hurt}`]: 'no',
        [`answer.${people}`]: '2,5',
        [`answer.${since}`]: '2026-02-28',
        name: 'Ada',
        email: 'ada@example.com',
      }),
    );
    expect(status).toBe(200);
    const [issue] = await issuesOf(link);
    expect(text).toContain(`<bdi>${issue!.number}</bdi>`);
    expect(issue).toMatchObject({
      source: 'public_link',
      title: 'The tap in the kitchen leaks.',
      reporter: { name: 'Ada', email: 'ada@example.com', phone: null },
      reported_by: null,
    });
    expect(issue!.answers.map(({ value }) => value)).toEqual([
      '12',
      'One\ntwo',
      'high',
      '7',
      ['water', 'heat'],
      false,
      2.5,
      '2026-02-28',
    ]);
  });

  test('200 with a copy of what was sent, in the words of the form', async () => {
    const link = await newIssueLink(person, { category: { questions: QUESTIONS } });
    const [room, , bad, , affected, hurt] = link.category.questions;
    const form = await newForm(person, link, {
      description: 'It <b>leaks</b>.',
      email: 'maria@example.com',
      [`answer.${room!.id}`]: 'Kitchen',
      [`answer.${bad!.id}`]: 'high',
      [`answer.${affected!.id}.0`]: 'on',
      [`answer.${affected!.id}.2`]: 'on',
      [`answer.${hurt!.id}`]: 'no',
    });
    const { text } = await send(link, form);
    const rows = [...text.matchAll(/<dt><bdi>(.*?)<\/bdi><\/dt>\s*<dd><bdi>(.*?)<\/bdi><\/dd>/gs)];
    expect(rows.map(([, label, value]) => [label, value])).toEqual([
      ['What happened?', 'It &lt;b&gt;leaks&lt;/b&gt;.'],
      ['Which room?', 'Kitchen'],
      ['How bad is it?', 'Option high'],
      ['What is affected?', 'Option water, Option heat'],
      ['Is anyone hurt?', 'No'],
      ['Email address', 'maria@example.com'],
    ]);
  });

  test('422 with every problem at its field, and with what was entered', async () => {
    const questions = QUESTIONS.map((question) => ({ ...question, required: true }));
    const link = await newIssueLink(person, { category: { questions }, link: { contact: 'required' } });
    const [room, , , , , , people, since] = link.category.questions.map(({ id }) => id);
    const { status, text } = await send(
      link,
      await newForm(person, link, {
        description: ' ',
        [`answer.${room}`]: '<b>12</b>',
        [`answer.${people}`]: 'many',
        [`answer.${since}`]: '2026-02-30',
        email: 'nobody',
      }),
    );
    expect(status).toBe(422);
    expect(text).toContain('value="&lt;b&gt;12&lt;/b&gt;"');
    expect(text.match(/class="wrong"/g)).toHaveLength(1 + 8 + 1);
    for (const problem of [
      'Please enter a number.',
      'Please enter a date.',
      'Please say what happened.',
      'such as name@',
    ])
      expect(text).toContain(problem);
    expect(await issuesOf(link)).toEqual([]);
  });

  test('422 for a robot: too fast, into the hidden field, or with a form that nobody handed out', async () => {
    const link = await newIssueLink(person);
    const now = Date.now();
    const at = (time: number) => jest.spyOn(Date, 'now').mockReturnValue(time);
    at(now);
    const forms = await Promise.all([
      newForm(person, link, { stamp: await newFormStamp(person, link, 0) }),
      newForm(person, link, { website: 'https://example.com' }),
      newForm(person, link, { stamp: newStamp('another secret', Date.now() - 10_000) }),
      newForm(person, link, { stamp: await newFormStamp(person, link, 15 * 86_400_000) }),
      newForm(person, link, { stamp: '' }),
    ]);
    for (const form of forms) {
      const { status, text } = await send(link, form);
      expect(status).toBe(422);
      // A person who was taken for one only has to send it again.
      const stamp = /name="stamp" value="([^"]+)"/.exec(text)![1]!;
      at(now + 5_000);
      expect((await send(link, { description: 'x', next: 'send', stamp })).status).toBe(200);
      at(now);
    }
    expect(await issuesOf(link)).toHaveLength(forms.length);
  });

  test('200 for the same form again, however often and however concurrently, is one issue', async () => {
    const link = await newIssueLink(person);
    const form = await newForm(person, link);
    const sourceIp = anyAddress();
    const first = await Promise.all(Array.from({ length: 4 }, () => send(link, form, sourceIp)));
    const later = await Promise.all(Array.from({ length: 6 }, () => send(link, form, sourceIp)));
    expect(new Set([...first, ...later].map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(await issuesOf(link)).toHaveLength(1);
    const last = await newIssueLink(person, { link: { max_submissions: 1 } });
    const again = await newForm(person, last);
    expect([(await send(last, again)).status, (await send(last, again)).status]).toEqual([200, 200]);
    const forged = { ...again, stamp: `${again['stamp']!.slice(0, -22)}${'A'.repeat(22)}` };
    expect((await send(last, forged)).status).toBe(404);
  });

  test('429 beyond a fifth of a link’s reports for one network, which then has a turn every five minutes', async () => {
    const link = await newIssueLink(person, { link: { max_submissions_per_hour: 10 } });
    const hour = 3_600_000;
    const start = Math.ceil(Date.now() / hour) * hour;
    const at = (minutes: number) => jest.spyOn(Date, 'now').mockReturnValue(start + minutes * 60_000);
    const sourceIp = anyAddress();
    const statuses = async (count: number, from = () => sourceIp) => {
      const found = [];
      for (let n = 0; n < count; n += 1)
        found.push((await send(link, await newForm(person, link), from())).status);
      return found;
    };
    at(1);
    // Two are its share, and one its first turn.
    expect(await statuses(5)).toEqual([200, 200, 200, 429, 429]);
    const page = await send(link, await newForm(person, link), sourceIp);
    expect(page.text).toContain('in five minutes');
    expect(page.text).toContain('name="description"');
    at(6);
    expect(await statuses(2)).toEqual([200, 429]);
    expect(await statuses(7, anyAddress)).toEqual([200, 200, 200, 200, 200, 200, 429]);
    const others = await newIssueLink(person);
    expect((await send(others, await newForm(person, others), sourceIp)).status).toBe(200);
    at(61);
    expect(await statuses(1)).toEqual([200]);
    expect(await issuesOf(link)).toHaveLength(11);
  });

  test('200 with photos: drawn anew, upright, without metadata, counted as bytes of the organization', async () => {
    const owner = await newPerson('Photos');
    const link = await newIssueLink(owner, { category: { questions: [{ type: 'photo', label: 'Plate' }] } });
    const question = link.category.questions[0]!.id;
    const stamp = await newFormStamp(owner, link);
    const turned = jpeg().withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' } });
    await uploadPhoto(link, stamp, 0, await turned.withMetadata({ orientation: 6 }).toBuffer());
    await uploadPhoto(link, stamp, 4, await jpeg().png().toBuffer(), 'image/png');
    const form = await newForm(owner, link, { stamp, photos: `0:,4:${question}` });
    expect((await send(link, form)).status).toBe(200);
    const [issue] = await issuesOf(link, owner);
    expect(issue!.media).toHaveLength(1);
    const [answer] = issue!.answers.map(({ value }) => value as { document_id: string }[]);
    expect(answer).toHaveLength(1);
    const { document_id } = issue!.media[0]!;
    const document = await owner.documents.get({ params: { document_id } });
    expect(document).toMatchObject({ mime_type: 'image/jpeg', used_by_count: 1, uploaded_by: null });
    const bytes = Buffer.from(await (await fetch(document.download_url)).arrayBuffer());
    const { width, height, exif, orientation } = await sharp(bytes).metadata();
    expect([width, height, exif, orientation]).toEqual([40, 60, undefined, undefined]);
    const other = await owner.documents.get({ params: { document_id: answer![0]!.document_id } });
    expect((await storageUse(owner.caller)).used_bytes).toBe(document.size_bytes + other.size_bytes);
  });

  test('200 for the address of an upload of the maximum size and below, 422 for an empty or a larger one', async () => {
    const link = await newIssueLink(person);
    const stamp = await newFormStamp(person, link);
    const statusOf = async (size: number) => {
      const form = { stamp, slot: '0', size: String(size), type: 'image/jpeg' };
      return (await visit(createIssueUpload, { token: link.token, form })).status;
    };
    expect(await Promise.all([1, MAX_PHOTO_BYTES, 0, MAX_PHOTO_BYTES + 1].map(statusOf))).toEqual([
      200, 200, 422, 422,
    ]);
  });

  test('422 when the storage of the organization is full, and 200 without the photos', async () => {
    const owner = await newPerson('Full');
    await change(owner.caller, () => ({
      writes: [write.put({ ...keys.maxStoredBytes(owner.caller), max_bytes: 10 })],
      reply: undefined,
    }));
    const link = await newIssueLink(owner);
    const stamp = await newFormStamp(owner, link);
    await uploadPhoto(link, stamp, 0, await jpeg().toBuffer());
    const form = await newForm(owner, link, { stamp });
    const refused = await send(link, { ...form, photos: '0:' });
    expect([refused.status, refused.text.includes('without them')]).toEqual([422, true]);
    expect((await send(link, form)).status).toBe(200);
    expect((await storageUse(owner.caller)).used_bytes).toBe(0);
  });
});

describe('the uploads of /r/{token}/uploads', () => {
  test('422 for a form of another link, a slot, size or type that there is not', async () => {
    const link = await newIssueLink(person);
    const valid = { stamp: await newFormStamp(person, link), slot: '0', size: '1000', type: 'image/jpeg' };
    const foreign = await newFormStamp(person, await newIssueLink(person));
    for (const wrong of [
      { stamp: foreign },
      { slot: '30' },
      { slot: '-1' },
      { size: '10000001' },
      { size: '0' },
      { type: 'image/svg+xml' },
      { key: 'org/x' },
    ])
      expect(
        (await visit(createIssueUpload, { token: link.token, form: { ...valid, ...wrong } })).status,
      ).toBe(422);
  });

  test('200 with an address by which a photo can be stored, and not read', async () => {
    const link = await newIssueLink(person);
    const form = { stamp: await newFormStamp(person, link), slot: '0', size: '1000', type: 'image/jpeg' };
    const { text } = await visit(createIssueUpload, { token: link.token, form });
    const { url, headers } = JSON.parse(text) as { url: string; headers: Record<string, string> };
    const { pathname, searchParams } = new URL(url);
    expect(pathname).toContain(`/pending/org/${aliasOf(person.caller)}/issue-photos/`);
    expect(text).not.toContain(person.caller.org_id);
    expect(searchParams.get('x-id')).toBe('PutObject');
    expect(searchParams.get('X-Amz-Expires')).toBe('900');
    expect(headers).toEqual({ 'content-length': '1000', 'content-type': 'image/jpeg', 'if-none-match': '*' });
  });
});

describe('the codes /r/{token}/qr.png and /r/{token}/qr.svg', () => {
  test('200 with the address of the page', async () => {
    const link = await newIssueLink(person);
    expect(link.link).toMatchObject({
      qr_url: publicUrl('r', link.token, 'qr.png'),
      qr_svg_url: publicUrl('r', link.token, 'qr.svg'),
    });
    const [png, svg] = await Promise.all([
      visit(getIssueQrPng, { token: link.token }),
      visit(getIssueQrSvg, { token: link.token }),
    ]);
    expect(svg.text).toMatch(/^<svg .*<\/svg>$/s);
    const { side, bytes } = qrModules(publicUrl('r', link.token));
    const drawn = await sharp(png.bytes)
      .resize(side, side, { kernel: 'nearest' })
      .greyscale()
      .raw()
      .toBuffer();
    expect(Buffer.compare(drawn, Buffer.from(bytes))).toBe(0);
  });
});
