import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Client, download, type Made, poll, type Resource, waitUntilReady } from './client.ts';

/** A file that the service has made. */
interface MadeFile extends Made {
  url: string;
  filename: string;
}

export interface Report extends Resource, Made {
  page_count: number;
}

/** Renders the report of an inspection, and waits for it. */
export const renderReport = async (api: Client, inspectionId: string): Promise<Report> => {
  const { id } = await api.post<Resource>(`/inspections/${inspectionId}/reports`, {});
  return waitUntilReady<Report>(api, `/reports/${id}`);
};

/** Saves the file in a folder, under the name that the service gives it. @returns the path */
const save = async ({ url, filename }: MadeFile, folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true });
  const path = resolve(join(folder, filename));
  await writeFile(path, await download(url));
  return path;
};

/** Exports a report in a format, and saves the file. @returns its path */
export const exportReport = async (
  api: Client,
  reportId: string,
  format: string,
  folder: string,
): Promise<string> => {
  const path = `/reports/${reportId}/exports`;
  const { id } = await api.post<Resource>(path, { format });
  return save(await waitUntilReady<MadeFile>(api, `${path}/${id}`), folder);
};

/** Exports the reports of all these inspections as one PDF, and saves it. @returns its path */
export const exportInspections = async (
  api: Client,
  inspectionIds: readonly string[],
  folder: string,
): Promise<string> => {
  const { id } = await api.post<Resource>('/report-exports', {
    inspection_ids: inspectionIds,
    format: 'pdf',
    bundle: 'merged',
  });
  return save(await waitUntilReady<MadeFile>(api, `/report-exports/${id}`), folder);
};

interface Email extends Resource {
  /** Its state is `waiting` until somebody at a new address has agreed. */
  mail: { state: string };
  subject: string;
  error: string | null;
}

/** Mails a report with a link to it, and waits until it is sent, or offered to a new address. */
export const mailReport = async (api: Client, reportId: string, to: string): Promise<Email> => {
  const path = `/reports/${reportId}/email`;
  const { id } = await api.post<Resource>(path, {
    to: [to],
    subject: 'Inspection {inspection.number}: {result}, {score}',
    body: 'Dear Maria,\n\nattached is the report of our visit to {location.name} on {date}.\n\nKind regards\n{organization.name}',
    include_link: true,
  });
  const emails = await poll<Email[]>(api, path, (log) =>
    log.some((email) => email.id === id && email.mail.state !== 'queued'),
  );
  return emails.find((email) => email.id === id)!;
};

/** Makes a link by which anyone can read the report. @returns its URL */
export const shareReport = async (api: Client, reportId: string): Promise<string> =>
  (await api.post<{ url: string }>(`/reports/${reportId}/share-links`, { expires_in_days: 14 })).url;
