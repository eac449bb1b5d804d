import type { Caller } from '../../shared/base/caller.ts';
import * as errors from '../../shared/base/errors.ts';
import { stepRefusal } from '../../shared/domain/corrective-actions.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/corrective-actions.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import { type CorrectiveAction, Verification } from '../../shared/schemas/corrective-action.ts';
import { inspectionOf, newDocument } from '../answers/fixtures.ts';
import { eventsOf, newColleague } from '../inspections/fixtures.ts';
import { as, locs, statusCounts } from '../support/call.ts';
import { between, installFaults } from '../support/faults.ts';
import { newPerson, onBehalfOf, operatorOf, type Person } from '../support/people.ts';
import { letKeysAct, type SignedIn, signIn } from '../support/signed-in.ts';
import {
  actionOf,
  attach,
  completedAction,
  findingOf,
  historyOf,
  moveThrough,
  newAction,
  newFinding,
  patch,
} from './fixtures.ts';

installFaults();

type At = { id: string };

/** Ines completes, Vera verifies. */
let ines: Person;
let vera: { key: string; user_id: string };

const verify = ({ key }: { key: string }, { id }: At, body?: object, headers: Record<string, string> = {}) =>
  as(key).try.correctiveActions.verify({ params: { ca_id: id }, ...(body && { body }), headers });
const reopen = ({ id }: At, body: object = { reason: 'Loose again' }, headers: Record<string, string> = {}) =>
  as(vera).try.correctiveActions.reopen({ params: { ca_id: id }, body, headers });
const openIn = async (id: string) => (await inspectionOf(ines, { id })).open_corrective_actions_count;
const setFourEyes = (four_eyes_verification: boolean | null) =>
  organizations.update(operatorOf(ines), { four_eyes_verification }, undefined, async () => null);

beforeEach(async () => {
  ines = await newPerson('Ines, inspector');
  vera = await newColleague(ines, 'Vera, verifier');
});

