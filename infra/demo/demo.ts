import { join } from 'node:path';
import { answerForm, FORMER_VISIT, PRESENT_VISIT, type Visit } from './answers.ts';
import { type Client, DemoError, newClient } from './client.ts';
import { assignPestControl, correctAnswers, describeFinding, repairCooler } from './follow-up.ts';
import { type Form, newForm } from './form-3a.ts';
import { createOrganizationWithKey } from './key.ts';
import { mailsSoFar, taskLink } from './mails.ts';
import { callContractor, inspectAgain, orderTiles, resolvedFindings, verifyAll } from './re-inspection.ts';
import { exportInspections, exportReport, mailReport, renderReport, shareReport } from './reports.ts';
import {
  createKitchen,
  inspectorOf,
  type Inspection,
  nameInspector,
  planInspections,
  publishTemplate,
  setUpOrganization,
  startInspection,
} from './set-up.ts';

const { PORT = '3000', API_URL = `http://localhost:${PORT}`, DATA_DIR = '.data', API_KEY } = process.env;

const INSPECTOR = 'Łukasz Żółć';

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const say = (what: string, text: string): void => print(`${what.padEnd(16)}${text}`);

/** @throws DemoError when there is no service at `API_URL` */
const checkService = async (): Promise<void> => {
  const response = await fetch(`${API_URL}/openapi.json`).catch(() => undefined);
  if (!response?.ok)
    throw new DemoError(
      `there is no service at ${API_URL}: run npm start in another terminal, or set PORT or API_URL`,
    );
};

const outcome = ({ number, status, findings_count, score }: Inspection): string =>
  `number ${number} ${status}: ${findings_count} findings, ${score?.percentage} %, ${score?.result}`;

/** Who inspects what with which form. */
interface Setting {
  form: Form;
  familyId: string;
  locationId: string;
  inspectorId: string;
}

/** Carries out an inspection to its end. */
const inspect = async (
  api: Client,
  { form, ...place }: Setting,
  { purpose, visit }: { purpose: string; visit: Visit },
): Promise<Inspection> => {
  const { id } = await startInspection(api, { ...place, purpose });
  await answerForm(api, id, form, { visit, inspector: INSPECTOR, print });
  return api.post<Inspection>(`/inspections/${id}/advance`);
};

/** Everything until the inspections are completed, followed up and corrected. @returns both */
const inspectKitchen = async (
  api: Client,
  form: Form,
): Promise<{ former: Inspection; present: Inspection }> => {
  const { familyId, version } = await publishTemplate(api, form);
  say('template', `${form.items.length} items with scores, published as version ${version}`);
  const { id: inspectorId } = await nameInspector(api, INSPECTOR);
  const setting = { form, familyId, locationId: await createKitchen(api), inspectorId };

  const former = await inspect(api, setting, { purpose: 'Routine', visit: FORMER_VISIT });
  say('inspection', outcome(former));
  const { id, ...completed } = await inspect(api, setting, { purpose: 'Follow-up', visit: PRESENT_VISIT });
  say('inspection', outcome({ id, ...completed }));

  await describeFinding(api, id, form);
  say(
    'action',
    `${await repairCooler(api, id, form)}: carried out with photos of before and after, verified`,
  );
  say('action', `the one on pest control is assigned to ${await assignPestControl(api, id, form)}`);
  say('correction', `opened, ${await correctAnswers(api, id, form)} answers changed, closed`);
  const present = await api.get<Inspection>(`/inspections/${id}`);
  say('inspection', outcome(present));
  return { former, present };
};

const FOLDER = join(DATA_DIR, 'demo');

/** Reports the inspection in every way that the service has. @returns the paths of all files */
const report = async (api: Client, present: Inspection): Promise<string[]> => {
  const { id, page_count } = await renderReport(api, present.id);
  say('report', `${page_count} pages`);
  const files = [];
  for (const format of ['pdf', 'docx', 'xlsx']) files.push(await exportReport(api, id, format, FOLDER));

  const { mail, subject, error } = await mailReport(api, id, 'maria@example.com');
  const state = mail.state === 'waiting' ? 'offered, and sent once Maria agrees' : mail.state;
  say('mail', `"${subject}" is ${state}${error ? `: ${error}` : ` (${API_URL}/mails)`}`);
  say('link', `for anyone, works for 14 days: ${await shareReport(api, id)}`);
  return files;
};

/**
 * Has a contractor do the work, and an inspector look again at what failed.
 * @returns the re-inspection, and the paths of all files
 */
const lookAgain = async (
  api: Client,
  key: string,
  present: Inspection,
  form: Form,
): Promise<{ again: Inspection; files: string[] }> => {
  const contractor = { name: 'Kostas Pappas', company: 'Aegean Facility Care', email: 'kostas@example.com' };
  const title = await callContractor(api, present.id, form, contractor);
  say('contractor', `${contractor.name}, no member, got a link to "${title}" alone (${API_URL}/mails)`);

  // Somebody's own key need not have the right to act for members.
  const member = API_KEY ? undefined : await inspectorOf(api);
  const acting = newClient(API_URL, key, member?.user_id);
  const again = await inspectAgain(api, acting, member, present.id, form);
  say('re-inspection', `${member ? `by ${member.name}, for whom the key acts: ` : ''}${outcome(again)}`);
  say('findings', `${await resolvedFindings(api, present.id)} of the inspection before are resolved`);
  say('action', `verified after the visit: ${await verifyAll(api, present.id)}`);
  const sent = await mailsSoFar(API_URL);
  const open = await orderTiles(api, present.id, form, contractor);
  const link = await taskLink(API_URL, sent, open);
  say(
    'contractor',
    `"${open}" is still to do: ${link ? `${link}, all tasks: ${link}/tasks` : 'see the mail'}`,
  );
  say('schedule', await planInspections(api, again));
  const { length: steps } = await api.get<unknown[]>(`/inspections/${present.id}/activity`);
  say('history', `${steps} entries say who did what, and through which key`);
  const { id } = await renderReport(api, again.id);
  return { again, files: [await exportReport(api, id, 'pdf', FOLDER)] };
};

/** Does what an integration would do: it inspects a kitchen, follows up, hands over the report, and looks again. */
const run = async (): Promise<void> => {
  await checkService();
  const key = API_KEY || (await createOrganizationWithKey());
  const api = newClient(API_URL, key);
  say('organization', `${await setUpOrganization(api)}, with its logo`);
  const form = newForm();
  const { former, present } = await inspectKitchen(api, form);
  const files = await report(api, present);
  const { again, files: more } = await lookAgain(api, key, present, form);
  const inspections = [former, present, again].map(({ id }) => id);
  files.push(...more, await exportInspections(api, inspections, FOLDER));
  say('bulk export', 'the reports of all three inspections in one PDF, with a list of what is in it');
  print(`\n${files.join('\n')}`);
};

try {
  await run();
} catch (error) {
  process.stderr.write(`${error instanceof DemoError ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
