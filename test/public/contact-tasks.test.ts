import * as getContactTasksCsv from '../../functions/public/get-contact-tasks-csv.ts';
import * as getContactTasks from '../../functions/public/get-contact-tasks.ts';
import * as openContactTask from '../../functions/public/open-contact-task.ts';
import * as submitContactTasks from '../../functions/public/submit-contact-tasks.ts';
import { PAGE_TEXTS } from '../../shared/base/i18n/texts/pages.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { actionOf, historyOf, newFinding, patch } from '../corrective-actions/fixtures.ts';
import { newPerson, type Person } from '../support/people.ts';
import { type Visit, visit } from '../support/visit.ts';
import { contactStamp, foundInFlat, hiddenTask, newContactLink, tasksOfOne } from './fixtures.ts';

const { tasks: TEXTS, action: TASK, errors: ERRORS, issue: ISSUE } = PAGE_TEXTS.en;

let ana: Person;

beforeEach(async () => {
  ana = await newPerson('Ana');
});

const show = (token: string, query: Record<string, string> = {}) => visit(getContactTasks, { token, query });
const open = async (token: string, action: { id: string }) =>
  visit(openContactTask, { token, query: { id: await hiddenTask(ana, token, action) } });

/** Reports these tasks as done by the form of the link of the first of them. */
const reportAll = async (
  token: string,
  actions: readonly Pick<CorrectiveAction, 'id' | 'inspection_id'>[],
  given?: string,
) => {
  const stamp = given ?? (await contactStamp(ana, actions[0]!));
  const tasks = await Promise.all(actions.map((action) => hiddenTask(ana, token, action)));
  const fields: [string, string][] = [
    ['stamp', stamp],
    ['description', 'All sealed'],
    ['next', 'done'],
    ...tasks.map((task): [string, string] => ['task', task]),
  ];
  const type = 'application/x-www-form-urlencoded';
  const raw: Visit['raw'] = { type, bytes: new URLSearchParams(fields).toString() };
  return visit(submitContactTasks, { token, raw });
};

/** What the page says of each chosen task, without markup. */
const said = ({ text }: { text: string }): string =>
  /<main>([\s\S]*)<\/main>/
    .exec(text)![1]!
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describe('GET /c/{token}/tasks', () => {
  test('200 with all open tasks of the address, and nobody else’s', async () => {
    const finding = await newFinding(ana);
    const [{ action, token }] = await tasksOfOne(ana);
    const contact = { email: action.contact!.email!.toUpperCase() };
    await newContactLink(ana, { contact, title: 'In capitals' });
    const done = await newContactLink(ana, { contact, title: 'Done already' });
    await patch(ana, done.action, { status: 'cancelled' });
    const moved = await newContactLink(ana, { contact, title: 'Given to others' });
    await patch(ana, moved.action, { contact: { email: 'others@example.com' } });
    const archived = await newContactLink(ana, { contact, title: 'Archived' }, finding);
    await ana.inspections.archive({ params: { inspection_id: archived.action.inspection_id } });
    const bob = await newPerson('Bob');
    await newContactLink(bob, { contact: action.contact, title: 'For Bob' });
    const { text } = await show(token);
    for (const shown of ['Tighten it', 'Paint it', 'In capitals', 'Cara Cool, Cool Ltd'])
      expect(text).toContain(shown);
    for (const hidden of ['Done already', 'Given to others', 'Archived', 'For Bob'])
      expect(text).not.toContain(hidden);
    expect(await checkOrganization(ana.caller, { repair: false })).toMatchObject({ found: 0 });
  });

  test('200 with those at a place, or due until a day there, in the order of their due dates', async () => {
    const { finding } = await foundInFlat(ana);
    const contact = { email: `cara@${ana.caller.org_id}.example` };
    const task = (fields: object, at?: { id: string }) => newContactLink(ana, { contact, ...fields }, at);
    const { token } = await task({ title: 'No place', due_at: '2031-06-01T12:00:00Z' });
    await task({ title: 'In the flat', due_at: '2031-05-04T22:30:00Z' }, finding);
    await task({ title: 'No date' });
    const shown = async (query: Record<string, string>) =>
      [...(await show(token, query)).text.matchAll(/<bdi>(No place|In the flat|No date)</g)].map(
        ([, name]) => name,
      );
    expect(await shown({})).toEqual(['In the flat', 'No place', 'No date']);
    expect(await shown({ place: 'Tower One › Floor 3' })).toEqual(['In the flat']);
    expect(await shown({ to: '2031-05-04' })).toEqual([]);
    expect(await shown({ from: '2031-05-05', to: '2031-05-05' })).toEqual(['In the flat']);
    expect(await shown({ from: 'soon' })).toHaveLength(3);
  });

  test('200 with the end, once no task is open', async () => {
    const [first, second] = await tasksOfOne(ana);
    await patch(ana, first.action, { status: 'cancelled' });
    expect((await show(first.token)).text).toContain('Paint it');
    await patch(ana, second.action, { status: 'cancelled' });
    expect((await show(first.token)).text).toContain(TASK.closed.title);
  });

  test('404 for a link that was withdrawn or sent again', async () => {
    const [first, second] = await tasksOfOne(ana);
    await patch(ana, first.action, { contact: null });
    await ana.correctiveActions.sendContactLink({ params: { ca_id: second.action.id } });
    for (const { token } of [first, second]) {
      expect((await show(token)).status).toBe(404);
      expect((await open(token, second.action)).status).toBe(404);
      expect((await reportAll(token, [second.action])).status).toBe(404);
    }
  });
});

