import type { ApiError } from '../../shared/base/api-error.ts';
import * as errors from '../../shared/base/errors.ts';
import { stepRefusal } from '../../shared/domain/corrective-actions.ts';
import * as members from '../../shared/organizations/members/members.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import { change } from '../../shared/table/change.ts';
import * as write from '../../shared/table/writes.ts';
import { inspectionOf } from '../answers/fixtures.ts';
import {
  completedInspection,
  eventsOf,
  newClient,
  newColleague,
  startedInspection,
} from '../inspections/fixtures.ts';
import { as, locs, statusCounts } from '../support/call.ts';
import { uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { actionOf, findingOf, historyOf, moveThrough, newAction, newFinding, patch } from './fixtures.ts';

installRecorder();

type At = { id: string };

/** Ines creates findings, Rolf repairs, and Lena is suspended. */
let ines: Person;
let rolf: { key: string; user_id: string };
let lena: { user_id: string };

const create = (finding: At, body: object, headers: Record<string, string> = {}) =>
  ines.try.correctiveActions.create({ params: { finding_id: finding.id }, body, headers });
const archive = (id: string) => ines.inspections.archive({ params: { inspection_id: id } });
const openIn = async (id: string) => (await inspectionOf(ines, { id })).open_corrective_actions_count;

beforeEach(async () => {
  ines = await newPerson('Ines, inspector');
  rolf = await newColleague(ines, 'Rolf, repairer');
  lena = await newColleague(ines, 'Lena, suspended');
  const suspension = write.update(members.key(ines.caller, lena.user_id), { set: { status: 'suspended' } });
  await change(ines.caller, () => ({ writes: [suspension], reply: null }));
});

describe('POST /findings/{finding_id}/corrective-actions', () => {
  test('201 with default values, a number, an entry in its history and an event', async () => {
    const client = await newClient(ines);
    const inspection = await startedInspection(ines, { client_account_id: client.id });
    const finding = await newFinding(ines, {}, inspection);
    const { status, body } = await create(finding, { title: ' Tighten it ' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      finding_id: finding.id,
      inspection_id: inspection.id,
      client_account_id: client.id,
      location_id: null,
      asset_id: null,
      number: expect.any(Number),
      title: 'Tighten it',
      description: '',
      priority: 'medium',
      status: 'open',
      assignee_id: null,
      contact: null,
      due_at: null,
      due_basis: null,
      escalation: null,
      is_overdue: false,
      issue_id: null,
      evidence_required: false,
      evidence_count: 0,
      completed_at: null,
      completed_by: null,
      completed_by_contact: false,
      contact_link: null,
      completion_note: '',
      completed_on_site: false,
      verified_at: null,
      verified_by: null,
      verified_via_key_id: null,
      verification_note: '',
      reopened_at: null,
      reopen_reason: '',
      reopen_count: 0,
      metadata: {},
      names_then: null,
      tags: [],
      external_ref: null,
      created_by: ines.caller.user_id,
      version: 1,
    });
    const next = await create(finding, { title: 'Replace it' });
    expect(next.body.number).toBe(body.number + 1);
    expect(await findingOf(ines, finding.id)).toMatchObject({ corrective_actions_count: 2, version: 3 });
    expect(await openIn(inspection.id)).toBe(2);
    expect(await historyOf(ines, body)).toEqual([
      {
        id: expect.any(String),
        kind: 'created',
        actor_id: ines.caller.user_id,
        acted_via_key_id: null,
        from: null,
        to: null,
        note: '',
        at: expect.any(String),
      },
    ]);
    const events = await eventsOf(ines, inspection.id);
    expect(events.filter((type) => type === 'corrective_action.created')).toHaveLength(2);
    expect(await actionOf(ines, body)).toEqual(body);
  });

  test('409 for a resolved finding, and for an archived inspection', async () => {
    const inspection = await startedInspection(ines);
    const finding = await newFinding(ines, {}, inspection);
    await ines.findings.update({
      params: { finding_id: finding.id },
      body: { status: 'resolved' },
    });
    expect(await create(finding, { title: 'x' })).toMatchObject({
      status: 409,
      body: { detail: errors.findingResolved().detail },
    });
    await archive(inspection.id);
    expect(await create(finding, { title: 'x' })).toMatchObject({
      status: 409,
      body: { detail: errors.inspectionLocked('archived').detail },
    });
    expect(await openIn(inspection.id)).toBe(0);
  });

  test.each<[string, () => object, string]>([
    [
      'who is not a member',
      () => ({ assignee_id: uuid(98) }),
      errors.referenceNotFound('assignee_id').detail,
    ],
    [
      'who is suspended',
      () => ({ assignee_id: lena.user_id }),
      errors.memberNotActive('assignee_id', 'suspended').detail,
    ],
  ])('400 for an assignee %s', async (_, body, detail) => {
    expect(await create(await newFinding(ines), { title: 'x', ...body() })).toMatchObject({
      status: 400,
      body: { detail },
    });
  });

  test('400 rather than 409 for an assignee of another organization and an archived inspection', async () => {
    const { caller } = await newPerson('Otto, outsider');
    const finding = await newFinding(ines);
    await archive(finding.inspection_id);
    expect((await create(finding, { title: 'x', assignee_id: caller.user_id })).status).toBe(400);
  });

  test.each<[string, object, string[]]>([
    ['no title', { title: ' ' }, ['body.title']],
    ['an unknown priority', { title: 'x', priority: 'asap' }, ['body.priority']],
    ['a date that does not exist', { title: 'x', due_at: '2030-02-30T00:00:00Z' }, ['body.due_at']],
    ['a status', { title: 'x', status: 'verified' }, ['body.status']],
    ['a contact without an address', { title: 'x', contact: { email: 'nowhere' } }, ['body.contact.email']],
  ])('422 for %s', async (_, body, expected) => {
    const answer = await create(await newFinding(ines), body);
    expect([answer.status, locs(answer)]).toEqual([422, expected]);
  });

  test('409 for an external_ref in use; one of five parallel requests gets it', async () => {
    const finding = await newFinding(ines);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => create(finding, { title: 'x', external_ref: 'cmms-1' })),
    );
    expect(statusCounts(answers)).toEqual({ 201: 1, 409: 4 });
    expect((await findingOf(ines, finding.id)).corrective_actions_count).toBe(1);
    const taken = answers.find(({ status }) => status === 201)!.body;
    await patch(ines, taken, { external_ref: 'cmms-2' });
    expect((await create(finding, { title: 'y', external_ref: 'cmms-1' })).status).toBe(201);
  });

  test('201 in five database calls, also with an assignee', async () => {
    const finding = await newFinding(ines);
    const { sent } = await recording(() => create(finding, { title: 'x', assignee_id: rolf.user_id }));
    expect(sent.tableCalls - sent.stamps + 1).toBe(5);
  });
});

