import * as deleteRemains from '../../functions/workers/delete-remains.ts';
import { deleteIssue } from '../../shared/issues/deletion.ts';
import { IssueStatus } from '../../shared/schemas/issues/issue.ts';
import { keys } from '../../shared/table/keys.ts';
import { queryRows } from '../../shared/table/rows.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { newDocument } from '../answers/fixtures.ts';
import { actionOf, findingOf, moveThrough } from '../corrective-actions/fixtures.ts';
import { newClient, newInspection, newLocation } from '../inspections/fixtures.ts';
import { deliver, waitingEvents, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { historyOf, inspectionFor, issueIn, issueOf, newCategory, newIssue, patch } from './fixtures.ts';

let person: Person;
beforeAll(async () => {
  person = await newPerson('Harbour & Sons');
});

type At = { id: string };
const of = ({ id }: At) => ({ params: { issue_id: id } });

const act = (issue: At, body: object = {}) =>
  person.try.issues.createCorrectiveAction({ ...of(issue), body: { title: 'Dry it', ...body } });

const actFor = async (issue: At, body: object = {}) => {
  const answer = await act(issue, body);
  expect(answer.status).toBe(201);
  return answer.body;
};

const noDifferences = async ({ caller }: Person) => {
  const { differences, unsettled } = await checkOrganization(caller, { repair: false });
  expect({ differences, unsettled }).toEqual({ differences: [], unsettled: 0 });
};

describe('POST /issues/{issue_id}/inspections', () => {
  test('201 for an open issue: linked both ways, at its place; the history follows the inspection', async () => {
    const client = await newClient(person);
    const location_id = (await newLocation(person, client.id)).id;
    const issue = await newIssue(person, { location_id });
    const inspection = await inspectionFor(person, issue);
    expect(inspection).toMatchObject({
      source: 'issue',
      issue_id: issue.id,
      location_id,
      client_account_id: client.id,
    });
    expect((await issueOf(person, issue)).linked.inspection_id).toBe(inspection.id);
    await person.inspections.start({ params: { inspection_id: inspection.id } });
    const entries = (await historyOf(person, issue)).slice(1);
    expect(entries.map(({ kind, inspection_id, from, to }) => [kind, inspection_id, from, to])).toEqual([
      ['inspection_started', inspection.id, null, 'scheduled'],
      ['inspection_status_changed', inspection.id, 'scheduled', 'in_progress'],
    ]);
  });

  test('201 elsewhere when the request says so', async () => {
    const issue = await newIssue(person, { location_id: (await newLocation(person)).id });
    const client = await newClient(person);
    const location_id = (await newLocation(person, client.id)).id;
    expect(await inspectionFor(person, issue, { location_id })).toMatchObject({
      location_id,
      client_account_id: client.id,
    });
    expect(await inspectionFor(person, issue, { location_id: null })).toMatchObject({ location_id: null });
  });

  test('409 for an issue that is not open, naming its status; 400 before that for what does not exist', async () => {
    const { id } = await publishedFamily(person.key);
    for (const status of IssueStatus.options) {
      const issue = await issueIn(person, status);
      const start = (template_family_id: string) =>
        person.try.issues.createInspection({ ...of(issue), body: { template_family_id } });
      expect((await start('0190f3c2-0000-7000-8000-00000000dead')).status).toBe(400);
      const answer = await start(id);
      const isOpen = ['new', 'triaged', 'in_progress'].includes(status);
      expect([status, answer.status]).toEqual([status, isOpen ? 201 : 409]);
      if (!isOpen) expect(answer.body.detail).toContain(`The issue is ${status}.`);
    }
  });

  test('a deleted inspection is no longer linked; one in which an issue was reported cannot be deleted', async () => {
    const issue = await newIssue(person);
    const inspection = await inspectionFor(person, issue);
    await person.inspections.delete({ params: { inspection_id: inspection.id } });
    expect((await issueOf(person, issue)).linked.inspection_id).toBeNull();
    const seenIn = await newInspection(person);
    await newIssue(person, { inspection_id: seenIn.id });
    const params = { inspection_id: seenIn.id };
    expect((await person.try.inspections.delete({ params })).status).toBe(409);
  });
});

describe('POST /issues/{issue_id}/corrective-actions', () => {
  test('201 on a finding of its own, which says what the issue says; a second action joins it', async () => {
    const document_id = await newDocument(person);
    const issue = await newIssue(person, {
      description: 'Near the stairs',
      priority: 'critical',
      media: [{ document_id }],
    });
    const { id: inspection_id } = await inspectionFor(person, issue);
    const first = await actFor(issue, { assignee_id: person.adminId });
    const finding = await findingOf(person, first.finding_id);
    expect(finding).toMatchObject({
      inspection_id,
      label: 'Wet floor',
      origin: 'issue',
      severity: 'critical',
      content: { description: 'Near the stairs', media: [{ document_id, caption: '' }] },
    });
    const second = await actFor(issue);
    expect(second).toMatchObject({ finding_id: finding.id, issue_id: issue.id });
    expect((await findingOf(person, finding.id)).corrective_actions_count).toBe(2);
    expect((await issueOf(person, issue)).linked).toEqual({
      inspection_id,
      finding_id: finding.id,
      corrective_action_id: second.id,
    });
    const inspection = await person.inspections.get({ params: { inspection_id } });
    expect(inspection).toMatchObject({ findings_count: 1, open_corrective_actions_count: 2 });
  });

  test('the history of the issue follows the action until it is verified', async () => {
    const issue = await newIssue(person);
    await inspectionFor(person, issue);
    const action = await actFor(issue);
    await moveThrough(person, action, 'in_progress', 'pending_verification');
    await person.correctiveActions.verify({ params: { ca_id: action.id }, body: { note: 'Dry' } });
    const entries = (await historyOf(person, issue)).filter(
      ({ corrective_action_id }) => corrective_action_id,
    );
    expect(entries.map(({ kind, from, to, note }) => [kind, from, to, note])).toEqual([
      ['corrective_action_created', null, 'open', ''],
      ['corrective_action_status_changed', 'open', 'in_progress', ''],
      ['corrective_action_status_changed', 'in_progress', 'pending_verification', ''],
      ['corrective_action_status_changed', 'pending_verification', 'verified', 'Dry'],
    ]);
    expect(new Set(entries.map(({ corrective_action_id }) => corrective_action_id))).toEqual(
      new Set([action.id]),
    );
  });

  test('409 without an inspection, for a resolved finding; 400 for a finding of another inspection', async () => {
    const issue = await newIssue(person);
    expect((await act(issue)).body.detail).toContain('not linked to an inspection');
    await inspectionFor(person, issue);
    const elsewhere = await newIssue(person);
    await inspectionFor(person, elsewhere);
    const { finding_id, id } = await actFor(elsewhere);
    expect((await act(issue, { finding_id })).status).toBe(400);
    await moveThrough(person, { id }, 'cancelled');
    await person.findings.update({ params: { finding_id }, body: { status: 'resolved' } });
    expect((await act(elsewhere)).status).toBe(409);
  });

  test('a deleted finding is no longer linked, and the next action gets a new one', async () => {
    const issue = await newIssue(person);
    const { id: inspection_id } = await inspectionFor(person, issue);
    const { finding_id, id } = await actFor(issue);
    await moveThrough(person, { id }, 'cancelled');
    await person.findings.delete({ params: { finding_id } });
    expect((await issueOf(person, issue)).linked).toEqual({
      inspection_id,
      finding_id: null,
      corrective_action_id: null,
    });
    expect((await actFor(issue)).finding_id).not.toBe(finding_id);
  });

  test('two actions for a new issue at once: one finding', async () => {
    const issue = await newIssue(person);
    await inspectionFor(person, issue);
    const [first, second] = await Promise.all([actFor(issue), actFor(issue)]);
    expect(first.finding_id).toBe(second.finding_id);
  });
});

describe('deletion of a client account with issues', () => {
  test('409 while it or its location has issues; with cascade they go, and what came from them stays without them', async () => {
    const other = await newPerson('Cascade');
    const client = await newClient(other);
    const location_id = (await newLocation(other, client.id)).id;
    const issue = await newIssue(other, {
      location_id,
      category_id: (await newCategory(other)).id,
      assignee_id: other.adminId,
      due_at: '2030-01-01T00:00:00Z',
      media: [{ document_id: await newDocument(other) }],
      external_ref: 'erp-1',
    });
    const inspection = await inspectionFor(other, issue, { location_id: null });
    const { body: action } = await other.try.issues.createCorrectiveAction({
      ...of(issue),
      body: { title: 'Dry it' },
    });
    await patch(other, issue, { status: 'triaged' });
    await noDifferences(other);

    const clientPath = { params: { ca_id: client.id } };
    expect((await other.try.clientAccounts.delete(clientPath)).status).toBe(409);
    expect((await other.try.locations.delete({ params: { location_id } })).status).toBe(409);
    await other.clientAccounts.delete({ ...clientPath, query: { cascade: true } });
    const task = (await waitingTasks(other.caller)).find(({ outbox }) => outbox === 'cleanup')!;
    expect(await deliver(deleteRemains.handler, task)).toBe(true);

    expect((await other.try.issues.get(of(issue))).status).toBe(404);
    const { partition } = keys.parts(other.caller, 'ISSUE', issue.id, 'ISSUE_ACTIVITY');
    expect(await Array.fromAsync(queryRows(other.caller, { partition }))).toEqual([]);
    const params = { inspection_id: inspection.id };
    const left = await other.inspections.start({ params });
    expect(left).toMatchObject({ source: 'issue', issue_id: null, status: 'in_progress' });
    expect(await actionOf(other, action)).toMatchObject({ issue_id: null });
    await moveThrough(other, action, 'in_progress');
    expect(await Array.fromAsync(queryRows(other.caller, { partition }))).toEqual([]);
    const events = (await waitingEvents(other.caller)).map(({ type }) => type);
    expect(events).toContain('issue.deleted');
    await noDifferences(other);
  });

  test('a long history is deleted in parts, and a second deletion finds nothing', async () => {
    const issue = await newIssue(person);
    for (let n = 0; n < 52; n += 1) await patch(person, issue, { note: `Note ${n}` });
    await Promise.all([deleteIssue(person.caller, issue.id), deleteIssue(person.caller, issue.id)]);
    expect((await person.try.issues.get(of(issue))).status).toBe(404);
    await deleteIssue(person.caller, issue.id);
  });
});
