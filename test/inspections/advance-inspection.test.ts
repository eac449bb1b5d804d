import * as replaceAnswer from '../../functions/answers/replace-answer.ts';
import * as advanceInspection from '../../functions/inspections/advance-inspection.ts';
import * as getInspection from '../../functions/inspections/get-inspection.ts';
import type { Advance, Inspection, InspectionStatus } from '../../shared/schemas/inspections/inspection.ts';
import { call, made } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { contentWith, field, locs, tally, uuid } from '../templates/fixtures.ts';
import {
  advance,
  answer,
  begun,
  completed,
  eventsOf,
  newColleague,
  newInspection,
  UNDEMANDING,
} from './fixtures.ts';

describe('POST /inspections/{inspection_id}/advance', () => {
  let person: Person;
  let ann: { key: string; user_id: string };
  let bob: { key: string; user_id: string };

  const tryAdvance = (key: string, { id }: { id: string }, body?: Partial<Advance>) =>
    call(advanceInspection, { as: key, params: { inspection_id: id }, ...(body && { body }) });
  const get = ({ id }: { id: string }): Promise<Inspection> =>
    made(getInspection, { as: person.key, params: { inspection_id: id } });
  const withParts = (body = {}) =>
    begun(person, {
      family: UNDEMANDING,
      participants: [{ user_id: ann.user_id }, { user_id: bob.user_id, role: 'lead' }],
      ...body,
    });
  const statusesOf = ({ participants }: Inspection) => participants.map(({ status }) => status);

  beforeAll(async () => {
    person = await newPerson('Advancer');
    [ann, bob] = [await newColleague(person, 'Ann'), await newColleague(person, 'Bob')];
  });

  test('200 by the one step forward: begun, then completed where nothing more is demanded', async () => {
    const inspection = await newInspection(person, { family: UNDEMANDING, due_at: '2020-01-01T00:00:00Z' });
    expect(await advance(person.key, inspection)).toMatchObject({
      status: 'in_progress',
      completed_at: null,
    });
    const done = await advance(person.key, inspection, {});
    expect(done).toMatchObject({ status: 'completed', is_overdue: false, version: 3 });
    expect(done.submitted_at).toBe(done.completed_at);
    expect(await get(inspection)).toEqual(done);
    expect(await eventsOf(person, inspection.id)).toEqual([
      'inspection.created',
      'inspection.started',
      'inspection.completed',
    ]);
  });

  test('200 for the own part, with the last of which the inspection moves on', async () => {
    const inspection = await withParts();
    const first = await advance(ann.key, inspection);
    expect([first.status, statusesOf(first)]).toEqual(['in_progress', ['submitted', 'assigned']]);
    expect(first.participants[0]!.submitted_at).not.toBeNull();
    const last = await advance(bob.key, inspection);
    expect([last.status, statusesOf(last)]).toEqual(['completed', ['submitted', 'submitted']]);
  });

  test('200 for both when the last two submit at once: the inspection is completed, and told so once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const inspection = await withParts();
      const answers = await Promise.all([tryAdvance(ann.key, inspection), tryAdvance(bob.key, inspection)]);
      expect(tally(answers)).toEqual({ 200: 2 });
      expect(await get(inspection)).toMatchObject({ status: 'completed', version: 4 });
      const told = await eventsOf(person, inspection.id);
      expect(told.filter((type) => type === 'inspection.completed')).toHaveLength(1);
    }
  });

  test('200 for one of many that would complete it, 409 for the others', async () => {
    const inspection = await begun(person, { family: UNDEMANDING });
    const answers = await Promise.all(Array.from({ length: 5 }, () => tryAdvance(person.key, inspection)));
    expect(tally(answers)).toEqual({ 200: 1, 409: 4 });
  });

  test('200 for anyone once no part is missing, approvers and signatories aside', async () => {
    const inspection = await begun(person, {
      family: UNDEMANDING,
      participants: [
        { user_id: ann.user_id, role: 'approver' },
        { user_id: bob.user_id, role: 'signatory' },
      ],
    });
    expect((await advance(person.key, inspection)).status).toBe('completed');
  });

  test('409 for anyone else while a part is missing, whose it is', async () => {
    const inspection = await withParts();
    await advance(ann.key, inspection);
    for (const key of [person.key, ann.key]) {
      const { status, body } = await tryAdvance(key, inspection);
      expect([status, body.detail]).toEqual([
        409,
        'inspection is in_progress with 1 blocker: Bob: part not submitted',
      ]);
    }
  });

  test('409 counting what is missing, and naming the first ten', async () => {
    const fields = Array.from({ length: 12 }, (_, i) => field(i + 2, { required: true }));
    const inspection = await begun(person, { family: { content: contentWith(...fields) } });
    const blocked = await tryAdvance(person.key, inspection);
    expect(blocked.status).toBe(409);
    expect(blocked.body.detail).toMatch(
      /with 12 blockers: Field 2: required; .*Field 11: required; and 2 more$/,
    );
    for (const { id } of fields) await answer(person, inspection, id, 'yes');
    expect((await advance(person.key, inspection)).status).toBe('completed');
  });

  test('409 for a required start answer', async () => {
    const start = { fields: [{ key: 'weather', type: 'text', label: 'Weather', required: true }] };
    const family = { content: { ...contentWith(field(2)), start } };
    const without = await begun(person, { family });
    expect((await tryAdvance(person.key, without)).body.detail).toContain('Weather: required');
    const inspection = await begun(person, { family, start_answers: { weather: 'fair' } });
    expect((await advance(person.key, inspection)).status).toBe('completed');
  });

  test('409 for what the own part lacks, not for what others lack', async () => {
    const content = {
      sections: [
        {
          id: uuid(1),
          title: 'Rails',
          fields: [],
          sections: [{ id: uuid(4), title: 'Upper rails', fields: [field(2, { required: true })] }],
        },
        { id: uuid(5), title: 'Roof', fields: [field(6, { required: true })] },
      ],
    };
    const inspection = await begun(person, {
      family: { content },
      participants: [
        { user_id: ann.user_id, section_ids: [uuid(1)] },
        { user_id: bob.user_id, section_ids: [uuid(5)] },
      ],
    });
    const blocked = await tryAdvance(ann.key, inspection);
    expect([blocked.status, blocked.body.detail]).toEqual([
      409,
      'inspection is in_progress with 1 blocker: Field 2: required',
    ]);
    await made(replaceAnswer, {
      as: person.key,
      params: { inspection_id: inspection.id },
      body: { section_id: uuid(4), field_id: uuid(2), value: 'yes' },
    });
    expect(statusesOf(await advance(ann.key, inspection))).toEqual(['submitted', 'assigned']);
    expect((await tryAdvance(bob.key, inspection)).body.detail).toContain('Field 6');
  });

  test('never completed without an answer that was cleared at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const inspection = await begun(person, {
        family: { content: contentWith(field(2, { required: true })) },
      });
      await answer(person, inspection, uuid(2), 'yes');
      const body = { section_id: uuid(1), field_id: uuid(2), value: null };
      const [moved, cleared] = await Promise.all([
        tryAdvance(person.key, inspection),
        call(replaceAnswer, { as: person.key, params: { inspection_id: inspection.id }, body }),
      ]);
      expect(tally([moved, cleared])).toEqual({ 200: 1, 409: 1 });
    }
  });

  test('409 naming the state where nothing leads on, or elsewhere than asked', async () => {
    const done = await completed(person);
    expect((await tryAdvance(person.key, done)).body.detail).toBe('inspection is completed');
    const inspection = await begun(person, { family: UNDEMANDING });
    const wrongs: Partial<Advance>[] = [
      { decision: 'approve' },
      { sign_off: { signed_name: 'Ann' } },
      { to: 'pending_approval' },
    ];
    for (const wrong of wrongs) {
      const { status, body } = await tryAdvance(person.key, inspection, wrong);
      expect([status, body.detail]).toEqual([409, expect.stringContaining('in_progress')]);
    }
    expect((await advance(person.key, inspection, { to: 'completed' })).status).toBe('completed');
  });

  test('409 for another version', async () => {
    const inspection = await begun(person, { family: UNDEMANDING });
    expect(
      (await tryAdvance(person.key, inspection, { expected_version: 1 } as Partial<Advance>)).status,
    ).toBe(409);
  });

  test('422 for a request for changes without a comment, and for two steps at once', async () => {
    const inspection = await newInspection(person);
    expect(locs(await tryAdvance(person.key, inspection, { decision: 'request_changes' }))).toEqual([
      'body.comment',
    ]);
    const both: Partial<Advance> = { decision: 'approve', sign_off: { signed_name: 'Ann' } };
    expect(locs(await tryAdvance(person.key, inspection, both))).toEqual(['body.sign_off']);
  });

  describe('where approval and sign-off are required', () => {
    const DEMANDING = {
      ...UNDEMANDING,
      requires_approval: true,
      requires_sign_off: true,
      settings: { approval: { allow_api: true }, sign_off: { signatures_required: 2 } },
    };
    const submitted = async (family: object = DEMANDING) => {
      const inspection = await begun(person, { family, participants: [{ user_id: ann.user_id }] });
      return advance(ann.key, inspection);
    };

    test('200 through approval and every signature to completion', async () => {
      const inspection = await submitted();
      expect(inspection).toMatchObject({ status: 'pending_approval', completed_at: null });
      const approved = await advance(person.key, inspection, { decision: 'approve', comment: 'Well done' });
      expect(approved).toMatchObject({
        status: 'pending_sign_off',
        approval_outcome: 'approved',
        comment: 'Well done',
      });
      const first = await advance(person.key, inspection, { sign_off: { signed_name: 'Eve' } });
      expect(first).toMatchObject({ status: 'pending_sign_off', signed_off_at: null });
      for (const signed_name of ['Eve', 'EVE']) {
        expect((await tryAdvance(person.key, inspection, { sign_off: { signed_name } })).status).toBe(409);
      }
      const last = await advance(person.key, inspection, { sign_off: { signed_name: 'Tom' } });
      expect(last.status).toBe('completed');
      expect(last.signatures.map(({ signed_name }) => signed_name)).toEqual(['Eve', 'Tom']);
      expect(last.signed_off_at).toBe(last.completed_at);
      expect((await eventsOf(person, inspection.id)).slice(2)).toEqual([
        'inspection.pending_approval',
        'inspection.pending_sign_off',
        'inspection.completed',
      ]);
    });

    test('200 back in progress with the parts open again', async () => {
      const inspection = await submitted();
      const back = await advance(person.key, inspection, { decision: 'request_changes', comment: 'Blurred' });
      expect(back).toMatchObject({
        status: 'in_progress',
        approval_outcome: 'changes_requested',
        comment: 'Blurred',
      });
      expect(back.participants).toEqual([
        expect.objectContaining({ status: 'started', submitted_at: null, reopened_at: expect.any(String) }),
      ]);
      expect((await advance(ann.key, inspection)).status).toBe('pending_approval');
    });

    test('200 archived when it is rejected', async () => {
      expect(await advance(person.key, await submitted(), { decision: 'reject' })).toMatchObject({
        status: 'archived',
        archived_from: 'pending_approval',
        approval_outcome: 'rejected',
      });
    });

    test('403 for the approval of the own work', async () => {
      const inspection = await submitted();
      expect((await tryAdvance(ann.key, inspection, { decision: 'approve' })).status).toBe(403);
      expect((await tryAdvance(bob.key, inspection, { decision: 'approve' })).status).toBe(200);
    });

    test('403 for a key where keys may not decide', async () => {
      const inspection = await submitted({ ...UNDEMANDING, requires_approval: true });
      for (const decision of ['approve', 'reject'] as const) {
        expect((await tryAdvance(person.key, inspection, { decision })).status).toBe(403);
      }
    });

    test('409 for an empty body where a decision or a signature is awaited', async () => {
      const awaited: [InspectionStatus, object, string][] = [
        ['pending_approval', DEMANDING, 'a decision'],
        ['pending_sign_off', { ...DEMANDING, requires_approval: false }, 'a sign_off'],
      ];
      for (const [status, family, what] of awaited) {
        const refused = await tryAdvance(person.key, await submitted(family));
        expect([refused.status, refused.body.detail]).toEqual([
          409,
          `inspection is ${status} and awaits ${what}`,
        ]);
      }
    });
  });
});