describe('PATCH /corrective-actions/{ca_id}', () => {
  test('200 with the changed fields, and the history has new assignees and due dates', async () => {
    const action = await newAction(ines);
    const due_at = '2031-01-01T08:00:00.000Z';
    const { body } = await patch(ines, action, {
      title: 'Weld it',
      priority: 'critical',
      due_at: '2031-01-01T09:00:00+01:00',
      assignee_id: rolf.user_id,
    });
    expect(body).toEqual({
      ...action,
      title: 'Weld it',
      priority: 'critical',
      due_at,
      assignee_id: rolf.user_id,
      version: 2,
      updated_at: expect.any(String),
    });
    await patch(ines, action, { assignee_id: null });
    const history = await historyOf(ines, action);
    expect(history.map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ['created', null, null],
      ['assigned', null, rolf.user_id],
      ['due_changed', null, due_at],
      ['assigned', rolf.user_id, null],
    ]);
  });

  test('200 with a contact beside the assignee, of which details change, and the history names each', async () => {
    const contact = { name: 'Cara', company: 'Cool Ltd' };
    const action = await newAction(ines, { assignee_id: rolf.user_id, contact });
    expect(action.contact).toEqual({ ...contact, email: null, phone: null });
    const more = await patch(ines, action, { contact: { name: null, phone: '+30 210' } });
    expect(more.body).toMatchObject({
      assignee_id: rolf.user_id,
      contact: { name: null, email: null, company: 'Cool Ltd', phone: '+30 210' },
    });
    expect((await patch(ines, action, { contact: { phone: '+30 210' } })).body.version).toBe(2);
    const none = await patch(ines, action, { contact: { company: null, phone: null } });
    expect(none.body.contact).toBeNull();
    expect((await patch(ines, action, { contact: null })).body.version).toBe(3);
    expect((await patch(ines, action, { contact: {} })).body.version).toBe(3);
    const history = await historyOf(ines, action);
    expect(history.map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ['created', null, null],
      ['contact_changed', 'Cara', 'Cool Ltd'],
      ['contact_changed', 'Cool Ltd', null],
    ]);
  });

  test('200 for each status, with an event and a history entry; it counts as open until it is closed', async () => {
    const action = await newAction(ines, { assignee_id: rolf.user_id });
    expect((await patch(rolf, action, { status: 'in_progress' })).body.status).toBe('in_progress');
    const { body } = await patch(rolf, action, {
      status: 'pending_verification',
      completion_note: 'Torqued to 40 Nm',
    });
    expect(body).toMatchObject({
      status: 'pending_verification',
      completed_at: expect.any(String),
      completed_by: rolf.user_id,
      completion_note: 'Torqued to 40 Nm',
    });
    expect(await openIn(action.inspection_id)).toBe(1);
    expect((await patch(ines, action, { status: 'cancelled' })).body.status).toBe('cancelled');
    expect(await openIn(action.inspection_id)).toBe(0);
    const history = await historyOf(ines, action);
    expect(history.map(({ kind, from, to, note, actor_id }) => [kind, from, to, note, actor_id])).toEqual([
      ['created', null, null, '', ines.caller.user_id],
      ['status_changed', 'open', 'in_progress', '', rolf.user_id],
      ['status_changed', 'in_progress', 'pending_verification', 'Torqued to 40 Nm', rolf.user_id],
      ['status_changed', 'pending_verification', 'cancelled', '', ines.caller.user_id],
    ]);
    const events = await eventsOf(ines, action.inspection_id);
    expect(events.filter((type) => type === 'corrective_action.status_changed')).toHaveLength(3);
  });

  test.each<[CorrectiveAction['status'][], CorrectiveAction['status'], ApiError]>([
    [[], 'pending_verification', errors.correctiveActionStatus('open', stepRefusal('complete'))],
    [[], 'verified', errors.correctiveActionStatus('open', 'Verify it to make it verified')],
    [['in_progress'], 'open', errors.correctiveActionStatus('in_progress', 'Reopen it to make it open')],
    [
      ['in_progress', 'pending_verification'],
      'in_progress',
      errors.correctiveActionStatus('pending_verification', stepRefusal('start')),
    ],
    [['cancelled'], 'in_progress', errors.correctiveActionStatus('cancelled', stepRefusal('start'))],
  ])('409 after %j for %s', async (statuses, status, { detail }) => {
    const action = await newAction(ines);
    await moveThrough(ines, action, ...statuses);
    const before = await actionOf(ines, action);
    expect(await patch(ines, action, { status, title: 'x' })).toMatchObject({
      status: 409,
      body: { detail },
    });
    expect(await actionOf(ines, action)).toEqual(before);
  });

  test('200 for the current status', async () => {
    const action = await newAction(ines);
    expect((await patch(ines, action, { status: 'open' })).body).toEqual(action);
  });

  test('409 for a closed action, and in an archived inspection; 200 for current values', async () => {
    const action = await newAction(ines);
    const closed = await moveThrough(ines, action, 'cancelled');
    expect(await patch(ines, action, { title: 'x' })).toMatchObject({
      status: 409,
      body: { detail: errors.correctiveActionStatus('cancelled', 'Reopen it before you change it').detail },
    });
    expect((await patch(ines, action, { title: action.title })).body).toEqual(closed);
    const other = await newAction(ines);
    await archive(other.inspection_id);
    for (const body of [{ title: 'x' }, { status: 'in_progress' }]) {
      expect(await patch(ines, other, body)).toMatchObject({
        status: 409,
        body: { detail: errors.inspectionLocked('archived').detail },
      });
    }
    expect((await patch(ines, other, {})).body).toEqual(other);
  });

  test('400 for a suspended assignee; 200 for one who is the assignee already', async () => {
    const action = await newAction(ines, { assignee_id: rolf.user_id });
    expect((await patch(ines, action, { assignee_id: lena.user_id })).status).toBe(400);
    const key = members.key(ines.caller, rolf.user_id);
    const set = (status: string) =>
      change(ines.caller, () => ({ writes: [write.update(key, { set: { status } })], reply: null }));
    await set('suspended');
    const kept = await patch(ines, action, { assignee_id: rolf.user_id, title: 'Weld it' });
    await set('active');
    expect(kept).toMatchObject({ status: 200, body: { assignee_id: rolf.user_id, title: 'Weld it' } });
  });

  test('409 for another version', async () => {
    const action = await newAction(ines);
    expect((await patch(ines, action, { title: 'x' }, { 'If-Match': '"2"' })).status).toBe(409);
    expect((await patch(ines, action, { title: 'x', expected_version: 1 })).status).toBe(200);
  });

  test('200 or 409 for completing and cancelling in parallel, as if one came first', async () => {
    for (let round = 0; round < 8; round += 1) {
      const action = await newAction(ines);
      await moveThrough(ines, action, 'in_progress');
      const [completed, cancelled] = await Promise.all([
        patch(rolf, action, { status: 'pending_verification' }),
        patch(ines, action, { status: 'cancelled' }),
      ]);
      expect(cancelled.status).toBe(200);
      const { status, completed_at } = await actionOf(ines, action);
      expect([status, completed_at !== null]).toEqual(['cancelled', completed.status === 200]);
      expect(await openIn(action.inspection_id)).toBe(0);
      expect(await historyOf(ines, action)).toHaveLength(completed.status === 200 ? 4 : 3);
    }
  });

  test('200, and an action is overdue only until it is completed', async () => {
    const action = await newAction(ines, { due_at: '2020-01-01T00:00:00Z' });
    expect(action.is_overdue).toBe(true);
    expect((await moveThrough(ines, action, 'in_progress')).is_overdue).toBe(true);
    expect((await moveThrough(ines, action, 'pending_verification')).is_overdue).toBe(false);
  });
});

