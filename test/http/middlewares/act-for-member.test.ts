import { v7 as uuidv7 } from 'uuid';
import * as replaceAnswer from '../../../functions/answers/replace-answer.ts';
import * as saveAnswers from '../../../functions/answers/save-answers.ts';
import * as approveCorrection from '../../../functions/corrections/approve-correction.ts';
import * as closeCorrection from '../../../functions/corrections/close-correction.ts';
import * as createCorrection from '../../../functions/corrections/create-correction.ts';
import * as commentOnCorrectiveAction from '../../../functions/corrective-actions/comment-on-corrective-action.ts';
import * as createCorrectiveAction from '../../../functions/corrective-actions/create-corrective-action.ts';
import * as listMyCorrectiveActions from '../../../functions/corrective-actions/list-my-corrective-actions.ts';
import * as updateCorrectiveAction from '../../../functions/corrective-actions/update-corrective-action.ts';
import * as verifyCorrectiveAction from '../../../functions/corrective-actions/verify-corrective-action.ts';
import * as advanceInspection from '../../../functions/inspections/advance-inspection.ts';
import * as listAssignedInspections from '../../../functions/inspections/list-assigned-inspections.ts';
import * as reopenPart from '../../../functions/inspections/reopen-part.ts';
import * as selfCreateInspection from '../../../functions/inspections/self-create-inspection.ts';
import * as startInspection from '../../../functions/inspections/start-inspection.ts';
import * as updateOwnInspection from '../../../functions/inspections/update-own-inspection.ts';
import * as errors from '../../../shared/base/errors.ts';
import * as auditLog from '../../../shared/organizations/audit-log.ts';
import { audit } from '../../../shared/table/audit.ts';
import { change } from '../../../shared/table/change.ts';
import { appendEvents } from '../../../shared/table/outbox/outbox.ts';
import { historyOf, newFinding } from '../../corrective-actions/fixtures.ts';
import { completedInspection, newInspection, suspend } from '../../inspections/fixtures.ts';
import { type Answer, as, call, type Endpoint, type Request } from '../../support/call.ts';
import { contentWith, field, uuid } from '../../support/content.ts';
import { outboxOf } from '../../support/outbox.ts';
import { actingKey, newMember, newPerson, onBehalfOf, type Person } from '../../support/people.ts';
import { publishedFamily } from '../../templates/fixtures.ts';

type Member = Awaited<ReturnType<typeof newMember>>;
type Sent = Omit<Request, 'as' | 'session'>;

let org: Person;
/** The key that acts for Ines, who inspects, for Ada, an admin, and for Paul, who approves. */
let app: Awaited<ReturnType<typeof actingKey>>;
/** Another one, because no key carries the approval of what it was used for. */
let office: Awaited<ReturnType<typeof actingKey>>;
let ines: Member;
let ada: Member;
let paul: Member;

beforeAll(async () => {
  org = await newPerson('Org');
  app = await actingKey(org);
  office = await actingKey(org);
  ines = await newMember(org, 'inspector', 'Ines');
  ada = await newMember(org, 'admin', 'Ada');
  paul = await newMember(org, 'approver', 'Paul');
});

/** Sends a request for a member. */
const sendFor = (
  member: { user_id: string },
  endpoint: Endpoint,
  request: Sent = {},
  { key } = app,
): Promise<Answer> =>
  call(endpoint, { ...request, as: key, headers: { ...request.headers, ...onBehalfOf(member) } });

/** The same for a request that must succeed. */
const doneFor = async (
  member: Member,
  endpoint: Endpoint,
  request: Sent = {},
  key = app,
): Promise<Answer['body']> => {
  const { status, body } = await sendFor(member, endpoint, request, key);
  expect({ status: status < 300, body }).toEqual({ status: true, body });
  return body;
};

const at = ({ id }: { id: string }) => ({ params: { inspection_id: id } });
const recordedAs = (member: Member, { id } = app) => ({ actor_id: member.user_id, acted_via_key_id: id });

const APPROVED = {
  content: contentWith(field(2)),
  requires_approval: true,
  requires_sign_off: true,
};

/** A scheduled inspection with a part of Ines, which Paul approves; no key may decide. */
const scheduled = (family: object = APPROVED) =>
  newInspection(org, {
    family,
    participants: [{ user_id: ines.user_id }, { user_id: paul.user_id, role: 'approver' }],
  });

const ANSWER = { section_id: uuid(1), field_id: uuid(2), value: 'Tight' };

