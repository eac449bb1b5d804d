import * as getSharedFile from '../../functions/public/get-shared-file.ts';
import * as getSharedReport from '../../functions/public/get-shared-report.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import * as write from '../../shared/table/writes.ts';
import { newReport, newShareLink, render } from '../public/fixtures.ts';
import { auditOf, newPerson, type Person } from '../support/people.ts';
import { visit } from '../support/visit.ts';

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

const setRow = (key: { pk: string; sk: string }, set: object): Promise<void> =>
  change(person.caller, () => ({ writes: [write.update(key, { set: { ...set } })], reply: undefined }));

describe('POST /reports/{report_id}/share-links', () => {
  test('201 with the URL once, for 30 days; the list has no URL, and the audit names who made it', async () => {
    const startedAt = Date.now();
    const { url, inspection_id: _, ...link } = await newShareLink(person);
    expect(url).toMatch(/^http:\/\/localhost:\d+\/s\/[\w-]{22}$/);
    const from = Date.parse(link.expires_at) - 30 * DAY;
    expect(from).toBeGreaterThanOrEqual(startedAt);
    expect(from).toBeLessThanOrEqual(Date.now());
    expect(link).toMatchObject({ status: 'active', views_count: 0, created_by: person.caller.user_id });
    expect(await linksOf(link.report_id)).toEqual([{ ...link, url: null }]);
    expect((await auditOf(person)).at(-1)).toMatchObject({
      action: 'share_link.created',
      target_id: link.id,
    });
  });

  test('201 before the report is rendered: the page says so, and there is no file yet', async () => {
    const { id } = await newReport(person);
    const { url } = await person.reports.createShareLink({ params: { report_id: id } });
    const waiting = await visit(getSharedReport, { token: url });
    expect([waiting.status, waiting.text.includes('not ready yet')]).toEqual([200, true]);
    expect((await visit(getSharedFile, { token: url })).status).toBe(404);
    await render(person, id);
    expect(await opened(url)).toEqual([200, 302]);
  });

  test('409 for a report that could not be rendered, and its links stop working', async () => {
    const { report_id, inspection_id, url } = await newShareLink(person);
    await setRow(keys.child(person.caller, inspection_id, 'REPORT', report_id), { status: 'failed' });
    const answer = await person.try.reports.createShareLink({ params: { report_id } });
    expect([answer.status, answer.headers['x-error-code']]).toEqual([409, 'report_failed']);
    expect(await opened(url)).toEqual([404, 404]);
  });

  test.each([0, 31, 1.5])('422 for a link of %s days', async (expires_in_days) => {
    const params = { report_id: crypto.randomUUID() };
    const { status } = await person.try.reports.createShareLink({ params, body: { expires_in_days } });
    expect(status).toBe(422);
  });
});

describe('POST /reports/{report_id}/share-links/{share_link_id}/revoke', () => {
  test('200, and the link stops working at once; another link of the report goes on', async () => {
    const link = await newShareLink(person);
    const { report_id } = link;
    const other = await person.reports.createShareLink({ params: { report_id } });
    const params = { report_id, share_link_id: link.id };
    const revoked = await person.reports.revokeShareLink({ params });
    expect(revoked).toMatchObject({ id: link.id, status: 'revoked', url: null });
    expect(await person.reports.revokeShareLink({ params })).toEqual(revoked);
    expect(await opened(link.url)).toEqual([404, 404]);
    expect(await opened(other.url)).toEqual([200, 302]);
    expect((await linksOf(report_id)).map(({ status }) => status)).toEqual(['active', 'revoked']);
    const actions = (await auditOf(person)).map(({ action }) => action);
    expect(actions.filter((action) => action === 'share_link.revoked')).toHaveLength(1);
  });
});

describe('GET /reports/{report_id}/share-links', () => {
  test('200 gives each once, page by page', async () => {
    const { id: report_id } = await newReport(person);
    const params = { report_id };
    for (let count = 0; count < 5; count += 1) await person.reports.createShareLink({ params });
    const found: unknown[] = [];
    for (let cursor: string | undefined; ;) {
      const query = { limit: 2, ...(cursor && { cursor }) };
      const { body, headers } = await person.try.reports.listShareLinks({ params, query });
      found.push(...body);
      cursor = /cursor=([^>&]+)/.exec(headers['link'] ?? '')?.[1];
      if (cursor === undefined) break;
    }
    expect(found).toEqual(await linksOf(report_id));
    expect(found).toHaveLength(5);
  });

  test('200 with the links newest first, and their states', async () => {
    const link = await newShareLink(person);
    const { report_id } = link;
    const second = await person.reports.createShareLink({
      params: { report_id },
      body: { expires_in_days: 1 },
    });
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 1.01 * DAY);
    expect((await linksOf(report_id)).map(({ id, status }) => [id, status])).toEqual([
      [second.id, 'expired'],
      [link.id, 'active'],
    ]);
  });
});
