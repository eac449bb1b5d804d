import { newAction } from '../corrective-actions/fixtures.ts';
import { advance, NOTHING_REQUIRED, startedInspection } from '../inspections/fixtures.ts';
import { as, type Answer } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

/*
 * What members of other roles than admin see in the app: the inspections in which they take part, those on
 * which they decide, and the corrective actions that are assigned to them.
 */

let person: Person;
let inspector: SignedIn;
let approver: SignedIn;

beforeEach(async () => {
  person = await newPerson('Harbour');
  inspector = await signIn(person, 'inspector');
  approver = await signIn(person, 'approver');
});

const idsOf = (rows: { id: string }[]): string[] => rows.map(({ id }) => id);

const inspectionAs = (who: SignedIn, id: string, query: object = {}): Promise<Answer> =>
  as(who).try.inspections.get({ params: { inspection_id: id }, query: query as Record<string, string> });

const actionAs = (who: SignedIn, id: string): Promise<Answer> =>
  as(who).try.correctiveActions.get({ params: { ca_id: id } });

const statusesOf = async (id: string): Promise<number[]> =>
  Promise.all([inspector, approver].map(async (who) => (await inspectionAs(who, id)).status));

/** An inspection in which the inspector takes part. */
const ownInspection = () =>
  startedInspection(person, { participants: [{ user_id: inspector.userId, role: 'inspector' }] });

/** An inspection that the approver is to decide on once it is submitted. */
const inspectionToDecide = () =>
  startedInspection(person, {
    family: { ...NOTHING_REQUIRED, requires_approval: true },
    approver_id: approver.userId,
  });

describe('People of other roles than admin', () => {
  test('see an inspection in which they take part, or on which they are asked to decide, also after that, and no other one', async () => {
    const [foreign, own] = [await startedInspection(person), await ownInspection()];
    const awaited = await inspectionToDecide();
    expect([await statusesOf(foreign.id), await statusesOf(own.id)]).toEqual([
      [404, 404],
      [200, 404],
    ]);
    expect(await statusesOf(awaited.id)).toEqual([404, 404]);
    await advance(person.key, awaited);
    expect(await statusesOf(awaited.id)).toEqual([404, 200]);
    await as(approver).inspections.decide({
      params: { inspection_id: awaited.id },
      body: { decision: 'approve' },
    });
    expect(await statusesOf(awaited.id)).toEqual([404, 200]);
    expect(await as(approver).inspections.list()).toEqual([]);
    const missing = await inspectionAs(inspector, inspector.userId);
    expect((await inspectionAs(inspector, foreign.id)).text).toBe(missing.text);
  });

  test('see as much of one as their list shows, and none of its parts', async () => {
    const { id } = await ownInspection();
    const [listed] = await as(inspector).inspections.listAssigned();
    expect((await inspectionAs(inspector, id)).body).toEqual(listed);
    const answer = await inspectionAs(inspector, id, { include: 'responses' });
    expect([answer.status, answer.headers['x-error-code']]).toEqual([403, 'role_not_allowed']);
    const parts = [
      as(inspector).try.inspections.listActivity({ params: { inspection_id: id } }),
      as(inspector).try.answers.list({ params: { inspection_id: id } }),
      as(inspector).try.findings.list({ params: { inspection_id: id } }),
    ];
    expect((await Promise.all(parts)).map(({ status }) => status)).toEqual([403, 403, 403]);
  });

  test('list what awaits them: approvers their decisions, whatever they ask for, and inspectors nothing', async () => {
    await ownInspection();
    const { id } = await inspectionToDecide();
    expect(await as(approver).inspections.list()).toEqual([]);
    await advance(person.key, { id });
    for (const query of [{}, { approver_id: inspector.userId }, { status: 'pending_approval' }])
      expect(idsOf(await as(approver).inspections.list({ query }))).toEqual([id]);
    expect(await as(approver).inspections.list({ query: { status: 'in_progress' } })).toEqual([]);
    const { headers } = await as(inspector).try.inspections.list();
    expect(headers['x-error-code']).toBe('role_not_allowed');
  });

  test('see the corrective actions that are assigned to them, and no other one', async () => {
    const own = await newAction(person, { assignee_id: inspector.userId });
    const foreign = await newAction(person);
    expect(idsOf(await as(inspector).correctiveActions.listMy())).toEqual([own.id]);
    const seen = await Promise.all([
      actionAs(inspector, own.id),
      actionAs(inspector, foreign.id),
      actionAs(approver, own.id),
    ]);
    expect(seen.map(({ status }) => status)).toEqual([200, 404, 404]);
    const { headers } = await as(inspector).try.correctiveActions.listAll();
    expect(headers['x-error-code']).toBe('role_not_allowed');
  });
});
