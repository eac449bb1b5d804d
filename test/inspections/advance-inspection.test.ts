import type * as z from 'zod';
import type { ApiError } from '../../shared/base/api-error.ts';
import * as errors from '../../shared/base/errors.ts';
import type { Advance, Inspection, InspectionStatus } from '../../shared/schemas/inspections/inspection.ts';
import { as, locs, statusCounts } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import {
  advance,
  answer,
  startedInspection,
  completedInspection,
  eventsOf,
  newColleague,
  newInspection,
  NOTHING_REQUIRED,
} from './fixtures.ts';

type AdvanceBody = z.input<typeof Advance>;

describe('POST /inspections/{inspection_id}/advance', () => {
  let person: Person;
  let ann: { key: string; user_id: string };
  let bob: { key: string; user_id: string };

  const tryAdvance = (key: string, { id }: { id: string }, body?: AdvanceBody) =>
    as(key).try.inspections.advance({ params: { inspection_id: id }, ...(body && { body }) });
  const get = ({ id }: { id: string }): Promise<Inspection> =>
    person.inspections.get({ params: { inspection_id: id } });
  const withParts = (body = {}) =>
    startedInspection(person, {
      family: NOTHING_REQUIRED,
      participants: [{ user_id: ann.user_id }, { user_id: bob.user_id, role: 'lead' }],
      ...body,
    });
  const statusesOf = ({ participants }: Inspection) => participants.map(({ status }) => status);

  beforeAll(async () => {
    person = await newPerson('Advancer');
    [ann, bob] = [await newColleague(person, 'Ann'), await newColleague(person, 'Bob')];
  });

  test('200, and the inspection is started, then completed if nothing more is required', async () => {
    const inspection = await newInspection(person, {
      family: NOTHING_REQUIRED,
      due_at: '2020-01-01T00:00:00Z',
    });
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

  test('200 for the caller’s own part, and the inspection moves on with the last part', async () => {
    const inspection = await withParts();
    const first = await advance(ann.key, inspection);
    expect([first.status, statusesOf(first)]).toEqual(['in_progress', ['submitted', 'assigned']]);
    expect(first.participants[0]!.submitted_at).not.toBeNull();
    const last = await advance(bob.key, inspection);
    expect([last.status, statusesOf(last)]).toEqual(['completed', ['submitted', 'submitted']]);
  });

  test('200 for the last two parts in parallel, and the inspection is completed once, with one event', async () => {
    for (let round = 0; round < 5; round += 1) {
      const inspection = await withParts();
      const answers = await Promise.all([tryAdvance(ann.key, inspection), tryAdvance(bob.key, inspection)]);
      expect(statusCounts(answers)).toEqual({ 200: 2 });
      expect(await get(inspection)).toMatchObject({ status: 'completed', version: 4 });
      const events = await eventsOf(person, inspection.id);
      expect(events.filter((type) => type === 'inspection.completed')).toHaveLength(1);
    }
  });

  test('200 for one of five parallel requests that complete the inspection, 409 for the others', async () => {
    const inspection = await startedInspection(person, { family: NOTHING_REQUIRED });
    const answers = await Promise.all(Array.from({ length: 5 }, () => tryAdvance(person.key, inspection)));
    expect(statusCounts(answers)).toEqual({ 200: 1, 409: 4 });
  });

  test('200 for any caller if no part is missing; approvers and signatories have no part', async () => {
    const inspection = await startedInspection(person, {
      family: NOTHING_REQUIRED,
      participants: [
        { user_id: ann.user_id, role: 'approver' },
        { user_id: bob.user_id, role: 'signatory' },
      ],
    });
    expect((await advance(person.key, inspection)).status).toBe('completed');
  });

  test('409 for a caller without an open part while a part is missing', async () => {
    const inspection = await withParts();
    await advance(ann.key, inspection);
    for (const key of [person.key, ann.key]) {
      const { status, body } = await tryAdvance(key, inspection);
      expect([status, body.detail]).toEqual([
        409,
        errors.inspectionBlocked('in_progress', ['Bob: part not submitted']).detail,
      ]);
    }
  });

  /** What the caller is told of each blocker: of those of the error, as far as it names them. */
  const blockersFor = async (key: string, { id }: { id: string }) => {
    const params = { inspection_id: id };
    const { status, blockers } = await as(key).inspections.listBlockers({ params });
    const { body } = await tryAdvance(key, { id });
    const messages = blockers.map(({ message }: { message: string }) => message);
    expect(body.detail).toBe(errors.inspectionBlocked(status, messages).detail);
    return blockers.map(({ message, ...blocker }: { message: string }) => {
      expect(message).not.toBe('');
      return blocker;
    });
  };
  const missing = (section_id: string | null, field_id: string | null, more: object = {}) => ({
    code: 'required',
    section_id,
    field_id,
    path: '',
    ...more,
  });

  test('what blocks the caller is listed for programs: fields of their part, start answers, parts, nothing', async () => {
    const content = {
      start: { fields: [{ key: 'weather', type: 'text', label: 'Weather', required: true }] },
      sections: [
        { id: uuid(4), title: 'Rails', fields: [field(2, 'text', { required: true })] },
        {
          id: uuid(5),
          title: 'Rooms',
          repeat: { min: 1, max: 2 },
          fields: [field(6, 'yes_no', { required: true })],
        },
      ],
    };
    const inspection = await startedInspection(person, {
      family: { content },
      participants: [
        { user_id: ann.user_id, section_ids: [uuid(4)] },
        { user_id: bob.user_id, section_ids: [uuid(5)] },
      ],
    });
    const part = missing(null, null, { code: 'part_not_submitted' });
    const room = missing(uuid(5), uuid(6), { path: `${uuid(5)}[0]` });
    expect(await blockersFor(ann.key, inspection)).toEqual([missing(uuid(4), uuid(2))]);
    expect(await blockersFor(bob.key, inspection)).toEqual([room]);
    expect(await blockersFor(person.key, inspection)).toEqual([
      part,
      part,
      missing(null, 'weather'),
      missing(uuid(4), uuid(2)),
      room,
    ]);
    const waiting = await newInspection(person);
    const params = { inspection_id: waiting.id };
    expect(await person.inspections.listBlockers({ params })).toEqual({
      inspection_id: waiting.id,
      status: 'scheduled',
      blockers: [],
    });
  });

  test('409 with the number of missing answers and the first ten of them', async () => {
    const fields = Array.from({ length: 12 }, (_, i) => field(i + 2, 'text', { required: true }));
    const inspection = await startedInspection(person, { family: { content: contentWith(...fields) } });
    const blocked = await tryAdvance(person.key, inspection);
    expect(blocked.status).toBe(409);
    const missing = fields.map(({ label }) => `${label}: required`);
    expect(blocked.body.detail).toBe(errors.inspectionBlocked('in_progress', missing).detail);
    for (const { id } of fields) await answer(person, inspection, id, 'yes');
    expect((await advance(person.key, inspection)).status).toBe('completed');
  });

  test('409 without a required start answer', async () => {
    const start = { fields: [{ key: 'weather', type: 'text', label: 'Weather', required: true }] };
    const family = { content: { ...contentWith(field(2)), start } };
    const without = await startedInspection(person, { family });
    expect((await tryAdvance(person.key, without)).body.detail).toBe(
      errors.inspectionBlocked('in_progress', ['Weather: required']).detail,
    );
    const inspection = await startedInspection(person, { family, start_answers: { weather: 'fair' } });
    expect((await advance(person.key, inspection)).status).toBe('completed');
  });

  test('409 for missing answers in the caller’s own part, but not in other parts', async () => {
    const content = {
      sections: [
        {
          id: uuid(1),
          title: 'Rails',
          fields: [],
          sections: [{ id: uuid(4), title: 'Upper rails', fields: [field(2, 'text', { required: true })] }],
        },
        { id: uuid(5), title: 'Roof', fields: [field(6, 'text', { required: true })] },
      ],
    };
    const inspection = await startedInspection(person, {
      family: { content },
      participants: [
        { user_id: ann.user_id, section_ids: [uuid(1)] },
        { user_id: bob.user_id, section_ids: [uuid(5)] },
      ],
    });
    const blocked = await tryAdvance(ann.key, inspection);
    expect([blocked.status, blocked.body.detail]).toEqual([
      409,
      errors.inspectionBlocked('in_progress', ['Field 2: required']).detail,
    ]);
    await person.answers.replace({
      params: { inspection_id: inspection.id },
      body: { section_id: uuid(4), field_id: uuid(2), value: 'yes' },
    });
    expect(statusesOf(await advance(ann.key, inspection))).toEqual(['submitted', 'assigned']);
    expect((await tryAdvance(bob.key, inspection)).body.detail).toBe(
      errors.inspectionBlocked('in_progress', ['Field 6: required']).detail,
    );
  });

  test('200 or 409 while a required answer is cleared, and an inspection without it is never completed', async () => {
    for (let round = 0; round < 8; round += 1) {
      const inspection = await startedInspection(person, {
        family: { content: contentWith(field(2, 'text', { required: true })) },
      });
      await answer(person, inspection, uuid(2), 'yes');
      const body = { section_id: uuid(1), field_id: uuid(2), value: null };
      const [advanced, cleared] = await Promise.all([
        tryAdvance(person.key, inspection),
        person.try.answers.replace({ params: { inspection_id: inspection.id }, body }),
      ]);
      expect(statusCounts([advanced, cleared])).toEqual({ 200: 1, 409: 1 });
    }
  });

  test('409 if there is no next step, or another one than the request asks for', async () => {
    const done = await completedInspection(person);
    expect((await tryAdvance(person.key, done)).body.detail).toBe(
      errors.inspectionStatus('completed').detail,
    );
    const inspection = await startedInspection(person, { family: NOTHING_REQUIRED });
    const status = errors.inspectionStatus('in_progress');
    const requests: [AdvanceBody, ApiError][] = [
      [{ decision: 'approve' }, status],
      [{ sign_off: { signed_name: 'Ann' } }, status],
      [{ to: 'pending_approval' }, errors.stepLeadsElsewhere('in_progress', 'completed')],
    ];
    for (const [body, { detail }] of requests) {
      const answer = await tryAdvance(person.key, inspection, body);
      expect([answer.status, answer.body.detail]).toEqual([409, detail]);
    }
    expect((await advance(person.key, inspection, { to: 'completed' })).status).toBe('completed');
  });

  test('409 for another version', async () => {
    const inspection = await startedInspection(person, { family: NOTHING_REQUIRED });
    expect((await tryAdvance(person.key, inspection, { expected_version: 1 })).status).toBe(409);
  });

  test('422 for request_changes and decline without a comment, and for two steps at once', async () => {
    const inspection = await newInspection(person);
    for (const decision of ['request_changes', 'decline'] as const) {
      expect(locs(await tryAdvance(person.key, inspection, { decision }))).toEqual(['body.comment']);
    }
    const tooLong = { decision: 'decline' as const, comment: 'x'.repeat(1_001) };
    expect(locs(await tryAdvance(person.key, inspection, tooLong))).toEqual(['body.comment']);
    const both = { decision: 'approve' as const, sign_off: { signed_name: 'Ann' } };
    expect(locs(await tryAdvance(person.key, inspection, both))).toEqual(['body.sign_off']);
  });

  test('422 for a contact of a signature that names no address', async () => {
    const inspection = await newInspection(person);
    const sign_off = { signed_name: 'Ann', contact: { email: 'nowhere', fax: '1' } };
    expect(locs(await tryAdvance(person.key, inspection, { sign_off }))).toEqual([
      'body.sign_off.contact.email',
      'body.sign_off.contact.fax',
    ]);
  });

  describe('if approval and sign-off are required', () => {
    const ALL_REQUIRED = {
      ...NOTHING_REQUIRED,
      requires_approval: true,
      requires_sign_off: true,
      settings: { approval: { allow_api: true }, sign_off: { signatures_required: 2 } },
    };
    const submitted = async (family: object = ALL_REQUIRED) => {
      const inspection = await startedInspection(person, {
        family,
        participants: [{ user_id: ann.user_id }],
      });
      return advance(ann.key, inspection);
    };

    test('200 for the approval and for each signature, up to completion', async () => {
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
        'inspection.approved',
        'inspection.pending_sign_off',
        'inspection.updated',
        'inspection.completed',
      ]);
    });

    test('409 for a participant who signs twice, whatever the names; a key that takes no part signs for others', async () => {
      const signing = await submitted({ ...ALL_REQUIRED, requires_approval: false });
      const sign = (key: string, signed_name: string) =>
        tryAdvance(key, signing, { sign_off: { signed_name } });
      expect((await sign(ann.key, 'Ann Lee')).status).toBe(200);
      for (const [key, name] of [
        [ann.key, 'A. Lee'],
        [person.key, 'ann  lee'],
      ] as const) {
        expect(await sign(key, name)).toMatchObject({
          status: 409,
          body: { detail: errors.alreadySigned('pending_sign_off', 'Ann Lee').detail },
        });
      }
      expect((await sign(person.key, 'Tom')).body.status).toBe('completed');
    });

    test('200 for request_changes, and the inspection is in progress with its parts open again', async () => {
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

    test('200 for a rejection, and the inspection is archived', async () => {
      expect(await advance(person.key, await submitted(), { decision: 'reject' })).toMatchObject({
        status: 'archived',
        archived_from: 'pending_approval',
        approval_outcome: 'rejected',
      });
    });

    const SIGN_OFF = { ...ALL_REQUIRED, requires_approval: false };

    test('200 for a refusal to sign: it is on record, and does not keep the inspection from completion', async () => {
      const inspection = await submitted(SIGN_OFF);
      const contact = { name: null, email: 'eve@example.com', company: 'Kitchen Ltd', phone: null };
      const refused = await advance(person.key, inspection, {
        decision: 'decline',
        comment: 'The fridge was off',
        sign_off: { signed_name: 'Eve', contact: { email: 'eve@example.com', company: 'Kitchen Ltd' } },
      });
      expect(refused).toMatchObject({ status: 'pending_sign_off', comment: 'The fridge was off' });
      expect(refused.signatures).toEqual([
        {
          user_id: person.caller.user_id,
          acted_via_key_id: null,
          signed_name: 'Eve',
          signed_at: expect.any(String),
          contact,
          declined: true,
          reason: 'The fridge was off',
          before_correction: null,
        },
      ]);
      expect(await tryAdvance(person.key, inspection, { sign_off: { signed_name: 'eve' } })).toMatchObject({
        status: 409,
        body: {
          detail: errors.alreadySigned('pending_sign_off', 'Eve', true).detail,
        },
      });
      const longest = { decision: 'decline', comment: 'x'.repeat(1_000) };
      const done = await advance(ann.key, inspection, longest);
      expect(done).toMatchObject({ status: 'completed', signed_off_at: done.completed_at });
      expect(done.signatures.map(({ signed_name, declined }) => [signed_name, declined])).toEqual([
        ['Eve', true],
        ['Ann', true],
      ]);
    });

    test('200 for changes that a signatory requests, and signatures that were given are dropped', async () => {
      const inspection = await startedInspection(person, {
        family: { ...SIGN_OFF, settings: { sign_off: { signatures_required: 2 } } },
        participants: [{ user_id: ann.user_id }, { user_id: bob.user_id, role: 'signatory' }],
      });
      await advance(ann.key, inspection);
      await advance(person.key, inspection, { sign_off: { signed_name: 'Eve' } });
      const request = { decision: 'request_changes' as const, comment: 'Wrong room' };
      expect((await tryAdvance(person.key, inspection, request)).status).toBe(403);
      const back = await advance(bob.key, inspection, request);
      expect(back).toMatchObject({
        status: 'in_progress',
        approval_outcome: 'changes_requested',
        comment: 'Wrong room',
        signatures: [],
        score: null,
      });
      expect(back.participants).toMatchObject([{ status: 'started' }, { status: 'assigned' }]);
      await advance(ann.key, inspection);
      for (const signed_name of ['Eve', 'Tom'])
        await advance(person.key, inspection, { sign_off: { signed_name } });
      expect(await get(inspection)).toMatchObject({ status: 'completed' });
    });

    test('403 for a participant who approves the inspection', async () => {
      const inspection = await submitted();
      expect((await tryAdvance(ann.key, inspection, { decision: 'approve' })).status).toBe(403);
      expect((await tryAdvance(bob.key, inspection, { decision: 'approve' })).status).toBe(200);
    });

    test('403 for an API key if the family does not allow keys to decide', async () => {
      const inspection = await submitted({ ...NOTHING_REQUIRED, requires_approval: true });
      for (const decision of ['approve', 'reject'] as const) {
        expect((await tryAdvance(person.key, inspection, { decision })).status).toBe(403);
      }
    });

    test('409 for an empty body while a decision or a signature is awaited', async () => {
      const awaited: [InspectionStatus, object, string][] = [
        ['pending_approval', ALL_REQUIRED, 'a decision'],
        ['pending_sign_off', { ...ALL_REQUIRED, requires_approval: false }, 'a sign_off or decision'],
      ];
      for (const [status, family, what] of awaited) {
        const refused = await tryAdvance(person.key, await submitted(family));
        expect([refused.status, refused.body.detail]).toEqual([
          409,
          errors.noStepForward(status, what).detail,
        ]);
      }
    });
  });
});