describe('POST /corrective-actions/{ca_id}/contact-link', () => {
  test('202 with a link that is new; 409 for another version', async () => {
    const action = await newAction(ines, { contact: { email: 'cara@cool.example' } });
    expect(action.contact_link!.expires_at > action.created_at).toBe(true);
    const resend = (headers = {}) =>
      ines.try.correctiveActions.sendContactLink({ params: { ca_id: action.id }, headers });
    expect((await resend({ 'If-Match': '"2"' })).status).toBe(409);
    const { status, body } = await resend({ 'If-Match': '"1"' });
    expect([status, body.version]).toEqual([202, 2]);
    expect(body.contact_link.requested_at >= action.contact_link!.requested_at).toBe(true);
  });

  test('409 without an email address, in a status that awaits no work, and in an archived inspection', async () => {
    const resend = async ({ id }: At) => {
      const { status, body } = await ines.try.correctiveActions.sendContactLink({ params: { ca_id: id } });
      return [status, body.detail];
    };
    const contact = { email: 'cara@cool.example' };
    const without = await newAction(ines, { contact: { phone: '+30 210' } });
    expect(await resend(without)).toEqual([409, expect.stringContaining('no email address')]);
    const action = await newAction(ines, { contact });
    await moveThrough(ines, action, 'in_progress', 'pending_verification');
    expect(await resend(action)).toEqual([409, expect.stringContaining('is pending_verification')]);
    const archived = await newAction(ines, { contact });
    await archive(archived.inspection_id);
    expect(await resend(archived)).toEqual([409, errors.inspectionLocked('archived').detail]);
  });
});

