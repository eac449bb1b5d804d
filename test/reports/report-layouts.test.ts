import * as renderReport from '../../functions/workers/render-report.ts';
import { getObject } from '../../shared/files/objects.ts';
import { reportFile } from '../../shared/reports/files.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { ReportLayout } from '../../shared/schemas/templates/report-layout.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { readPdf } from '../support/pdf.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newPicture } from '../templates/fixtures.ts';
import { newTermsLayout } from './fixtures/reports.ts';

let ana: Person;
let inspection: Inspection;
beforeAll(async () => {
  ana = await newPerson('Ana');
});
beforeEach(async () => {
  inspection = await newInspection(ana);
});

const layout = (name: string, body: object = {}): Promise<ReportLayout> =>
  newTermsLayout(ana, inspection, name, body);
const deleteLayout = ({ family_id, id }: ReportLayout) =>
  ana.reportLayouts.delete({ params: { family_id, layout_id: id } });

describe('the layout of a report', () => {
  /**
   * The report after rendering, and the text of its PDF.
   * @param beforeRendering runs while the report is still queued
   */
  const rendered = async (
    layout_id: string | null,
    beforeRendering: () => Promise<unknown> = async () => {},
  ) => {
    const params = { inspection_id: inspection.id };
    const { id } = await ana.reports.create({ params, body: { layout_id } });
    await beforeRendering();
    const task = (await waitingTasks(ana.caller)).find(({ data }) => data['report_id'] === id)!;
    expect(await deliver(renderReport.handler, task)).toBe(true);
    const file = await getObject(ana.caller, reportFile(ana.caller, id, 'report.pdf'));
    const { pages } = await readPdf(Buffer.from(file!));
    const report = await ana.reports.get({ params: { report_id: id } });
    return { report, text: pages.join('\n') };
  };

  test('is the requested one, with its logo', async () => {
    await layout('Usual', { is_default: true });
    const client = await layout('Client', { theme: { logo: await newPicture(ana.key) } });
    const { report, text } = await rendered(client.id);
    expect(report).toMatchObject({ status: 'ready', layout_id: client.id, warnings: [] });
    expect(text).toContain('Terms of Client');
  });

  test('is the default layout if none is requested', async () => {
    await layout('Usual', { is_default: true });
    expect((await rendered(null)).text).toContain('Terms of Usual');
  });

  test('is the default layout if the requested one was deleted, and the standard one if both were', async () => {
    const usual = await layout('Usual', { is_default: true });
    const client = await layout('Client');
    const { report, text } = await rendered(client.id, () => deleteLayout(client));
    expect(report.status).toBe('ready');
    expect(text).toContain('Terms of Usual');
    const again = await rendered(null, () => deleteLayout(usual));
    expect(again.text).not.toContain('Terms of Usual');
    expect(again.text).toContain('Inspection record');
  });
});
