import { join } from 'node:path';
import { runningOn } from '../local/attach.ts';
import { answerForm, FORMER_VISIT, PRESENT_VISIT, type Visit } from './answers.ts';
import { type Client, DemoError, newClient } from './client.ts';
import {
  type Action,
  assignPestControl,
  correctAnswers,
  describeFinding,
  repairCooler,
} from './follow-up.ts';
import { type Form, newForm } from './form-3a.ts';
import { ADMIN_EMAIL, createOrganizationWithKey } from './key.ts';
import { mailedLink, mailsSoFar } from './mails.ts';
import { callContractor, inspectAgain, orderTiles, resolvedFindings, verifyAll } from './re-inspection.ts';
import { exportInspections, exportReport, mailReport, renderReport, shareReport } from './reports.ts';
import {
  createKitchen,
  inspectorOf,
  type Inspection,
  nameInspector,
  openIssueForm,
  planInspections,
  publishTemplate,
  setUpOrganization,
  startInspection,
} from './set-up.ts';

const { PORT = '3000', API_URL = `http://localhost:${PORT}`, DATA_DIR = '.data', API_KEY } = process.env;

const INSPECTOR = 'Łukasz Żółć';

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const WIDTH = 16;

/** @param place where the app shows what was made, such as `inspections/<id>` */
const say = (what: string, text: string, place?: string): void => {
  print(`${what.padEnd(WIDTH)}${text}`);
  if (place !== undefined) print(`${''.padEnd(WIDTH)}${API_URL}/admin/${place}`);
};

/** @throws DemoError when there is no service at `API_URL` */
const checkService = async (): Promise<void> => {
  const response = await fetch(`${API_URL}/openapi.json`).catch(() => undefined);
  if (!response?.ok)
    throw new DemoError(
      `there is no service at ${API_URL}: run npm start in another terminal, or set PORT or API_URL`,
    );
};

const WHERE_KEYS_ARE = [
  'set API_KEY to the key that npm start printed at its first start on an empty folder,',
  `or DATA_DIR (${DATA_DIR}) to the folder of the running service, where the demo makes a key itself;`,
  'npm run -s operator -- key create makes another key',
].join('\n');

/** The key to work with. @throws DemoError that says where keys are, when there is none or the service refuses it */
const keyOf = async (): Promise<string> => {
  const isLocal = !process.env['TABLE_NAME'] && !process.env['AWS_ENDPOINT_URL_DYNAMODB'];
  if (!API_KEY && isLocal && !(await runningOn(DATA_DIR)))
    throw new DemoError(`there is no key: ${WHERE_KEYS_ARE}`);
  const key = API_KEY || (await createOrganizationWithKey());
  const { status } = await fetch(`${API_URL}/v1/org`, { headers: { Authorization: `Bearer ${key}` } });
  if (status === 401) throw new DemoError(`the service at ${API_URL} refuses the key: ${WHERE_KEYS_ARE}`);
  return key;
};

const sayOutcome = (
  what: string,
  { id, number, status, findings_count, score }: Inspection,
  by: string = '',
): void =>
  say(
    what,
    `${by}number ${number} ${status}: ${findings_count} findings, ${score?.percentage} %, ${score?.result}`,
    `inspections/${id}`,
  );

const placeOf = ({ id }: Action): string => `corrective-actions/${id}`;

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
  say(
    'template',
    `${form.items.length} items with scores, published as version ${version}`,
    `templates/${familyId}`,
  );
  const { id: inspectorId } = await nameInspector(api, INSPECTOR);
  const setting = { form, familyId, locationId: await createKitchen(api), inspectorId };

  const former = await inspect(api, setting, { purpose: 'Routine', visit: FORMER_VISIT });
  sayOutcome('inspection', former);
  const completed = await inspect(api, setting, { purpose: 'Follow-up', visit: PRESENT_VISIT });
  sayOutcome('inspection', completed);

  const { id } = completed;
  await describeFinding(api, id, form);
  const repair = await repairCooler(api, id, form);
  say('action', `${repair.title}: carried out with photos of before and after, verified`, placeOf(repair));
  const { assignee, ...pestControl } = await assignPestControl(api, id, form);
  say('action', `the one on pest control is assigned to ${assignee}`, placeOf(pestControl));
  say('correction', `opened, ${await correctAnswers(api, id, form)} answers changed, closed`);
  const present = await api.get<Inspection>(`/inspections/${id}`);
  sayOutcome('inspection', present);
  return { former, present };
};

const FOLDER = join(DATA_DIR, 'demo');

/** A link that the demo has made, and what it shows. It may be in a mail, which the service may not show. */
type Link = readonly [url: string | undefined | Promise<string | undefined>, shows: string];

/** What a part of the demo has made: the paths of files, and links. */
interface Made {
  files: string[];
  links: Link[];
}

