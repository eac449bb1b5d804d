import * as getSharedFile from '../../functions/public/get-shared-file.ts';
import * as getSharedReport from '../../functions/public/get-shared-report.ts';
import { aliasOf } from '../../shared/base/tenancy.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import * as write from '../../shared/table/writes.ts';
import { newPerson, type Person } from '../support/people.ts';
import { visit } from '../support/visit.ts';
import { newShareLink } from './fixtures.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

const DAY = 86_400_000;

let person: Person;
beforeAll(async () => {
  person = await newPerson('Harbour & Sons');
});
afterEach(() => jest.restoreAllMocks());

const opened = async (url: string): Promise<number[]> => {
  const pages = await Promise.all([
    visit(getSharedReport, { token: url }),
    visit(getSharedFile, { token: url }),
  ]);
  return pages.map(({ status }) => status);
};

const linksOf = (report_id: string): Promise<Record<string, unknown>[]> =>
  person.reports.listShareLinks({ params: { report_id } });

describe('GET /s/{token}', () => {
  test('200 with what the report is, in the reader’s language and the organization’s time zone', async () => {
    await person.organization.update({ body: { timezone: 'Pacific/Kiritimati' } });
    const day = new Intl.DateTimeFormat('de', { dateStyle: 'long', timeZone: 'Pacific/Kiritimati' });
    const before = day.format(new Date());
    const { url } = await newShareLink(person, { name: '<i>Kitchen</i>' });
    const after = day.format(new Date());
    const { text, headers } = await visit(getSharedReport, {
      token: url,
      headers: { 'Accept-Language': 'de-AT' },
    });
    for (const shown of ['Inspektionsbericht', 'Harbour &amp; Sons', '&lt;i&gt;Kitchen&lt;/i&gt;', 'Entwurf'])
      expect(text).toContain(shown);
    expect([before, after].some((date) => text.includes(date))).toBe(true);
    const path = `${url.split('/').at(-1)}/report.pdf`;
    expect(text).toContain(`<object type="application/pdf" data="${path}"`);
    expect(text).toContain(`href="${path}?download=1"`);
    const { location } = (await visit(getSharedFile, { token: url })).headers;
    expect(headers['content-security-policy']).toContain(`object-src 'self' ${new URL(location!).origin};`);
  });

  test('200 counts its views, and only those', async () => {
    const { url, report_id } = await newShareLink(person);
    for (let view = 0; view < 3; view += 1) await visit(getSharedReport, { token: url });
    await visit(getSharedFile, { token: url });
    const [link] = await linksOf(report_id);
    expect(link).toMatchObject({ views_count: 3, last_viewed_at: expect.any(String) });
  });

  test('404 after its last day, and after the report was deleted', async () => {
    const { url, report_id, inspection_id } = await newShareLink(person);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 29.9 * DAY);
    expect(await opened(url)).toEqual([200, 302]);
    jest.spyOn(Date, 'now').mockReturnValue(now + 30.1 * DAY);
    expect(await opened(url)).toEqual([404, 404]);
    jest.restoreAllMocks();
    await change(person.caller, () => ({
      writes: [write.drop(keys.child(person.caller, inspection_id, 'REPORT', report_id))],
      reply: undefined,
    }));
    expect(await opened(url)).toEqual([404, 404]);
  });
});

describe('GET /s/{token}/report.pdf', () => {
  test('302 to exactly that report’s PDF, for a minute, to be shown or to be saved', async () => {
    const { url, report_id } = await newShareLink(person, { name: 'Kitchen: <1>' });
    const shown = new URL((await visit(getSharedFile, { token: url })).headers['location']!);
    expect(shown.pathname).toMatch(
      new RegExp(`/org/${aliasOf(person.caller)}/reports/${aliasOf(person.caller, report_id)}/report.pdf$`),
    );
    expect(shown.searchParams.get('X-Amz-Expires')).toBe('60');
    expect(shown.searchParams.get('response-content-disposition')).toMatch(
      /^inline; filename="\d+ Kitchen 1\.pdf"/,
    );
    const file = await fetch(shown);
    expect((await file.text()).slice(0, 5)).toBe('%PDF-');
    const saved = await visit(getSharedFile, { token: url, query: { download: '1', utm_source: 'mail' } });
    expect(decodeURIComponent(saved.headers['location']!)).toContain(
      'response-content-disposition=attachment;',
    );
    expect(saved.headers['cache-control']).toBe('no-store');
  });

  test('422 for another value of download', async () => {
    const { url } = await newShareLink(person);
    expect((await visit(getSharedFile, { token: url, query: { download: 'yes' } })).status).toBe(422);
  });
});
