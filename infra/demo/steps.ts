import { mkdir, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Client, DemoError, type Resource, waitUntilReady } from './client.ts';
import type { Form } from './form-3a.ts';
import { drawLogo } from './photos.ts';

export interface Inspection extends Resource {
  number: number;
}

/** Gives the organization its logo, time zone and formats. @returns its name */
export const setUpOrganization = async (api: Client): Promise<string> => {
  const logo = new FormData();
  logo.set('file', new File([new Uint8Array(await drawLogo())], 'logo.png', { type: 'image/png' }));
  await api.post('/org/logo', logo);
  const { name } = await api.patch<{ name: string }>('/org', {
    timezone: 'Europe/Athens',
    locale: 'en-GB',
    date_format: 'dd/MM/yyyy',
  });
  return name;
};

/** Publishes the form as a template. @returns the family's id and the number of the published version */
export const publishTemplate = async (
  api: Client,
  form: Form,
): Promise<{ familyId: string; version: number }> => {
  const family = await api.post<{ id: string; draft_version_id: string }>('/templates/families', {
    name: 'Food Establishment Inspection Report',
    description: 'FDA Food Code 2022, Annex 7, Form 3-A',
    content: form.content,
  });
  const published = await api.post<{ version_number: number }>(
    `/templates/${family.draft_version_id}/publish`,
  );
  return { familyId: family.id, version: published.version_number };
};

/** Creates a client with a location, and an inspection there. */
export const createInspection = async (api: Client, familyId: string): Promise<Inspection> => {
  const client = await api.post<Resource>('/client-accounts', {
    name: 'Ταβέρνα «Το Λιμάνι»',
    contact: { name: 'Maria Papadopoulou', email: 'maria@example.com' },
  });
  const location = await api.post<Resource>('/locations', {
    name: 'Harbour kitchen',
    client_account_id: client.id,
    timezone: 'Europe/Athens',
    address: 'Ακτή Μιαούλη 12\n185 38 Πειραιάς',
  });
  return api.post<Inspection>('/inspections', {
    template_family_id: familyId,
    client_account_id: client.id,
    location_id: location.id,
    name: 'Routine food safety inspection',
    start_answers: {
      permit_number: 'GR-2026-0417',
      purpose: 'Routine',
      establishment_type: 'Restaurant',
      risk_category: 3,
    },
  });
};

/** Renders the inspection's report and downloads it as a PDF. */
export const renderReport = async (
  api: Client,
  inspectionId: string,
): Promise<{ pages: number | null | undefined; pdf: Buffer }> => {
  const report = await api.post<Resource>(`/inspections/${inspectionId}/reports`, {});
  const { page_count: pages } = await waitUntilReady(api, `/reports/${report.id}`);
  const exported = await api.post<Resource>(`/reports/${report.id}/exports`, { format: 'pdf' });
  const { url } = await waitUntilReady(api, `/reports/${report.id}/exports/${exported.id}`);
  const response = await fetch(url!);
  if (!response.ok) throw new DemoError(`the URL of the PDF answered ${response.status}`);
  return { pages, pdf: Buffer.from(await response.arrayBuffer()) };
};

/** Saves a file in the data folder's `demo`. @returns its path */
export const saveFile = async (dataDir: string, name: string, bytes: Buffer): Promise<string> => {
  const folder = resolve(dataDir, 'demo');
  await mkdir(folder, { recursive: true });
  const file = resolve(folder, name);
  await writeFile(file, bytes);
  return file;
};