describe('On-Behalf-Of', () => {
  const open = (headers: Record<string, string>, key = app.key) =>
    call(listMyCorrectiveActions, { as: key, headers });

  test('422 for anything but one UUID', async () => {
    for (const text of ['', 'ines', `${ines.user_id}, ${ada.user_id}`]) {
      const { status, body } = await open({ 'On-Behalf-Of': text });
      expect(status).toBe(422);
      expect(body.detail).toEqual([
        expect.objectContaining({ loc: ['header', 'on-behalf-of'], type: 'uuid_parsing' }),
      ]);
    }
    expect((await open({ 'on-behalf-of': ` ${ines.user_id.toUpperCase()} ` })).status).toBe(200);
  });

  test('403 in the same words for everybody who is no active person of the organization', async () => {
    const stranger = await newMember(await newPerson('Other'), 'admin');
    const former = await newMember(org, 'inspector');
    expect((await open(onBehalfOf(former))).status).toBe(200);
    await suspend(org, former.user_id);
    for (const user_id of [uuidv7(), stranger.user_id, former.user_id, app.user_id, org.caller.user_id]) {
      const { status, body, headers } = await open({ 'On-Behalf-Of': user_id });
      expect([status, body.detail]).toEqual([403, errors.notOnBehalf().detail]);
      expect(headers['x-error-code']).toBe('not_on_behalf');
    }
  });

  test('403 for a key without the right, before it learns whether there is such a member', async () => {
    for (const user_id of [ines.user_id, uuidv7(), 'ines']) {
      const { status, body } = await open({ 'On-Behalf-Of': user_id }, org.key);
      expect([status, body.detail]).toEqual([403, errors.keyActsForNobody().detail]);
    }
  });

  test('403 for a member whose role may not do it', async () => {
    const inspection = await scheduled();
    const saving = await sendFor(paul, replaceAnswer, { ...at(inspection), body: ANSWER });
    expect([saving.status, saving.body.detail]).toEqual([403, errors.roleNotAllowed('approver').detail]);
    for (const endpoint of [startInspection, advanceInspection])
      expect((await sendFor(paul, endpoint, at(inspection))).status).toBe(403);
  });

  test('422 for the idempotency key of a request for somebody else', async () => {
    const { id } = await newFinding(org);
    const request = {
      params: { finding_id: id },
      body: { title: 'Tighten it' },
      headers: { 'Idempotency-Key': uuidv7() },
    };
    const first = await sendFor(ines, createCorrectiveAction, request);
    expect([first.status, first.body.created_by]).toEqual([201, ines.user_id]);
    const again = await sendFor(ines, createCorrectiveAction, request);
    expect([again.body.id, again.headers['idempotent-replayed']]).toEqual([first.body.id, 'true']);
    for (const other of [
      await sendFor(ada, createCorrectiveAction, request),
      await call(createCorrectiveAction, { ...request, as: app.key }),
    ]) {
      expect(other.status).toBe(422);
      expect(other.body.detail[0].loc).toEqual(['header', 'idempotency-key']);
    }
  });
});