describe('GET /corrective-actions/mine', () => {
  const mine = async (key: string, query = {}): Promise<CorrectiveAction[]> =>
    as(key).correctiveActions.listMy({ query });
  const ids = (actions: CorrectiveAction[]) => actions.map(({ id }) => id);

  test('200 with the actions that are assigned to the caller, in all inspections', async () => {
    const kim = await newColleague(ines, 'Kim, key');
    const [first, second] = [
      await newAction(ines, { assignee_id: kim.user_id, external_ref: 'mine-1' }),
      await newAction(ines),
    ];
    expect(ids(await mine(kim.key))).toEqual([first.id]);
    await patch(ines, second, { assignee_id: kim.user_id });
    expect(await mine(kim.key)).toEqual([await actionOf(ines, first), await actionOf(ines, second)]);
    await moveThrough(ines, second, 'in_progress');
    expect(ids(await mine(kim.key, { status: ['in_progress', 'verified'] }))).toEqual([second.id]);
    expect(ids(await mine(kim.key, { external_ref: 'mine-1' }))).toEqual([first.id]);
    expect(await mine(kim.key, { updated_since: '2999-01-01T00:00:00Z' })).toEqual([]);
    await patch(ines, first, { assignee_id: rolf.user_id });
    expect(ids(await mine(kim.key))).toEqual([second.id]);
    expect(ids(await mine(rolf.key))).toContain(first.id);
    expect(await mine((await newPerson('Otto, outsider')).key)).toEqual([]);
  });

  test('200 page by page; 422 for a cursor of another caller', async () => {
    const kim = await newColleague(ines, 'Kim, paging');
    const finding = await newFinding(ines);
    for (let n = 0; n < 5; n += 1) await newAction(ines, { assignee_id: kim.user_id }, finding);
    const first = await as(kim).try.correctiveActions.listMy({ query: { limit: 3 } });
    const cursor = /cursor=([^>&]+)/.exec(first.headers['link']!)![1]!;
    const second = await as(kim).try.correctiveActions.listMy({ query: { limit: 3, cursor } });
    expect([...first.body, ...second.body]).toEqual(await mine(kim.key));
    expect(second.headers['link']).toBeUndefined();
    const foreign = await as(rolf).try.correctiveActions.listMy({ query: { limit: 3, cursor } });
    expect(foreign.status).toBe(422);
  });
});

