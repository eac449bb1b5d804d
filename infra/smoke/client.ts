import type { Event } from '../../shared/schemas/event.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { Location } from '../../shared/schemas/location.ts';
import type { Organization } from '../../shared/schemas/organization.ts';
import type { ReportExport } from '../../shared/schemas/reports/report-export.ts';
import type { Report } from '../../shared/schemas/reports/report.ts';
import type { Family } from '../../shared/schemas/templates/family.ts';
import type { Template } from '../../shared/schemas/templates/template.ts';
import { type Helpers, makeClient } from '../sdk/src/client.ts';
import type { Args, ClientOptions } from '../sdk/src/send.ts';

/** The operations of the main job, and those that clean up after it, as the client takes them. */
export const OPERATIONS = {
  getOrganization: 'GET /org',
  getMyProfile: 'GET /me/profile',
  listEvents: 'GET /events',
  createLocation: 'POST /locations i',
  updateLocation: 'PATCH /locations/{location_id}',
  deleteLocation: 'DELETE /locations/{location_id}',
  createFamily: 'POST /templates/families i',
  archiveFamily: 'POST /templates/families/{family_id}/archive i',
  deleteFamily: 'DELETE /templates/families/{family_id}',
  publishTemplate: 'POST /templates/{template_id}/publish i',
  createInspection: 'POST /inspections i',
  startInspection: 'POST /inspections/{inspection_id}/start i',
  saveAnswers: 'PUT /inspections/{inspection_id}/responses/batch',
  advanceInspection: 'POST /inspections/{inspection_id}/advance i',
  archiveInspection: 'POST /inspections/{inspection_id}/archive i',
  deleteInspection: 'DELETE /inspections/{inspection_id}',
  createReport: 'POST /inspections/{inspection_id}/reports i',
  getReport: 'GET /reports/{report_id}',
  createReportExport: 'POST /reports/{report_id}/exports i',
  getReportExport: 'GET /reports/{report_id}/exports/{export_id}',
};

/** What the replies hold whose values the test reads. */
interface Replies {
  getOrganization: Organization;
  getMyProfile: { id: string };
  listEvents: Event[];
  createLocation: Location;
  createFamily: Family;
  publishTemplate: Template;
  createInspection: Inspection;
  saveAnswers: { results: { status: string; detail?: unknown }[] };
  advanceInspection: Inspection;
  createReport: Report;
  getReport: Report;
  createReportExport: ReportExport;
  getReportExport: ReportExport;
}

type Name = keyof typeof OPERATIONS;

export type Api = Helpers<Api> & {
  [Operation in Name]: (
    args?: Args,
  ) => Promise<Operation extends keyof Replies ? Replies[Operation] : unknown>;
};

/**
 * The service's own client, with the operations of the main job.
 * @param signal ends every request that is under way
 */
export const newApi = (options: ClientOptions, signal: AbortSignal): Api => {
  const api = makeClient<Api>(OPERATIONS, options);
  const ending = Object.keys(OPERATIONS).map((name) => [
    name,
    (args?: Args) => api[name as Name]({ ...args, signal }),
  ]);
  return {
    ...Object.fromEntries(ending),
    as: (userId) => newApi({ ...options, onBehalfOf: userId }, signal),
    wait: (read, waiting) => api.wait(read, { ...waiting, signal }),
    download: (url) => api.download(url, { signal }),
  } as Api;
};
