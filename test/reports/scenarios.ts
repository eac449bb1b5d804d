import * as createReportExport from '../../functions/reports/create-report-export.ts';
import * as createReport from '../../functions/reports/create-report.ts';
import * as renderReport from '../../functions/workers/render-report.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { made } from '../support/call.ts';
import { deliver, outboxOf } from '../support/outbox.ts';
import type { Person } from '../support/people.ts';
import type { Scenarios } from '../support/scenarios.ts';
import { newLayout, newPicture } from '../templates/fixtures.ts';

const inspected = async (person: Person) => ({ params: { inspection_id: (await newInspection(person)).id } });

const queued = async (person: Person): Promise<{ params: { report_id: string } }> => {
  const { id } = await made(createReport, { as: person.key, ...(await inspected(person)) });
  return { params: { report_id: id } };
};

const rendered = async (person: Person) => {
  const request = await queued(person);
  const tasks = await outboxOf(person.caller);
  const task = tasks.find(({ data }) => data['report_id'] === request.params.report_id)!;
  if (!(await deliver(renderReport.handler, task))) throw new Error('the report was not rendered');
  return request;
};

const exported = async (person: Person, report: { params: { report_id: string } }) => {
  const { id } = await made(createReportExport, { as: person.key, ...report, body: {} });
  return { params: { ...report.params, export_id: id as string } };
};

const listed = async (person: Person) => {
  const request = await inspected(person);
  await made(createReport, { as: person.key, ...request });
  return request;
};

/** A second report, in a layout of its own. */
const again = async (person: Person) => {
  const { id, template_family_id } = await newInspection(person);
  const request = { params: { inspection_id: id } };
  await made(createReport, { as: person.key, ...request });
  const layout = await newLayout(person.key, template_family_id);
  return { ...request, body: { layout_id: layout.id } };
};

const laidOut = async (person: Person) => {
  const { body, ...request } = await again(person);
  return { ...request, query: body };
};

/** In a layout with a logo. */
const withLogo = async (person: Person) => {
  const { id, template_family_id } = await newInspection(person);
  const theme = { logo: await newPicture(person.key) };
  const { id: layout_id } = await newLayout(person.key, template_family_id, { theme });
  return { params: { inspection_id: id }, query: { layout_id } };
};

export const scenarios: Scenarios = {
  createReport: [inspected, again],
  listReports: [listed, async (person) => ({ ...(await listed(person)), query: { limit: 1 } })],
  getReport: [queued],
  getReportPayload: [inspected, laidOut],
  getReportPreview: [
    async (person) => ({ ...(await inspected(person)), query: { format: 'html' } }),
    withLogo,
  ],
  createReportExport: [
    async (person) => ({ ...(await queued(person)), body: {} }),
    async (person) => {
      const report = await queued(person);
      await exported(person, report);
      return { ...report, body: { format: 'pdf' } };
    },
  ],
  getReportExport: [
    async (person) => exported(person, await queued(person)),
    async (person) => exported(person, await rendered(person)),
  ],
};