describe('a request for a member', () => {
  test('200 from the answer to the signature, each recorded as the member’s with the key', async () => {
    const named = { ...APPROVED, settings: { approval: { approver_ids: [paul.user_id] } } };
    const inspection = await scheduled(named);
    await doneFor(ines, startInspection, at(inspection));
    const saved = await doneFor(ines, replaceAnswer, { ...at(inspection), body: ANSWER });
    expect(saved).toMatchObject({ answered_by: ines.user_id, acted_via_key_id: app.id });
    // The part is that of the member, so its submission submits the inspection.
    expect(await doneFor(ines, advanceInspection, at(inspection))).toMatchObject({
      status: 'pending_approval',
      participants: [{ user_id: ines.user_id, status: 'submitted' }, {}],
    });
    const approve = { ...at(inspection), body: { decision: 'approve' } };
    for (const member of [ines, { user_id: org.caller.user_id }])
      expect((await sendFor(member, advanceInspection, approve)).status).toBe(403);
    expect((await sendFor(ada, advanceInspection, approve)).body.detail).toBe(errors.notAnApprover().detail);
    expect((await call(advanceInspection, { ...approve, as: app.key })).body.detail).toBe(
      errors.decisionByKey().detail,
    );
    const sameKey = await sendFor(paul, advanceInspection, approve);
    expect([sameKey.status, sameKey.body.detail]).toEqual([403, errors.workOfKey('inspection').detail]);
    expect((await doneFor(paul, advanceInspection, approve, office)).status).toBe('pending_sign_off');
    const signed = { ...at(inspection), body: { sign_off: { signed_name: 'Ada L.' } } };
    const { signatures } = await doneFor(ada, advanceInspection, signed);
    expect(signatures).toEqual([
      expect.objectContaining({ user_id: ada.user_id, acted_via_key_id: app.id, signed_name: 'Ada L.' }),
    ]);
    const payload = await org.reports.getPayload(at(inspection));
    expect(payload.signatures).toMatchObject([
      { signed_name: 'Ada L.', signed_for: { name: 'Ada', key_name: 'Field app' } },
    ]);
    const activity = await org.inspections.listActivity(at(inspection));
    const own = { kind: 'created', actor_id: org.caller.user_id, key_id: org.caller.key_id };
    expect(activity).toMatchObject([
      { ...own, acted_via_key_id: null },
      ...(
        [
          ['started', ines, app],
          ['part_submitted', ines, app],
          ['submitted', ines, app],
          ['approved', paul, office],
          ['signed', ada, app],
        ] as const
      ).map(([kind, member, key]) => ({ kind, ...recordedAs(member, key), key_id: null })),
    ]);
  });

  test('200, and an answer that somebody gives directly no longer names the key', async () => {
    const inspection = await scheduled();
    await doneFor(ines, startInspection, at(inspection));
    const batch = { ...at(inspection), body: { responses: [ANSWER] } };
    await doneFor(ines, saveAnswers, batch);
    const [record] = await org.answers.list(at(inspection));
    expect(record).toMatchObject({ answered_by: ines.user_id, acted_via_key_id: app.id });
    const body = { ...ANSWER, value: 'Loose' };
    expect(await as(app).answers.replace({ ...at(inspection), body })).toMatchObject({
      answered_by: app.user_id,
      acted_via_key_id: null,
    });
  });

  test('200, and a re-inspection carries the member and the key over with the answer', async () => {
    const first = await scheduled({ content: contentWith(field(2), field(3, 'pass_fail_na')) });
    await doneFor(ines, startInspection, at(first));
    const failed = { ...ANSWER, field_id: uuid(3), value: 'fail' };
    await doneFor(ines, saveAnswers, { ...at(first), body: { responses: [ANSWER, failed] } });
    await doneFor(ines, advanceInspection, at(first));
    const again = await org.inspections.createReinspection({ ...at(first), body: { scope: 'failed' } });
    const records = await org.answers.list(at(again));
    expect(records.find(({ field_id }: { field_id: string }) => field_id === uuid(2))).toMatchObject({
      is_carried_over: true,
      answered_by: ines.user_id,
      acted_via_key_id: app.id,
    });
  });

  test('200 for what is the member’s own: the lists, a part, an inspection that they have created', async () => {
    const { id: template_family_id } = await publishedFamily(org.key, { content: contentWith(field(2)) });
    const own = await doneFor(ada, selfCreateInspection, { body: { template_family_id } });
    expect(own).toMatchObject({
      created_by: ada.user_id,
      participants: [{ user_id: ada.user_id, name: 'Ada' }],
    });
    const renamed = { ...at(own), body: { name: 'Mine' } };
    expect((await sendFor(ines, updateOwnInspection, renamed)).status).toBe(403);
    expect(await doneFor(ada, updateOwnInspection, renamed)).toMatchObject({ name: 'Mine' });
    const listed = await doneFor(ada, listAssignedInspections);
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([own.id]);
    const { id: finding_id } = await newFinding(org);
    const action = await org.correctiveActions.create({
      params: { finding_id },
      body: { title: 'Tighten it', assignee_id: ines.user_id },
    });
    expect(await doneFor(ines, listMyCorrectiveActions)).toMatchObject([{ id: action.id }]);
    expect(await doneFor(ada, listMyCorrectiveActions)).toEqual([]);
  });

  test('200 when a member takes back their part, and 409 for the key’s own, which has none', async () => {
    const inspection = await newInspection(org, {
      family: { content: contentWith(field(2)) },
      participants: [{ user_id: ines.user_id }, { user_id: ada.user_id }],
    });
    await doneFor(ines, startInspection, at(inspection));
    await doneFor(ines, advanceInspection, at(inspection));
    expect((await call(reopenPart, { ...at(inspection), as: app.key })).status).toBe(409);
    await doneFor(ines, reopenPart, at(inspection));
    const activity = await org.inspections.listActivity(at(inspection));
    expect(activity.at(-1)).toMatchObject({
      kind: 'part_reopened',
      user_ids: [ines.user_id],
      ...recordedAs(ines),
    });
  });

  test('403 for the verification by the member who completed, or through the key; another one verifies', async () => {
    const { id } = await newFinding(org);
    const created = { params: { finding_id: id }, body: { title: 'Tighten it' } };
    const action = await doneFor(ines, createCorrectiveAction, created);
    const of = { params: { ca_id: action.id } };
    for (const status of ['in_progress', 'pending_verification'])
      await doneFor(ines, updateCorrectiveAction, { ...of, body: { status } });
    await doneFor(paul, commentOnCorrectiveAction, { ...of, body: { note: 'Looks good' } });
    const refused = await sendFor(ines, verifyCorrectiveAction, of);
    expect([refused.status, refused.body.detail]).toEqual([403, errors.secondPersonRequired().detail]);
    expect((await sendFor(ada, verifyCorrectiveAction, of)).status).toBe(403);
    expect(await doneFor(ada, verifyCorrectiveAction, of, office)).toMatchObject({
      completed_by: ines.user_id,
      verified_by: ada.user_id,
      verified_via_key_id: office.id,
    });
    const { findings } = await org.reports.getPayload(at({ id: action.inspection_id }));
    expect(findings[0].corrective_actions).toMatchObject([
      { verified_for: { name: 'Ada', key_name: 'Field app' } },
    ]);
    const kinds = [
      ['created', ines, app],
      ['status_changed', ines, app],
      ['status_changed', ines, app],
      ['commented', paul, app],
      ['verified', ada, office],
    ] as const;
    expect(await historyOf(org, action)).toMatchObject(
      kinds.map(([kind, member, key]) => ({ kind, ...recordedAs(member, key) })),
    );
  });

  test('200 for a correction: its revisions name the member and the key, and no key has to be allowed to decide', async () => {
    const family = { ...APPROVED, requires_sign_off: false, settings: { correction_mode: 'reapprove' } };
    const inspection = await scheduled(family);
    await doneFor(ines, startInspection, at(inspection));
    await doneFor(ines, advanceInspection, at(inspection));
    await doneFor(paul, advanceInspection, { ...at(inspection), body: { decision: 'approve' } }, office);
    const { id } = await doneFor(ada, createCorrection, { ...at(inspection), body: { reason: 'Misread' } });
    const of = { params: { inspection_id: inspection.id, correction_id: id } };
    await doneFor(ines, replaceAnswer, { ...at(inspection), body: ANSWER });
    const { items } = await org.corrections.listRevisions(of);
    expect(items).toMatchObject([{ changed_by: ines.user_id, acted_via_key_id: app.id }]);
    await doneFor(ada, closeCorrection, of);
    const own = await sendFor(ada, approveCorrection, of, office);
    expect([own.status, own.body.detail]).toEqual([403, errors.ownWork('inspection').detail]);
    expect(await doneFor(paul, approveCorrection, of, office)).toMatchObject({
      status: 'closed',
      opened_by: ada.user_id,
      decided_by: paul.user_id,
      decided_via_key_id: office.id,
    });
    const payload = await org.reports.getPayload(at(inspection));
    expect(payload.corrections).toMatchObject([{ approved_for: { name: 'Paul', key_name: 'Field app' } }]);
  });

  test('200, and the event is of the member with the key, and so is an audited change', async () => {
    const { id } = await completedInspection(org);
    await doneFor(ada, createCorrection, { ...at({ id }), body: { reason: 'Misread' } });
    await appendEvents(org.caller, await outboxOf(org.caller));
    const events: { data: { id: string } }[] = await org.events.list();
    const [last, before] = events.filter(({ data }) => data.id === id).toReversed();
    expect(last).toMatchObject({ type: 'inspection.updated', ...recordedAs(ada) });
    expect(before).toMatchObject({ actor_id: org.caller.user_id, acted_via_key_id: null });
    const caller = { ...org.caller, ...ada, role: 'admin', acted_via_key_id: app.id };
    const target = uuidv7();
    await change(caller, (work) => ({ writes: [audit(work, 'member.updated', target)], reply: undefined }));
    const listed = await auditLog.list(org.caller, { limit: 1, format: 'json' });
    expect('page' in listed && listed.page).toMatchObject([
      { target_id: target, actor: { id: ada.user_id, acted_via_key_id: app.id } },
    ]);
  });
});
