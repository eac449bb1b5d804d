import { answerForm } from './answers.ts';
import { DemoError, newClient } from './client.ts';
import { newForm } from './form-3a.ts';
import { createOrganizationWithKey } from './key.ts';
import { createInspection, publishTemplate, renderReport, saveFile, setUpOrganization } from './steps.ts';

const { PORT = '3000', API_URL = `http://127.0.0.1:${PORT}`, DATA_DIR = '.data', API_KEY } = process.env;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** @throws DemoError when there is no service at `API_URL` */
const checkService = async (): Promise<void> => {
  const response = await fetch(`${API_URL}/openapi.json`).catch(() => undefined);
  if (!response?.ok)
    throw new DemoError(
      `there is no service at ${API_URL}: run npm start in another terminal, or set PORT or API_URL`,
    );
};

/** Does what an integration would do: it publishes a form, inspects a kitchen with it, and saves the report. */
const run = async (): Promise<void> => {
  await checkService();
  const api = newClient(API_URL, API_KEY || (await createOrganizationWithKey()));

  print(`organization    ${await setUpOrganization(api)}, with its logo`);

  const form = newForm();
  const { familyId, version } = await publishTemplate(api, form);
  print(`template        ${form.items.length} items, published as version ${version}`);

  const { id, number } = await createInspection(api, familyId);
  print(`inspection      number ${number}`);
  await api.post(`/inspections/${id}/start`);
  await answerForm(api, id, form, print);
  const done = await api.post<{ status: string; findings_count: number }>(`/inspections/${id}/advance`);
  print(`inspection      ${done.status}, ${done.findings_count} findings`);

  const { pages, pdf } = await renderReport(api, id);
  const file = await saveFile(DATA_DIR, `inspection-${number}.pdf`, pdf);
  print(`report          ${pages} pages, ${(pdf.length / 1e6).toFixed(1)} MB\n\n${file}`);
};

try {
  await run();
} catch (error) {
  process.stderr.write(`${error instanceof DemoError ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