describe('POST /corrective-actions/{ca_id}/verify', () => {
  test('200 without a body, and the action is verified, with an event, and no longer counts as open', async () => {
    const action = await completedAction(ines);
    expect(await openIn(action.inspection_id)).toBe(1);
    const { status, body } = await verify(vera, action);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...action,
      status: 'verified',
      verified_at: expect.any(String),
      verified_by: vera.user_id,
      names_then: expect.any(Object),
      version: action.version + 1,
      updated_at: expect.any(String),
    });
    expect(await openIn(action.inspection_id)).toBe(0);
    expect((await historyOf(ines, action)).at(-1)).toMatchObject({
      kind: 'verified',
      actor_id: vera.user_id,
      from: 'pending_verification',
      to: 'verified',
    });
    expect((await eventsOf(ines, action.inspection_id)).at(-1)).toBe('corrective_action.status_changed');
  });

  test('200 with accepted false, and the action is in progress again', async () => {
    const action = await completedAction(ines);
    const { body } = await verify(vera, action, { accepted: false, note: 'Still loose' });
    expect(body).toMatchObject({
      status: 'in_progress',
      completed_at: null,
      completed_by: null,
      verified_at: null,
      verified_by: null,
      verification_note: 'Still loose',
    });
    expect(await openIn(action.inspection_id)).toBe(1);
    expect((await historyOf(ines, action)).at(-1)).toMatchObject({
      kind: 'status_changed',
      to: 'in_progress',
      note: 'Still loose',
    });
    await moveThrough(ines, action, 'pending_verification');
    expect((await verify(vera, action, { note: 'Tight' })).body).toMatchObject({
      status: 'verified',
      verification_note: 'Tight',
    });
  });

  test.each<[CorrectiveAction['status'], 'in_progress' | 'cancelled' | undefined]>([
    ['open', undefined],
    ['in_progress', 'in_progress'],
    ['cancelled', 'cancelled'],
  ])('409 for an action that is %s', async (name, status) => {
    const action = await newAction(ines);
    if (status) await moveThrough(ines, action, status);
    for (const accepted of [true, false]) {
      expect(await verify(vera, action, { accepted })).toMatchObject({
        status: 409,
        body: {
          detail: errors.correctiveActionStatus(name, stepRefusal(accepted ? 'accept' : 'decline')).detail,
        },
      });
    }
  });

  test('200 for one of two parallel requests, 409 for the other', async () => {
    for (let round = 0; round < 5; round += 1) {
      const action = await completedAction(ines);
      const answers = await Promise.all([verify(vera, action), verify(vera, action, { accepted: false })]);
      expect(statusCounts(answers)).toEqual({ 200: 1, 409: 1 });
      const { status } = await actionOf(ines, action);
      expect(status).toBe(answers[0].status === 200 ? 'verified' : 'in_progress');
      expect(await openIn(action.inspection_id)).toBe(status === 'verified' ? 0 : 1);
      expect(await historyOf(ines, action)).toHaveLength(4);
    }
  });

  test('409 for another version, and for an archived inspection', async () => {
    const action = await completedAction(ines);
    expect((await verify(vera, action, {}, { 'If-Match': '"1"' })).status).toBe(409);
    expect((await verify(vera, action, { expected_version: 1 })).status).toBe(409);
    await ines.inspections.archive({ params: { inspection_id: action.inspection_id } });
    expect((await verify(vera, action)).body.detail).toBe(errors.inspectionLocked('archived').detail);
  });

  describe('with resolve_finding', () => {
    const findingOfAction = ({ finding_id }: CorrectiveAction) => findingOf(ines, finding_id);

    test('200, and the finding is resolved with an event', async () => {
      const action = await completedAction(ines);
      await moveThrough(ines, await newAction(ines, {}, { id: action.finding_id }), 'cancelled');
      const { version } = await findingOfAction(action);
      const { status, body } = await verify(vera, action, { resolve_finding: true });
      expect([status, body.status]).toEqual([200, 'verified']);
      expect(await findingOfAction(action)).toMatchObject({ status: 'resolved', version: version + 1 });
      expect((await eventsOf(ines, action.inspection_id)).slice(-2).toSorted()).toEqual([
        'corrective_action.status_changed',
        'finding.updated',
      ]);
      expect(await openIn(action.inspection_id)).toBe(0);
    });

    test.each([1, 2])('409 while %d other actions are unfinished, and nothing changes', async (count) => {
      const action = await completedAction(ines);
      for (let n = 0; n < count; n += 1) await newAction(ines, {}, { id: action.finding_id });
      expect(await verify(vera, action, { resolve_finding: true })).toMatchObject({
        status: 409,
        body: { detail: errors.correctiveActionsUnfinished(count).detail },
      });
      expect(await actionOf(ines, action)).toEqual(action);
      expect((await findingOfAction(action)).status).toBe('open');
    });

    test('200 for false, and the finding stays open', async () => {
      const action = await completedAction(ines);
      await verify(vera, action, { resolve_finding: false });
      expect((await findingOfAction(action)).status).toBe('open');
    });

    test('422 together with accepted false', async () => {
      const refused = await verify(vera, await completedAction(ines), {
        accepted: false,
        resolve_finding: true,
      });
      expect([refused.status, locs(refused)]).toEqual([422, ['body.resolve_finding']]);
    });

    test('200 or 409 whenever another action is created meanwhile, and a resolved finding has no open action', async () => {
      let answer: Awaited<ReturnType<typeof verify>>;
      const places = await between({
        prepare: () => completedAction(ines),
        work: async (action) => {
          answer = await verify(vera, action, { resolve_finding: true });
        },
        act: ({ finding_id }) =>
          ines.try.correctiveActions.create({ params: { finding_id }, body: { title: 'Paint it' } }),
        check: async (action) => {
          const { status } = await findingOfAction(action);
          expect(status).toBe(answer.status === 200 ? 'resolved' : 'open');
          expect(await openIn(action.inspection_id)).toBe(status === 'resolved' ? 0 : 2);
        },
      });
      expect(places).toBeGreaterThan(4);
    });
  });

  describe('if the organization requires four eyes', () => {
    const refusal = {
      status: 403,
      body: { detail: errors.secondPersonRequired().detail },
    };

    test('403 for the person who completed the action, but not for accepted false; 200 for anyone else', async () => {
      await setFourEyes(true);
      const action = await completedAction(ines);
      expect(await verify(ines, action)).toMatchObject(refusal);
      expect((await actionOf(ines, action)).status).toBe('pending_verification');
      expect((await verify(ines, action, { accepted: false })).status).toBe(200);
      await moveThrough(vera, action, 'pending_verification');
      for (const worker of [vera, ines]) expect(await verify(worker, action)).toMatchObject(refusal);
      expect((await verify(await newColleague(ines, 'Zoe'), action)).status).toBe(200);
    });

    test.each<[string, (action: At) => Promise<unknown>]>([
      ['started it', (action) => moveThrough(vera, action, 'in_progress')],
      ['attached a file', async (action) => attach(vera, action, await newDocument(ines))],
      [
        'removed a file',
        async (action) => {
          const { body } = await attach(ines, action, await newDocument(ines));
          const params = { ca_id: action.id, attachment_id: body.id };
          await as(vera.key).correctiveActions.deleteAttachment({ params });
        },
      ],
      ['written what was done', (action) => patch(vera, action, { completion_note: 'Tightened' })],
    ])('403 for somebody who has only %s', async (_, work) => {
      await setFourEyes(true);
      const action = await newAction(ines);
      await work(action);
      await moveThrough(ines, action, 'in_progress', 'pending_verification');
      expect(await verify(vera, action)).toMatchObject(refusal);
      expect((await verify(await newColleague(ines, 'Zoe'), action)).status).toBe(200);
    });

    test('200 for somebody who has only created, assigned and commented on it', async () => {
      await setFourEyes(true);
      const { id } = await newFinding(ines);
      const client = as(vera.key);
      const action: CorrectiveAction = await client.correctiveActions.create({
        params: { finding_id: id },
        body: { title: 'Tighten it' },
      });
      await patch(vera, action, { assignee_id: vera.user_id, due_at: '2030-01-01T00:00:00Z' });
      await client.correctiveActions.commentOn({ params: { ca_id: action.id }, body: { note: 'When?' } });
      await moveThrough(ines, action, 'in_progress', 'pending_verification');
      expect((await verify(vera, action)).status).toBe(200);
    });

    test('403 for a person through the key that did the work or was made by who did it, and for its maker', async () => {
      const [ada, bea] = [await signIn(ines), await signIn(ines)];
      await Promise.all([ada, bea].map(letKeysAct));
      const newKey = (maker: Caller) =>
        apiKeys.create(maker, {
          name: 'App',
          access: 'read_write',
          expires: 'never',
          act_for_members: true,
        });
      const [app, own] = [await newKey(operatorOf(ines)), await newKey(ada.caller)];
      const forMember = ({ userId }: SignedIn) => onBehalfOf({ user_id: userId });
      const completeBy = async ({ key }: { key: string }, headers: Record<string, string>) => {
        const action = await newAction(ines);
        for (const status of ['in_progress', 'pending_verification'])
          await patch({ key }, action, { status }, headers);
        return action;
      };
      const noun = 'corrective action';
      const byAda = await completeBy(app, forMember(ada));
      for (const [by, error] of [
        [() => verify(app, byAda, {}, forMember(bea)), errors.workOfKey],
        [() => verify(own, byAda, {}, forMember(bea)), errors.workOfKeyMaker],
        [() => verify(own, byAda, {}, forMember(ada)), () => errors.secondPersonRequired()],
      ] as const) {
        const { status, body } = await by();
        expect([status, body.detail]).toEqual([403, error(noun).detail]);
      }
      const byKey = await completeBy(own, {});
      const { status, body } = await verify(app, byKey, {}, forMember(ada));
      expect([status, body.detail]).toEqual([403, errors.workOfOwnKey(noun).detail]);
      expect((await verify(app, byKey, {}, forMember(bea))).status).toBe(200);
      await setFourEyes(false);
      expect((await verify(app, byAda, {}, forMember(bea))).status).toBe(200);
    });

    test('409 rather than 403 for an action that cannot be verified', async () => {
      await setFourEyes(true);
      expect((await verify(ines, await newAction(ines))).status).toBe(409);
    });

    test('200 for an API key if the setting is null or false', async () => {
      expect((await verify(ines, await completedAction(ines))).status).toBe(200);
      await setFourEyes(false);
      expect((await verify(ines, await completedAction(ines))).status).toBe(200);
    });

    test('403 for a signed-in person if the setting is null, 200 if it is false', async () => {
      const { org_id, user_id, name } = ines.caller;
      const person = { org_id, user_id, name };
      const accept = ({ id }: At) => correctiveActions.verify(person, id, Verification.parse({}));
      const action = await completedAction(ines);
      await expect(accept(action)).rejects.toMatchObject({ status: 403 });
      await setFourEyes(false);
      await expect(accept(action)).resolves.toMatchObject({ status: 'verified' });
    });
  });
});

