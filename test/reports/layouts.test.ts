import * as createReport from '../../functions/reports/create-report.ts';
import * as getReportPayload from '../../functions/reports/get-report-payload.ts';
import * as getReport from '../../functions/reports/get-report.ts';
import * as deleteReportLayout from '../../functions/templates/report-layouts/delete-report-layout.ts';
import * as renderReport from '../../functions/workers/render-report.ts';
import { reportFile } from '../../shared/reports/files.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { DEFAULT_LAYOUT } from '../../shared/schemas/reports/report-payload.ts';
import type { ReportLayout } from '../../shared/schemas/templates/report-layout.ts';
import { getObject } from '../../shared/storage/objects.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { call, made } from '../support/call.ts';
import { deliver, outboxOf } from '../support/outbox.ts';
import { readPdf } from '../support/pdf.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newLayout, newPicture } from '../templates/fixtures.ts';

let ana: Person;
let inspection: Inspection;
beforeAll(async () => {
  ana = await newPerson('Ana');
});
beforeEach(async () => {
  inspection = await newInspection(ana);
});

const layout = (name: string, body: object = {}): Promise<ReportLayout> =>
  newLayout(ana.key, inspection.template_family_id, {
    name,
    blocks: [{ kind: 'text', options: { text: `Terms of ${name}` } }],
    ...body,
  });
const forget = ({ family_id, id }: ReportLayout) =>
  made(deleteReportLayout, { as: ana.key, params: { family_id, layout_id: id } });

describe('the layout of a report', () => {
  /** What its PDF says, with the report. */
  const rendered = async (layout_id: string | null, meanwhile: () => Promise<unknown> = async () => {}) => {
    const params = { inspection_id: inspection.id };
    const { id } = await made(createReport, { as: ana.key, params, body: { layout_id } });
    await meanwhile();
    const task = (await outboxOf(ana.caller)).find(({ data }) => data['report_id'] === id)!;
    expect(await deliver(renderReport.handler, task)).toBe(true);
    const file = await getObject(ana.caller, reportFile(ana.caller, id, 'report.pdf'));
    const { pages } = await readPdf(Buffer.from(file!));
    const report = await made(getReport, { as: ana.key, params: { report_id: id } });
    return { report, text: pages.join('\n') };
  };

  test('is the one asked for, with its logo', async () => {
    await layout('Usual', { is_default: true });
    const client = await layout('Client', { theme: { logo: await newPicture(ana.key) } });
    const { report, text } = await rendered(client.id);
    expect(report).toMatchObject({ status: 'ready', layout_id: client.id, warnings: [] });
    expect(text).toContain('Terms of Client');
  });

  test('is the default one where none is asked for', async () => {
    await layout('Usual', { is_default: true });
    expect((await rendered(null)).text).toContain('Terms of Usual');
  });

  test('is the default one where the one asked for is deleted meanwhile, and then the standard one', async () => {
    const usual = await layout('Usual', { is_default: true });
    const client = await layout('Client');
    const { report, text } = await rendered(client.id, () => forget(client));
    expect(report.status).toBe('ready');
    expect(text).toContain('Terms of Usual');
    const again = await rendered(null, () => forget(usual));
    expect(again.text).not.toContain('Terms of Usual');
    expect(again.text).toContain('Inspection record');
  });
});

describe('GET /inspections/{inspection_id}/report-payload', () => {
  const payload = (query = {}) =>
    call(getReportPayload, { as: ana.key, params: { inspection_id: inspection.id }, query });

  test('200 in the layout asked for, else the default one, else the standard one', async () => {
    expect((await payload()).body.layout).toEqual(DEFAULT_LAYOUT);
    const { primary_color } = DEFAULT_LAYOUT.theme;
    const logo = await newPicture(ana.key);
    const usual = await layout('Usual', { is_default: true, theme: { logo } });
    const client = await layout('Client', { page_size: 'Letter' });
    expect((await payload()).body.layout).toEqual({
      ...DEFAULT_LAYOUT,
      blocks: usual.blocks,
      theme: { primary_color, logo },
    });
    expect((await payload({ layout_id: client.id })).body.layout).toEqual({
      ...DEFAULT_LAYOUT,
      blocks: client.blocks,
      page_size: 'Letter',
    });
  });

  test('400 for a layout that the family does not have', async () => {
    const { id } = await newLayout(ana.key, (await newInspection(ana)).template_family_id);
    const { status, body } = await payload({ layout_id: id });
    expect([status, body.detail]).toEqual([400, 'layout_id does not exist']);
  });
});
