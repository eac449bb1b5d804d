import * as createCorrectiveAction from '../../functions/corrective-actions/create-corrective-action.ts';
import * as listCorrectiveActions from '../../functions/corrective-actions/list-corrective-actions.ts';
import * as listMyCorrectiveActions from '../../functions/corrective-actions/list-my-corrective-actions.ts';
import * as updateFinding from '../../functions/findings/update-finding.ts';
import * as archiveInspection from '../../functions/inspections/archive-inspection.ts';
import * as updateInspection from '../../functions/inspections/update-inspection.ts';
import * as members from '../../shared/db/members/members.ts';
import { change } from '../../shared/db/table/change.ts';
import * as write from '../../shared/db/table/writes.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import { inspectionOf } from '../answers/fixtures.ts';
import { begun, completed, eventsOf, newClient, newColleague } from '../inspections/fixtures.ts';
import { call, made } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { locs, tally, uuid } from '../templates/fixtures.ts';
import { actionOf, findingOf, historyOf, moved, newAction, newFinding, patch } from './fixtures.ts';

installRecorder();

type At = { id: string };

/** Who finds, who repairs, and who has left. */
let ines: Person;
let rolf: { key: string; user_id: string };
let lena: { user_id: string };

const create = (finding: At, body: object, headers: Record<string, string> = {}) =>
  call(createCorrectiveAction, { as: ines.key, params: { finding_id: finding.id }, body, headers });
const archive = (id: string) => made(archiveInspection, { as: ines.key, params: { inspection_id: id } });
const openIn = async (id: string) => (await inspectionOf(ines, { id })).open_corrective_actions_count;

beforeEach(async () => {
  ines = await newPerson('Ines, inspector');
  rolf = await newColleague(ines, 'Rolf, repairer');
  lena = await newColleague(ines, 'Lena, who left');
  const left = write.update(members.key(ines.caller, lena.user_id), { set: { status: 'suspended' } });
  await change(ines.caller, () => ({ writes: [left], reply: null }));
});

describe('POST /findings/{finding_id}/corrective-actions', () => {
  test('201 with what is left out at its beginning, numbered, counted and told of', async () => {
    const client = await newClient(ines);
    const inspection = await begun(ines, { client_account_id: client.id });
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
      number: expect.any(Number),
      title: 'Tighten it',
      description: '',
      priority: 'medium',
      status: 'open',
      assignee_id: null,
      due_at: null,
      is_overdue: false,
      evidence_required: false,
      evidence_count: 0,
      completed_at: null,
      completed_by: null,
      completion_note: '',
      verified_at: null,
      verified_by: null,
      verification_note: '',
      reopened_at: null,
      reopen_reason: '',
      reopen_count: 0,
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
        from: null,
        to: null,
        note: '',
        at: expect.any(String),
      },
    ]);
    const told = await eventsOf(ines, inspection.id);
    expect(told.filter((type) => type === 'corrective_action.created')).toHaveLength(2);
    expect(await actionOf(ines, body)).toEqual(body);
  });

  test('201 on a completed inspection, 409 on an archived one and on a resolved finding', async () => {
    const inspection = await begun(ines);
    const finding = await newFinding(ines, {}, inspection);
    await made(updateFinding, {
      as: ines.key,
      params: { finding_id: finding.id },
      body: { status: 'resolved' },
    });
    expect(await create(finding, { title: 'x' })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('finding is resolved') },
    });
    await archive(inspection.id);
    expect(await create(finding, { title: 'x' })).toMatchObject({
      status: 409,
      body: { detail: 'inspection is archived and locked' },
    });
    expect(await openIn(inspection.id)).toBe(0);
  });

  test.each<[string, () => object, string]>([
    ['who is no member', () => ({ assignee_id: uuid(98) }), 'assignee_id does not exist'],
    ['who has left', () => ({ assignee_id: lena.user_id }), 'assignee_id is a member who is suspended'],
  ])('400 for an assignee %s', async (_, body, detail) => {
    expect(await create(await newFinding(ines), { title: 'x', ...body() })).toMatchObject({
      status: 400,
      body: { detail },
    });
  });

  test('400 for another organization’s assignee, before any state is told', async () => {
    const { caller } = await newPerson('Otto, outsider');
    const finding = await newFinding(ines);
    await archive(finding.inspection_id);
    expect((await create(finding, { title: 'x', assignee_id: caller.user_id })).status).toBe(400);
  });

  test.each<[string, object, string[]]>([
    ['no title', { title: ' ' }, ['body.title']],
    ['a priority there is not', { title: 'x', priority: 'asap' }, ['body.priority']],
    ['a day that there is not', { title: 'x', due_at: '2030-02-30T00:00:00Z' }, ['body.due_at']],
    ['a status', { title: 'x', status: 'verified' }, ['body.status']],
  ])('422 for %s', async (_, body, expected) => {
    const answer = await create(await newFinding(ines), body);
    expect([answer.status, locs(answer)]).toEqual([422, expected]);
  });

  test('409 for an external_ref that another one has; one of many at once gets it', async () => {
    const finding = await newFinding(ines);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => create(finding, { title: 'x', external_ref: 'cmms-1' })),
    );
    expect(tally(answers)).toEqual({ 201: 1, 409: 4 });
    expect((await findingOf(ines, finding.id)).corrective_actions_count).toBe(1);
    const taken = answers.find(({ status }) => status === 201)!.body;
    await patch(ines, taken, { external_ref: 'cmms-2' });
    expect((await create(finding, { title: 'y', external_ref: 'cmms-1' })).status).toBe(201);
  });

  test('201 in five calls, whoever it is for', async () => {
    const finding = await newFinding(ines);
    const { sent } = await recording(() => create(finding, { title: 'x', assignee_id: rolf.user_id }));
    expect(sent.tableCalls - sent.stamps + 1).toBe(5);
  });
});