describe('POST /corrective-actions/{ca_id}/reopen', () => {
  test.each(['pending_verification', 'verified', 'cancelled'] as const)(
    '200 with null for an action that is %s, which is open again',
    async (status) => {
      const action = await completedAction(ines);
      if (status === 'verified') await verify(vera, action, { note: 'Tight' });
      if (status === 'cancelled') await moveThrough(ines, action, 'cancelled');
      const answer = await reopen(action, { reason: ' Loose again ' });
      expect([answer.status, answer.text]).toEqual([200, 'null']);
      expect(await actionOf(ines, action)).toMatchObject({
        status: 'open',
        completed_at: null,
        completed_by: null,
        verified_at: null,
        verified_by: null,
        verification_note: '',
        reopened_at: expect.any(String),
        reopen_reason: 'Loose again',
        reopen_count: 1,
      });
      expect(await openIn(action.inspection_id)).toBe(1);
      expect((await findingOf(ines, action.finding_id)).corrective_actions_count).toBe(1);
      expect((await historyOf(ines, action)).at(-1)).toMatchObject({
        kind: 'reopened',
        actor_id: vera.user_id,
        from: status,
        to: 'open',
        note: 'Loose again',
      });
    },
  );

  test('409 for an action that is open or in progress', async () => {
    const action = await newAction(ines);
    expect((await reopen(action)).body.detail).toBe(
      errors.correctiveActionStatus('open', stepRefusal('reopen')).detail,
    );
    await moveThrough(ines, action, 'in_progress');
    expect((await reopen(action)).body.detail).toBe(
      errors.correctiveActionStatus('in_progress', stepRefusal('reopen')).detail,
    );
  });

  test('409 if the finding is resolved', async () => {
    const action = await newAction(ines);
    await moveThrough(ines, action, 'cancelled');
    const params = { finding_id: action.finding_id };
    await ines.findings.update({ params, body: { status: 'resolved' } });
    expect(await reopen(action)).toMatchObject({
      status: 409,
      body: { detail: errors.findingResolved().detail },
    });
    expect((await actionOf(ines, action)).status).toBe('cancelled');
  });

  test.each<[string, object, string[]]>([
    ['no reason', {}, ['body.reason']],
    ['a blank reason', { reason: ' \n' }, ['body.reason']],
  ])('422 for %s', async (_, body, expected) => {
    const answer = await reopen(await newAction(ines), body);
    expect([answer.status, locs(answer)]).toEqual([422, expected]);
  });

  test('409 for another version', async () => {
    const action = await completedAction(ines);
    expect((await reopen(action, undefined, { 'If-Match': '"2"' })).status).toBe(409);
  });
});