describe('GET /c/{token}/task', () => {
  test('302 to the page of another task of the address; 404 for one of another address, and a closed one', async () => {
    const [{ token }, other] = await tasksOfOne(ana);
    const { status, headers } = await open(token, other.action);
    expect([status, new URL(headers['location']!).pathname]).toEqual([
      302,
      expect.stringMatching(/^\/c\/[\w-]{22}$/),
    ]);
    const foreign = await newContactLink(ana);
    await patch(ana, other.action, { status: 'cancelled' });
    for (const { action } of [foreign, other]) expect((await open(token, action)).status).toBe(404);
    const ofAnother = await hiddenTask(ana, foreign.token, other.action);
    expect((await visit(openContactTask, { token, query: { id: ofAnother } })).status).toBe(404);
    expect((await visit(openContactTask, { token, query: { id: other.action.id } })).status).toBe(422);
  });
});

describe('GET /c/{token}/tasks/csv', () => {
  test('200 with a row for each task, and no formulas', async () => {
    const { token } = await newContactLink(ana, { title: '=1+1', due_at: '2031-05-04T22:30:00Z' });
    const { text, headers } = await visit(getContactTasksCsv, { token });
    expect(headers['content-disposition']).toContain('attachment');
    expect(text.split('\r\n')[1]).toContain(",'=1+1,");
    expect((await visit(getContactTasksCsv, { token, query: { to: '2030-01-01' } })).text).not.toContain(
      '1+1',
    );
  });
});

describe('POST /c/{token}/tasks', () => {
  test('200 with what was taken, and why the others were not', async () => {
    const [first, second] = await tasksOfOne(ana);
    const contact = first.action.contact;
    const needsPhoto = await newContactLink(ana, { contact, title: 'Show it', evidence_required: true });
    const cancelled = await newContactLink(ana, { contact, title: 'Leave it' });
    await patch(ana, cancelled.action, { status: 'cancelled' });
    const foreign = await newContactLink(ana, { title: 'SECRET' });
    const actions = [first, second, needsPhoto, cancelled, foreign].map(({ action }) => action);
    const page = said(await reportAll(first.token, actions));
    expect(page).toMatch(new RegExp(`${TEXTS.taken} Tighten it Paint it ${TEXTS.refused}`));
    expect(page).toContain(`Show it : ${TASK.problems.evidence}`);
    expect(page).toContain(`Leave it : ${TASK.closed.title}`);
    expect(page).toContain(ERRORS.notFound.title);
    expect(page).not.toContain('SECRET');
    const after = await Promise.all(actions.map((action) => actionOf(ana, action)));
    expect(after.map(({ status }) => status)).toEqual([
      'pending_verification',
      'pending_verification',
      'open',
      'cancelled',
      'open',
    ]);
    expect(after[1]).toMatchObject({ completed_by_contact: true, completion_note: 'All sealed' });
    expect(await checkOrganization(ana.caller, { repair: false })).toMatchObject({ found: 0 });
  });

  test('200 for a form that is sent twice at once: each task is taken once', async () => {
    const tasks = (await tasksOfOne(ana)).map(({ action, token }) => ({ ...action, token }));
    const stamp = await contactStamp(ana, tasks[0]!);
    const send = () => reportAll(tasks[0]!.token, tasks, stamp);
    for (const page of await Promise.all([send(), send()])) expect(said(page)).not.toContain(TEXTS.refused);
    for (const task of tasks) expect(await historyOf(ana, task)).toHaveLength(3);
    expect(said(await reportAll(tasks[0]!.token, tasks))).toContain(TASK.reported.title);
  });

  test('422 when nothing is chosen, and for a form of another link', async () => {
    const [first, second] = await tasksOfOne(ana);
    const [stamp, foreign] = [await contactStamp(ana, first.action), await contactStamp(ana, second.action)];
    const nothing = await reportAll(first.token, [], stamp);
    expect([nothing.status, nothing.text]).toEqual([
      422,
      expect.stringContaining('Choose at least one task'),
    ]);
    const other = await reportAll(first.token, [first.action], foreign);
    expect([other.status, other.text]).toEqual([422, expect.stringContaining(ISSUE.problems.again)]);
    expect((await actionOf(ana, first.action)).status).toBe('open');
  });
});
