import * as getSharedFile from '../../functions/public/get-shared-file.ts';
import * as getSharedReport from '../../functions/public/get-shared-report.ts';
import * as deleteRemains from '../../functions/workers/delete-remains.ts';
import * as exportReport from '../../functions/workers/export-report.ts';
import * as sendMail from '../../functions/workers/send-mail.ts';
import { deleteWhole } from '../../shared/inspections/deletion.ts';
import { answer } from '../../shared/organizations/addresses/addresses.ts';
import { countView } from '../../shared/reports/rows/share-links.ts';
import { keys } from '../../shared/table/keys.ts';
import { queryRows } from '../../shared/table/rows.ts';
import { newClientAccount } from '../client-accounts/scenarios.ts';
import { first, installFaults, on, sdkError, withFault } from '../support/faults.ts';
import { mailsTo } from '../support/mails.ts';
import { deliver, outboxOf } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { visit } from '../support/visit.ts';
import { renderedReport } from './fixtures/reports.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

installFaults();

let person: Person;
let domain: string;
beforeEach(async () => {
  person = await newPerson('Harbour Inspections');
  domain = `${person.caller.org_id}.example`;
  await answer(person.caller, `client@${domain}`, 'confirmed');
});

type ReportParams = Record<'report_id', string>;

/** The kinds of the rows below a report, sorted. */
const below = async ({ report_id }: ReportParams): Promise<string[]> => {
  const partition = keys.below(person.caller, 'REPORT', report_id);
  const rows = await Array.fromAsync(queryRows(person.caller, { partition }));
  return rows.map(({ sk }) => sk.split('#')[0]!).toSorted();
};

const tasksFor = async (queue: string) =>
  (await outboxOf(person.caller)).filter(({ outbox }) => outbox === queue);

const email = (params: ReportParams) =>
  person.try.reports.createEmail({ params, body: { to: [`client@${domain}`] } });

/** A report with an export, a mail and a share link, none of which any worker has begun. */
const usedReport = async (fields: Record<string, unknown> = {}) => {
  const { report, inspection } = await renderedReport(person, fields);
  const params = { report_id: report.id };
  const exported = await person.reports.createExport({ params, body: { format: 'csv' } });
  expect((await email(params)).status).toBe(202);
  const { url, id: share_link_id } = await person.reports.createShareLink({ params });
  expect(await below(params)).toEqual(['EMAIL', 'EXPORT', 'SHARE']);
  return { params, inspection, exported, url, share_link_id };
};

const isTransaction = ({ command }: { command: string }) => command === 'TransactWriteItems';

describe('the deletion of a report, with its inspection', () => {
  test('takes its exports, mails and share links with it, and its link stops', async () => {
    const { id: ca_id } = await newClientAccount(person);
    const { params, exported, url } = await usedReport({ client_account_id: ca_id });
    await person.clientAccounts.delete({ params: { ca_id }, query: { cascade: true } });
    for (const task of await tasksFor('cleanup')) await deliver(deleteRemains.handler, task);
    expect(await below(params)).toEqual([]);
    const pages = [getSharedReport, getSharedFile].map((page) => visit(page, { token: url }));
    expect((await Promise.all(pages)).map(({ status }) => status)).toEqual([404, 404]);
    const answer = await person.try.reports.getExport({ params: { ...params, export_id: exported.id } });
    expect(answer.status).toBe(404);
  });

  test('ends the tasks of its mails and exports, and sends nothing', async () => {
    const { inspection } = await usedReport();
    await deleteWhole(person.caller, inspection.id);
    for (const [queue, handler] of [
      ['mail', sendMail.handler],
      ['export', exportReport.handler],
    ] as const) {
      const tasks = await tasksFor(queue);
      expect(tasks).toHaveLength(1);
      expect(await deliver(handler, tasks[0]!)).toBe(true);
    }
    expect(await mailsTo(domain)).toEqual([]);
  });

  test('ends a mail that is being sent at that moment', async () => {
    const { params, inspection } = await usedReport();
    const [task] = await tasksFor('mail');
    const beforeTheLink = on(
      ({ command, input }) => isTransaction({ command }) && JSON.stringify(input).includes('SHARE#'),
      first(1, async ({ send }) => {
        await deleteWhole(person.caller, inspection.id);
        return send();
      }),
    );
    await withFault(beforeTheLink, () => deliver(sendMail.handler, task!));
    expect(await deliver(sendMail.handler, task!, 2)).toBe(true);
    expect(await mailsTo(domain)).toEqual([]);
    expect(await below(params)).toEqual([]);
  });

  test('that is interrupted leaves the report until all below it is deleted', async () => {
    const { params, inspection } = await usedReport();
    for (let mail = 0; mail < 60; mail += 1) expect((await email(params)).status).toBe(202);
    let sent = 0;
    const afterOne = on(isTransaction, async ({ send }) => {
      sent += 1;
      if (sent > 1) throw sdkError('AccessDeniedException', { $fault: 'client' });
      return send();
    });
    await expect(withFault(afterOne, () => deleteWhole(person.caller, inspection.id))).rejects.toThrow(
      'AccessDenied',
    );
    expect((await below(params)).length).toBeGreaterThan(0);
    expect((await email(params)).status).toBe(202);
    await deleteWhole(person.caller, inspection.id);
    expect(await below(params)).toEqual([]);
    expect((await email(params)).status).toBe(404);
  });

  test.each([
    ['a mail', (params: ReportParams) => email(params)],
    [
      'an export',
      (params: ReportParams) => person.try.reports.createExport({ params, body: { format: 'json' } }),
    ],
    ['a share link', (params: ReportParams) => person.try.reports.createShareLink({ params })],
  ])('misses no row of %s that is created at the same moment', async (_what, create) => {
    const { params, inspection } = await usedReport();
    const meanwhile = on(
      isTransaction,
      first(1, async ({ send }) => {
        expect((await create(params)).status).toBeLessThan(300);
        return send();
      }),
    );
    await withFault(meanwhile, () => deleteWhole(person.caller, inspection.id));
    expect(await below(params)).toEqual([]);
    expect((await create(params)).status).toBe(404);
  });

  test('ends a page that is being opened with 404, at once', async () => {
    const { params, inspection, share_link_id } = await usedReport();
    await deleteWhole(person.caller, inspection.id);
    const target = { ...params, inspection_id: inspection.id, share_link_id };
    await expect(countView(person.caller, target)).rejects.toMatchObject({ status: 404 });
  });
});