/** Reports the inspection in every way that the service has. */
const report = async (api: Client, present: Inspection): Promise<Made> => {
  const { id, page_count } = await renderReport(api, present.id);
  say('report', `${page_count} pages`, `reports/${id}`);
  const files = [];
  for (const format of ['pdf', 'docx', 'xlsx']) files.push(await exportReport(api, id, format, FOLDER));

  const sent = await mailsSoFar(API_URL);
  const { mail, subject, error } = await mailReport(api, id, 'maria@example.com');
  const state = mail.state === 'waiting' ? 'offered, and sent once Maria agrees' : mail.state;
  say('mail', `"${subject}" is ${state}${error ? `: ${error}` : ''}`);
  const shared = await shareReport(api, id);
  say('link', 'to the report, for anyone, works for 14 days');
  const offer = mail.state === 'waiting' ? mailedLink(API_URL, sent, 'confirm', present.name) : undefined;
  return {
    files,
    links: [
      [shared, 'the report, for whoever has the link'],
      [offer, 'the offer of the report: Maria agrees to get mails, or declines'],
    ],
  };
};

/** Has a contractor do the work, and an inspector look again at what failed. @returns the re-inspection as well */
const lookAgain = async (
  api: Client,
  key: string,
  present: Inspection,
  form: Form,
): Promise<Made & { again: Inspection }> => {
  const contractor = { name: 'Kostas Pappas', company: 'Aegean Facility Care', email: 'kostas@example.com' };
  const called = await callContractor(api, present.id, form, contractor);
  say('contractor', `${contractor.name}, who is no member, is to do "${called.title}"`, placeOf(called));

  // Somebody's own key need not have the right to act for members.
  const member = API_KEY ? undefined : await inspectorOf(api);
  const acting = newClient(API_URL, key, member?.user_id);
  const again = await inspectAgain(api, acting, member, present.id, form);
  sayOutcome('re-inspection', again, member && `by ${member.name}, for whom the key acts: `);
  say('findings', `${await resolvedFindings(api, present.id)} of the inspection before are resolved`);
  say('action', `verified after the visit: ${await verifyAll(api, present.id)}`);
  const sent = await mailsSoFar(API_URL);
  const open = await orderTiles(api, present.id, form, contractor);
  const task = mailedLink(API_URL, sent, 'c', open.title);
  say('contractor', `"${open.title}" is still to do`, placeOf(open));
  const schedule = await planInspections(api, again);
  say('schedule', schedule.description, `schedules/${schedule.id}`);
  const { length: steps } = await api.get<unknown[]>(`/inspections/${present.id}/activity`);
  say('history', `${steps} entries say who did what, and through which key`);
  const { id } = await renderReport(api, again.id);
  return {
    again,
    files: [await exportReport(api, id, 'pdf', FOLDER)],
    links: [
      [task, `"${open.title}" for the contractor, who reports it as done`],
      [task.then((url) => url && `${url}/tasks`), 'all tasks of the contractor'],
    ],
  };
};

/** Does what an integration would do: it inspects a kitchen, follows up, hands over the report, and looks again. */
const run = async (): Promise<void> => {
  await checkService();
  const key = await keyOf();
  const began = performance.now();
  print('This takes half a minute to a minute.\n');
  const api = newClient(API_URL, key);
  say('organization', `${await setUpOrganization(api)}, with its logo`, 'organization');
  const form = newForm();
  const { former, present } = await inspectKitchen(api, form);
  const reported = await report(api, present);
  const { again, ...more } = await lookAgain(api, key, present, form);
  const inspections = [former, present, again].map(({ id }) => id);
  const bundle = await exportInspections(api, inspections, FOLDER);
  const { url: issueForm, issueId } = await openIssueForm(api, present.location_id);
  say('issues', 'anyone reports them by a link, and the first one is there', `issues/${issueId}`);
  say('bulk export', 'the reports of all three inspections in one PDF, with a list of what is in it');
  print(`\nFiles:\n${[...reported.files, ...more.files, bundle].map((path) => `  ${path}`).join('\n')}`);
  const isShown = (await mailsSoFar(API_URL)) !== undefined;
  const links = [
    [
      `${API_URL}/admin`,
      `the app: sign in as ${API_KEY ? 'an admin of the organization of your key' : `${ADMIN_EMAIL}, the admin of this organization`}`,
    ] as const,
    ...reported.links,
    ...more.links,
    [issueForm, 'the form by which anyone reports an issue in the kitchen'] as const,
    [isShown ? `${API_URL}/mails` : undefined, 'all mails that were sent'] as const,
  ];
  print('\nLinks to open in a browser:');
  for (const [made, shows] of links) {
    const url = await made;
    if (url !== undefined) print(`  ${url}\n    ${shows}`);
  }
  print(`\nIt took ${Math.round((performance.now() - began) / 1_000)} seconds.`);
};

try {
  await run();
} catch (error) {
  process.stderr.write(`${error instanceof DemoError ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
