import { handler as deleteRemains } from '../../functions/workers/delete-remains.ts';
import { handler as exportReport } from '../../functions/workers/export-report.ts';
import { handler as renderReport } from '../../functions/workers/render-report.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { getObject } from '../../shared/files/objects.ts';
import { deleteWhole } from '../../shared/inspections/deletion.ts';
import { answer } from '../../shared/organizations/addresses/addresses.ts';
import { reportFile } from '../../shared/reports/files.ts';
import { installFaults } from '../support/faults.ts';
import { mailsTo } from '../support/mails.ts';
import { deliver, type WaitingTask, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { betweenSome } from '../support/places.ts';
import { queuedReport, readReport } from './fixtures/reports.ts';

installFaults();

/** What somebody asks for while a report is rendered: an export that waits for it, and a mail of it. */
interface Prepared {
  report: { id: string; inspection_id: string };
  task: WaitingTask;
  address: string;
  export_id?: string;
}

let person: Person;
let reports = 0;

beforeEach(async () => {
  person = await newPerson('Harbour');
});

const prepare = async (): Promise<Prepared> => {
  const { report, task } = await queuedReport(person);
  const address = `eve-${(reports += 1)}@${person.caller.org_id}.example`;
  await answer(person.caller, address, 'confirmed');
  return { report, task, address };
};

const of = ({ report }: Prepared) => ({ params: { report_id: report.id } });

const render = async ({ task }: Prepared) => expect(await deliver(renderReport, task)).toBe(true);

const email = (prepared: Prepared) =>
  person.reports.createEmail({ ...of(prepared), body: { to: [prepared.address] } });

/** Does what waits for the workers of this report. */
const workOff = async ({ report }: Prepared): Promise<void> => {
  for (const task of await waitingTasks(person.caller)) {
    if (task.data['report_id'] !== report.id) continue;
    if (task.outbox === 'mail') expect(await deliver(sendMail, task)).toBe(true);
    if (task.outbox === 'export') expect(await deliver(exportReport, task)).toBe(true);
  }
};

test('a mail that is asked for between any two calls of the rendering is sent once', async () => {
  const places = await betweenSome({
    prepare,
    work: render,
    act: email,
    check: async (prepared) => {
      await workOff(prepared);
      await workOff(prepared);
      expect(await person.reports.listEmails(of(prepared))).toMatchObject([{ status: 'sent' }]);
      expect(await mailsTo(prepared.address)).toHaveLength(1);
    },
  });
  expect(places).toBeGreaterThan(3);
});

test('an export that is asked for between any two calls of the rendering is made', async () => {
  const places = await betweenSome({
    prepare,
    work: render,
    act: async (prepared) => {
      const body = { format: 'csv' };
      const { status, body: made } = await person.try.reports.createExport({ ...of(prepared), body });
      expect([202, 409]).toContain(status);
      if (status === 202) prepared.export_id = made.id;
    },
    check: async (prepared) => {
      await workOff(prepared);
      expect(await readReport(person, prepared.report)).toMatchObject({ status: 'ready' });
      const { export_id } = prepared;
      if (export_id === undefined) return;
      const params = { ...of(prepared).params, export_id };
      expect(await person.reports.getExport({ params })).toMatchObject({ status: 'ready' });
    },
  });
  expect(places).toBeGreaterThan(3);
});

test('a report whose inspection is deleted between any two calls of its rendering leaves no file', async () => {
  const places = await betweenSome({
    prepare,
    work: async ({ task }) => void (await deliver(renderReport, task)),
    act: ({ report }) => deleteWhole(person.caller, report.inspection_id),
    check: async ({ report, task }) => {
      await deliver(renderReport, task);
      const cleanups = (await waitingTasks(person.caller)).filter(({ outbox }) => outbox === 'cleanup');
      for (const cleanup of cleanups) expect(await deliver(deleteRemains, cleanup)).toBe(true);
      for (const name of ['report.pdf', 'payload.json.gz'] as const) {
        expect(await getObject(person.caller, reportFile(person.caller, report.id, name))).toBeUndefined();
      }
    },
  });
  expect(places).toBeGreaterThan(3);
});