describe('PATCH /corrective-actions/{ca_id}', () => {
  test('200 with its fields, and its history told where somebody waits for it', async () => {
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

  test('200 all the way, each step told, and counted as open until it is closed', async () => {
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
    const told = await eventsOf(ines, action.inspection_id);
    expect(told.filter((type) => type === 'corrective_action.status_changed')).toHaveLength(3);
  });

  test.each<[CorrectiveAction['status'][], CorrectiveAction['status'], string]>([
    [[], 'pending_verification', 'is open; only one that is in_progress can be completed'],
    [[], 'verified', 'is open; it becomes verified by being verified'],
    [['in_progress'], 'open', 'is in_progress; it becomes open by being reopened'],
    [
      ['in_progress', 'pending_verification'],
      'in_progress',
      'is pending_verification; only one that is open',
    ],
    [['cancelled'], 'in_progress', 'is cancelled; only one that is open can be started'],
  ])('409 after %j to %s, naming the status', async (way, status, detail) => {
    const action = await newAction(ines);
    await moved(ines, action, ...way);
    const before = await actionOf(ines, action);
    expect(await patch(ines, action, { status, title: 'x' })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining(detail) },
    });
    expect(await actionOf(ines, action)).toEqual(before);
  });

  test('200 for the status that it has', async () => {
    const action = await newAction(ines);
    expect((await patch(ines, action, { status: 'open' })).body).toEqual(action);
  });

  test('409 for an edit of what is closed, and of an archived inspection’s; 200 for what it is already', async () => {
    const action = await newAction(ines);
    const closed = await moved(ines, action, 'cancelled');
    expect(await patch(ines, action, { title: 'x' })).toMatchObject({
      status: 409,
      body: { detail: 'corrective action is cancelled; reopen it before changing it' },
    });
    expect((await patch(ines, action, { title: action.title })).body).toEqual(closed);
    const other = await newAction(ines);
    await archive(other.inspection_id);
    for (const body of [{ title: 'x' }, { status: 'in_progress' }]) {
      expect(await patch(ines, other, body)).toMatchObject({
        status: 409,
        body: { detail: 'inspection is archived and locked' },
      });
    }
    expect((await patch(ines, other, {})).body).toEqual(other);
  });

  test('400 for an assignee who has left; whoever had it before may keep it', async () => {
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

  test('200 or 409 for completing and cancelling at once, as if one came first', async () => {
    for (let round = 0; round < 8; round += 1) {
      const action = await newAction(ines);
      await moved(ines, action, 'in_progress');
      const [done, dropped] = await Promise.all([
        patch(rolf, action, { status: 'pending_verification' }),
        patch(ines, action, { status: 'cancelled' }),
      ]);
      expect(dropped.status).toBe(200);
      const { status, completed_at } = await actionOf(ines, action);
      expect([status, completed_at !== null]).toEqual(['cancelled', done.status === 200]);
      expect(await openIn(action.inspection_id)).toBe(0);
      expect(await historyOf(ines, action)).toHaveLength(done.status === 200 ? 4 : 3);
    }
  });

  test('overdue only while there is something to do', async () => {
    const action = await newAction(ines, { due_at: '2020-01-01T00:00:00Z' });
    expect(action.is_overdue).toBe(true);
    expect((await moved(ines, action, 'in_progress')).is_overdue).toBe(true);
    expect((await moved(ines, action, 'pending_verification')).is_overdue).toBe(false);
  });
});

describe('GET /corrective-actions/mine', () => {
  const mine = async (key: string, query = {}): Promise<CorrectiveAction[]> =>
    made(listMyCorrectiveActions, { as: key, query });
  const ids = (actions: CorrectiveAction[]) => actions.map(({ id }) => id);

  test('200 with the caller’s own across inspections, as they come and go', async () => {
    const kim = await newColleague(ines, 'Kim, key');
    const [first, second] = [
      await newAction(ines, { assignee_id: kim.user_id, external_ref: 'mine-1' }),
      await newAction(ines),
    ];
    expect(ids(await mine(kim.key))).toEqual([first.id]);
    await patch(ines, second, { assignee_id: kim.user_id });
    expect(await mine(kim.key)).toEqual([await actionOf(ines, first), await actionOf(ines, second)]);
    await moved(ines, second, 'in_progress');
    expect(ids(await mine(kim.key, { status: ['in_progress', 'verified'] }))).toEqual([second.id]);
    expect(ids(await mine(kim.key, { external_ref: 'mine-1' }))).toEqual([first.id]);
    expect(await mine(kim.key, { updated_since: '2999-01-01T00:00:00Z' })).toEqual([]);
    await patch(ines, first, { assignee_id: rolf.user_id });
    expect(ids(await mine(kim.key))).toEqual([second.id]);
    expect(ids(await mine(rolf.key))).toContain(first.id);
    expect(await mine((await newPerson('Otto, outsider')).key)).toEqual([]);
  });

  test('200 page by page, with a cursor that is nobody else’s', async () => {
    const kim = await newColleague(ines, 'Kim, paging');
    const finding = await newFinding(ines);
    for (let n = 0; n < 5; n += 1) await newAction(ines, { assignee_id: kim.user_id }, finding);
    const first = await call(listMyCorrectiveActions, { as: kim.key, query: { limit: 3 } });
    const cursor = /cursor=([^>&]+)/.exec(first.headers['link']!)![1]!;
    const second = await call(listMyCorrectiveActions, { as: kim.key, query: { limit: 3, cursor } });
    expect([...first.body, ...second.body]).toEqual(await mine(kim.key));
    expect(second.headers['link']).toBeUndefined();
    const stolen = await call(listMyCorrectiveActions, { as: rolf.key, query: { limit: 3, cursor } });
    expect(stolen.status).toBe(422);
  });
});

describe('GET /inspections/{inspection_id}/corrective-actions', () => {
  const list = (id: string, query = {}) =>
    call(listCorrectiveActions, { as: ines.readOnlyKey, params: { inspection_id: id }, query });

  test('200 with all in creation order, or those that a filter names', async () => {
    const inspection = await begun(ines);
    const [crack, leak] = [await newFinding(ines, {}, inspection), await newFinding(ines, {}, inspection)];
    const weld = await newAction(ines, { title: 'Weld' }, crack);
    const seal = await newAction(ines, { title: 'Seal', assignee_id: rolf.user_id }, leak);
    const test = await newAction(ines, { title: 'Test', external_ref: 'list-1' }, crack);
    await moved(ines, weld, 'cancelled');
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

  test('200 with the inspection’s client as it is now', async () => {
    const [before, after] = [await newClient(ines), await newClient(ines, 'Zeta')];
    const inspection = await begun(ines, { client_account_id: before.id });
    const action = await newAction(ines, {}, await newFinding(ines, {}, inspection));
    expect(action.client_account_id).toBe(before.id);
    await made(updateInspection, {
      as: ines.key,
      params: { inspection_id: inspection.id },
      body: { client_account_id: after.id },
    });
    expect((await list(inspection.id)).body[0].client_account_id).toBe(after.id);
  });

  test('404 for another organization', async () => {
    const { id } = await completed(ines);
    const { key } = await newPerson('Otto, outsider');
    expect((await call(listCorrectiveActions, { as: key, params: { inspection_id: id } })).status).toBe(404);
  });
});