describe('GET /inspections/{inspection_id}/corrective-actions', () => {
  const list = (id: string, query = {}) =>
    as(ines.readOnlyKey).try.correctiveActions.list({ params: { inspection_id: id }, query });

  test('200 with all actions in creation order, or with those that pass a filter', async () => {
    const inspection = await startedInspection(ines);
    const [crack, leak] = [await newFinding(ines, {}, inspection), await newFinding(ines, {}, inspection)];
    const weld = await newAction(ines, { title: 'Weld' }, crack);
    const seal = await newAction(ines, { title: 'Seal', assignee_id: rolf.user_id }, leak);
    const test = await newAction(ines, { title: 'Test', external_ref: 'list-1' }, crack);
    await moveThrough(ines, weld, 'cancelled');
    const titles = async (query: object) =>
      (await list(inspection.id, query)).body.map(({ title }: CorrectiveAction) => title);
    expect((await list(inspection.id)).body).toEqual(
      await Promise.all([weld, seal, test].map((action) => actionOf(ines, action))),
    );
    expect(await titles({ finding_id: crack.id })).toEqual(['Weld', 'Test']);
    expect(await titles({ status: ['open', 'in_progress'] })).toEqual(['Seal', 'Test']);
    expect(await titles({ assignee_id: rolf.user_id })).toEqual(['Seal']);
    expect(await titles({ external_ref: 'list-1' })).toEqual(['Test']);
    expect(await titles({ limit: 2 })).toEqual(['Weld', 'Seal']);
  });

  test('200 with the current client account of the inspection', async () => {
    const [before, after] = [await newClient(ines), await newClient(ines, 'Zeta')];
    const inspection = await startedInspection(ines, { client_account_id: before.id });
    const action = await newAction(ines, {}, await newFinding(ines, {}, inspection));
    expect(action.client_account_id).toBe(before.id);
    await ines.inspections.update({
      params: { inspection_id: inspection.id },
      body: { client_account_id: after.id },
    });
    expect((await list(inspection.id)).body[0].client_account_id).toBe(after.id);
  });

  test('404 for an inspection of another organization', async () => {
    const { id } = await completedInspection(ines);
    const { key } = await newPerson('Otto, outsider');
    expect((await as(key).try.correctiveActions.list({ params: { inspection_id: id } })).status).toBe(404);
  });
});
