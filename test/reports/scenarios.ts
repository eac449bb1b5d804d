import * as makeBulkExport from '../../functions/workers/make-bulk-export.ts';
import * as renderReport from '../../functions/workers/render-report.ts';
import { suppress } from '../../shared/organizations/addresses/addresses.ts';
import { attach, newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { newInspection, newLocation, startedInspection } from '../inspections/fixtures.ts';
import { newOffer } from '../public/fixtures.ts';
import { mailAll } from '../support/notices.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import type { Person } from '../support/people.ts';
import type { Scenarios } from '../support/scenarios.ts';
import { newLayout, newPicture } from '../templates/fixtures.ts';

const withInspection = async (person: Person) => ({
  params: { inspection_id: (await newInspection(person)).id },
});

const withQueuedReport = async (person: Person): Promise<{ params: { report_id: string } }> => {
  const { id } = await person.reports.create({ ...(await withInspection(person)) });
  return { params: { report_id: id } };
};

const withRenderedReport = async (person: Person) => {
  const request = await withQueuedReport(person);
  const tasks = await waitingTasks(person.caller);
  const task = tasks.find(({ data }) => data['report_id'] === request.params.report_id)!;
  if (!(await deliver(renderReport.handler, task))) throw new Error('the report was not rendered');
  return request;
};

const withExport = async (person: Person, report: { params: { report_id: string } }) => {
  const { id } = await person.reports.createExport({ ...report, body: {} });
  return { params: { ...report.params, export_id: id as string } };
};

const withReport = async (person: Person) => {
  const request = await withInspection(person);
  await person.reports.create({ ...request });
  return request;
};

/** An inspection that has a report; the request asks for another one in a layout. */
const withReportAndLayout = async (person: Person) => {
  const { id, template_family_id } = await newInspection(person);
  const request = { params: { inspection_id: id } };
  await person.reports.create({ ...request });
  const layout = await newLayout(person.key, template_family_id);
  return { ...request, body: { layout_id: layout.id } };
};

/**
 * An inspection at a location where there was one before, with a corrective action that has a photo; the request asks
 * for another language.
 */
const withHistory = async (person: Person) => {
  const { id: location_id } = await newLocation(person);
  const { template_family_id } = await newInspection(person, { location_id });
  const inspection = await startedInspection(person, { location_id, template_family_id });
  const action = await newAction(person, {}, await newFinding(person, {}, inspection));
  await attach(person, action, await newPicture(person.key));
  return { params: { inspection_id: inspection.id }, query: { language: 'de', format: 'html' } };
};

const withLayout = async (person: Person) => {
  const { body, ...request } = await withReportAndLayout(person);
  return { ...request, query: body };
};

/** An inspection, and a layout with a logo. */
const withLogo = async (person: Person) => {
  const { id, template_family_id } = await newInspection(person);
  const theme = { logo: await newPicture(person.key) };
  const { id: layout_id } = await newLayout(person.key, template_family_id, { theme });
  return { params: { inspection_id: id }, query: { layout_id } };
};

/** A bulk export of one inspection, whose file the worker has made. */
const withBulkExport = async (person: Person) => {
  const { params } = await withInspection(person);
  const body = { inspection_ids: [params.inspection_id], format: 'csv', bundle: 'merged' };
  const { id } = await person.reports.createBulkExport({ body });
  const task = (await waitingTasks(person.caller)).find(({ data }) => data['bulk_export_id'] === id)!;
  if (!(await deliver(makeBulkExport.handler, task))) throw new Error('the bulk export was not made');
  return { params: { export_id: id as string } };
};

const RECIPIENT = { to: ['client@example.com'] };

/** A rendered report, and a family that has a default layout. */
const withDefaultLayout = async (person: Person) => {
  const { id, template_family_id } = await newInspection(person);
  await newLayout(person.key, template_family_id, { is_default: true });
  return { params: { inspection_id: id } };
};

const withEmail = async (person: Person) => {
  const report = await withQueuedReport(person);
  await person.reports.createEmail({ ...report, body: RECIPIENT });
  return report;
};

const withShareLink = async (person: Person) => {
  const request = await withQueuedReport(person);
  const { id } = await person.reports.createShareLink({ ...request });
  return { params: { ...request.params, share_link_id: id as string } };
};

const withShareLinks = async (person: Person) => {
  const { params } = await withShareLink(person);
  return { params: { report_id: params.report_id } };
};

/** An offer for whose answer a mail waits. */
const withOffer = async (person: Person) => {
  const { report_id } = await newOffer(person);
  const [offered] = await person.reports.listShareLinks({ params: { report_id } });
  return { params: { report_id, share_link_id: offered.id as string } };
};

/** A question to an address whether it wants what this setting would send it. */
const withQuestion = async (person: Person) => {
  await person.organization.update({ body: { reply_to_email: 'office@client.example' } });
  await mailAll(person);
  const [{ id }] = await person.reports.listMailQuestions();
  return { params: { question_id: id as string } };
};

/** The question by which a report is offered. */
const withOfferedReport = async (person: Person) => {
  const report = await withRenderedReport(person);
  await person.reports.createEmail({ ...report, body: RECIPIENT });
  await mailAll(person);
  const [{ id }] = await person.reports.listMailQuestions();
  return { params: { question_id: id as string } };
};

const GONE = 'gone@client.example';

const withSuppression = async ({ caller }: Person) => {
  await suppress(caller, GONE, 'bounced');
  return { params: { address: GONE } };
};

export const scenarios: Scenarios = {
  createBulkReportExport: [
    async (person) => {
      const { id, template_family_id } = await newInspection(person);
      const layout = await newLayout(person.key, template_family_id);
      return { body: { inspection_ids: [id], layout_id: layout.id } };
    },
    async (person) => {
      const { name } = await newInspection(person);
      return { body: { filter: { q: name }, include_unanswered: true } };
    },
    async (person) => {
      const { external_ref } = await newInspection(person, { external_ref: 'A 7' });
      return { body: { filter: { external_ref }, include_unanswered: true } };
    },
    async (person) => {
      const { id: location_id } = await newLocation(person);
      await newInspection(person, { location_id });
      return { body: { filter: { location_id }, include_unanswered: true } };
    },
  ],
  getBulkReportExport: [withBulkExport],
  listBulkReportExports: [
    async (person) => {
      await withBulkExport(person);
      return {};
    },
  ],
  listMailQuestions: [
    async (person) => {
      await withQuestion(person);
      await withOfferedReport(person);
      return {};
    },
    async (person) => {
      await withQuestion(person);
      return { query: { limit: 1 } };
    },
  ],
  deleteMailQuestion: [withQuestion, withOfferedReport],
  listMailSuppressions: [
    async (person) => {
      await withSuppression(person);
      return {};
    },
  ],
  deleteMailSuppression: [withSuppression],
  createReportEmail: [
    async (person) => ({ ...(await withQueuedReport(person)), body: RECIPIENT }),
    async (person) => ({ ...(await withRenderedReport(person)), body: RECIPIENT }),
  ],
  listReportEmails: [withEmail, async (person) => ({ ...(await withEmail(person)), query: { limit: 1 } })],
  getReportSendDefaults: [withInspection, withDefaultLayout, withLayout],
  sendReport: [
    async (person) => ({ ...(await withInspection(person)), body: RECIPIENT }),
    async (person) => ({ ...(await withReport(person)), body: RECIPIENT }),
    async (person) => ({ ...(await withDefaultLayout(person)), body: RECIPIENT }),
  ],
  createReport: [withInspection, withReportAndLayout],
  listReports: [withReport, async (person) => ({ ...(await withReport(person)), query: { limit: 1 } })],
  listAllReports: [
    async (person) => {
      const { params } = await withReport(person);
      return { query: { inspection_id: params.inspection_id, limit: 1 } };
    },
    async (person) => {
      await withRenderedReport(person);
      return { query: { status: ['ready'], limit: 1 } };
    },
    async (person) => {
      const { id: location_id } = await newLocation(person);
      const { id } = await newInspection(person, { location_id });
      await person.reports.create({ params: { inspection_id: id } });
      return { query: { within: location_id } };
    },
    async (person) => {
      await withReport(person);
      return { query: { limit: 1 } };
    },
  ],
  getReport: [withQueuedReport],
  getReportPayload: [
    withInspection,
    withLayout,
    async (person) => ({ ...(await withHistory(person)), query: { language: 'de' } }),
  ],
  getReportPreview: [
    async (person) => ({ ...(await withInspection(person)), query: { format: 'html' } }),
    withLogo,
    withHistory,
  ],
  createReportExport: [
    async (person) => ({ ...(await withQueuedReport(person)), body: {} }),
    async (person) => {
      const report = await withQueuedReport(person);
      await withExport(person, report);
      return { ...report, body: { format: 'pdf' } };
    },
    async (person) => ({ ...(await withRenderedReport(person)), body: { format: 'csv' } }),
    async (person) => ({ ...(await withRenderedReport(person)), body: { format: 'pdf' } }),
  ],
  createShareLink: [
    withQueuedReport,
    async (person) => ({ ...(await withRenderedReport(person)), body: { expires_in_days: 7 } }),
  ],
  listShareLinks: [
    withShareLinks,
    async (person) => ({ ...(await withShareLinks(person)), query: { limit: 1 } }),
  ],
  revokeShareLink: [withShareLink, withOffer],
  getReportExport: [
    async (person) => withExport(person, await withQueuedReport(person)),
    async (person) => withExport(person, await withRenderedReport(person)),
  ],
};
