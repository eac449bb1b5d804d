import * as deleteRemains from '../../functions/workers/delete-remains.ts';
import * as errors from '../../shared/base/errors.ts';
import * as inspections from '../../shared/inspections/deletion.ts';
import { inspectionRecords } from '../../shared/inspections/rows/inspection-records.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import type { Finding } from '../../shared/schemas/finding.ts';
import type { AnswerRecord } from '../../shared/schemas/inspections/answer.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import * as write from '../../shared/table/writes.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { beforeWriting, newDocument } from '../answers/fixtures.ts';
import { as } from '../support/call.ts';
import { contentWith, field, section, uuid } from '../support/content.ts';
import { installFaults, on, sdkError, withFault } from '../support/faults.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { readPdf } from '../support/pdf.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newLayout, publish } from '../templates/fixtures.ts';
import {
  answer,
  eventsOf,
  newClient,
  newColleague,
  newLocation,
  start,
  startedInspection,
  suspend,
} from './fixtures.ts';

installFaults();

let person: Person;

const of = ({ id }: { id: string }) => ({ params: { inspection_id: id } });

const [SECTION, ITEM, ALARM, TEXT, PHOTO, LEAK, NOTE] = [1, 2, 3, 4, 5, 6, 7].map((n) => uuid(n)) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];
const [ROOM, DOOR] = [uuid(20), uuid(21)];
const room = (n: number) => `${ROOM}[${n}]`;

const finding = { create: 'auto', corrective_action: { title: 'Repair it', priority: 'high' } };

/** `ITEM` leads to a finding with an action, and asks about the leak when it fails. */
const CONTENT = {
  scoring: { enabled: true, method: 'points', unanswered: 'exclude' },
  sections: [
    section(1, [
      field(2, 'pass_fail_na', { required: true, finding }),
      field(3, 'pass_fail_na', { finding: { create: 'auto' } }),
      field(4, 'text', { required: true }),
      field(5, 'photo'),
      field(6, 'text', { required: true, visible_if: { field_id: ITEM, op: 'eq', value: 'fail' } }),
      field(7),
    ]),
    section(20, [field(21, 'pass_fail_na', { required: true, finding: { create: 'auto' } })], {
      repeat: { min: 0, max: 10 },
    }),
  ],
};

const row = (field_id: string, value: unknown) => ({ section_id: SECTION, field_id, value });

const inRoom = (n: number, value: unknown) => ({
  section_id: ROOM,
  field_id: DOOR,
  instance_path: room(n),
  value,
});

/** Saves answers, all of which must be accepted. */
const saveAll = async (inspection: { id: string }, responses: object[]): Promise<void> => {
  const { results } = await person.answers.save({ ...of(inspection), body: { responses } });
  expect(results.map(({ status }: { status: string }) => status)).toEqual(responses.map(() => 'saved'));
};

const complete = (inspection: { id: string }): Promise<Inspection> =>
  person.inspections.advance(of(inspection));

/** An inspection that is answered: `ITEM` and the door of the second room have failed. */
const answered = async (body: Record<string, unknown> = {}): Promise<Inspection> => {
  const first = await startedInspection(person, { family: { content: CONTENT }, ...body });
  await saveAll(first, [
    row(ITEM, 'fail'),
    row(LEAK, 'Below the sink'),
    row(ALARM, 'pass'),
    row(TEXT, 'White walls'),
    row(PHOTO, [{ document_id: await newDocument(person) }]),
    inRoom(0, 'pass'),
    inRoom(1, 'fail'),
  ]);
  return first;
};

const inspected = async (body?: Record<string, unknown>): Promise<Inspection> =>
  complete(await answered(body));

const again = (first: { id: string }, body: object = {}): Promise<Inspection> =>
  person.inspections.createReinspection({ ...of(first), body });

/** A started re-inspection in which all passes. */
const passing = async (first: { id: string }, body?: object): Promise<Inspection> => {
  const inspection = await start(person.key, await again(first, body));
  await saveAll(inspection, [row(ITEM, 'pass'), inRoom(1, 'pass')]);
  return inspection;
};

const answersOf = (inspection: { id: string }): Promise<AnswerRecord[]> =>
  person.answers.list(of(inspection));

const shown = async (inspection: { id: string }) =>
  (await answersOf(inspection)).map(({ field_id, instance_path, value, is_carried_over, is_asked_again }) => [
    field_id,
    instance_path,
    value,
    (is_carried_over && 'carried over') || (is_asked_again && 'asked again'),
  ]);

const findingsOf = (inspection: { id: string }): Promise<Finding[]> => person.findings.list(of(inspection));

const actionsOf = (inspection: { id: string }): Promise<CorrectiveAction[]> =>
  person.correctiveActions.list(of(inspection));

const statusesOf = async (inspection: { id: string }) => [
  (await findingsOf(inspection)).map(({ status }) => status),
  (await actionsOf(inspection)).map(({ status }) => status),
];

const current = (inspection: { id: string }): Promise<Inspection> => person.inspections.get(of(inspection));

const refusal = async (inspection: { id: string }, body: object = {}) => {
  const { status, body: reply } = await person.try.inspections.createReinspection({
    ...of(inspection),
    body,
  });
  return [status, reply.detail];
};

const cleanups = async () => (await waitingTasks(person.caller)).filter(({ outbox }) => outbox === 'cleanup');

const expectConsistent = async () => {
  const { differences } = await checkOrganization(person.caller, { repair: false });
  expect(differences).toEqual([]);
};

beforeEach(async () => {
  person = await newPerson('Health department');
});

describe('POST /inspections/{inspection_id}/reinspection', () => {
  test('201 with what failed to answer, and all else carried over', async () => {
    const client_account_id = (await newClient(person)).id;
    const location_id = (await newLocation(person, client_account_id)).id;
    const first = await inspected({ location_id, approver_id: person.adminId, name: 'Kitchen' });
    const inspection = await again(first, { due_at: '2030-01-01T00:00:00Z', external_ref: 'again-1' });
    expect(inspection).toMatchObject({
      name: 'Kitchen',
      status: 'scheduled',
      source: 'reinspection',
      reinspection_of_id: first.id,
      reinspection_scope: 'failed',
      client_account_id,
      location_id,
      template_id: first.template_id,
      approver_id: person.adminId,
      external_ref: 'again-1',
      findings_count: 0,
      progress: { answered: 4, required: 4, total: 7 },
    });
    expect(await shown(inspection)).toEqual([
      [ITEM, '', null, 'asked again'],
      [ALARM, '', 'pass', 'carried over'],
      [TEXT, '', 'White walls', 'carried over'],
      [PHOTO, '', [expect.anything()], 'carried over'],
      [LEAK, '', null, 'asked again'],
      [DOOR, room(0), 'pass', 'carried over'],
      [DOOR, room(1), null, 'asked again'],
    ]);
    const [item, alarm] = await answersOf(inspection);
    const [, , before] = await answersOf(first);
    expect(item!.earlier_finding_id).toBe((await findingsOf(first))[0]!.id);
    expect(alarm).toMatchObject({ version: 1, answered_by: person.caller.user_id });
    expect(before).toMatchObject({ is_carried_over: false, is_asked_again: false, earlier_finding_id: null });
    const { score } = await person.inspections.getScore(of(inspection));
    expect(score).toMatchObject({ percentage: 100 });
    expect(await eventsOf(person, inspection.id)).toEqual(['inspection.created']);
    await expectConsistent();
  });

  test('201 with participants and approver of the first one, except those who cannot any more', async () => {
    const [stays, leaves] = await Promise.all(['Stays', 'Leaves'].map((name) => newColleague(person, name)));
    const first = await answered({
      participants: [
        { user_id: person.caller.user_id },
        { user_id: stays!.user_id, role: 'signatory' },
        { user_id: leaves!.user_id, role: 'signatory' },
      ],
      approver_id: person.adminId,
    });
    await complete(first);
    await suspend(person, leaves!.user_id);
    await suspend(person, person.adminId);
    const inspection = await again(first);
    const { items: told } = await as(stays!.key).notifications.listMy();
    expect(told[0]).toMatchObject({ event: 'inspection_assigned', inspection_id: inspection.id });
    expect(inspection.approver_id).toBeNull();
    expect(inspection.participants).toMatchObject([
      { user_id: person.caller.user_id, role: 'inspector', status: 'assigned', submitted_at: null },
      { user_id: stays!.user_id, role: 'signatory', status: 'assigned' },
    ]);
    expect(await refusal(first, { participants: [{ user_id: leaves!.user_id }] })).toEqual([
      400,
      expect.stringContaining('participants.0.user_id'),
    ]);
  });

  test('409 for an answer that is carried over, and for one that is not part of what failed, in batches by row', async () => {
    const inspection = await again(await inspected());
    for (const [body, error] of [
      [row(ALARM, 'fail'), errors.answerCarriedOver()],
      [row(NOTE, 'Dry'), errors.notAskedAgain()],
      [inRoom(5, 'fail'), errors.notAskedAgain()],
    ] as const) {
      const refused = await person.try.answers.replace({ ...of(inspection), body });
      expect([refused.status, refused.body.detail]).toEqual([409, error.detail]);
    }
    const gone = await person.try.answers.deleteInstance({
      ...of(inspection),
      query: { instance_path: room(1) },
    });
    const body = { section_id: ROOM, client_instance_id: 'phone-1' };
    const reserved = await person.try.answers.createInstance({ ...of(inspection), body });
    expect([gone.status, reserved.status]).toEqual([409, 409]);
    const responses = [row(ITEM, 'fail'), row(TEXT, 'Red walls'), row(LEAK, 'Again'), row(NOTE, 'New')];
    const { results } = await person.answers.save({ ...of(inspection), body: { responses } });
    expect(results.map(({ status }: { status: string }) => status)).toEqual([
      'saved',
      'conflict',
      'saved',
      'conflict',
    ]);
    expect((await current(inspection)).progress).toEqual({ answered: 6, required: 5, total: 8 });
    await expectConsistent();
  });

  test('409 to submit while what failed is not answered, though nothing else is in its instance', async () => {
    const inspection = await start(person.key, await again(await inspected()));
    await answer(person, inspection, ITEM, 'pass');
    const { status, body } = await person.try.inspections.advance(of(inspection));
    expect([status, body.detail]).toEqual([409, expect.stringContaining(room(1))]);
    await saveAll(inspection, [inRoom(1, 'pass')]);
    expect((await complete(inspection)).status).toBe('completed');
  });

  test('201 with start answers of its own; what they make required can be answered, nothing else', async () => {
    const isFull = { start_key: 'visit', op: 'eq', value: 'full' };
    const content = {
      ...contentWith(
        field(2, 'pass_fail_na', { required: true, finding }),
        field(3, 'text', { required: true, visible_if: isFull }),
        field(4, 'text', { visible_if: isFull }),
      ),
      start: {
        fields: ['visit', 'guest'].map((key) => ({ key, type: 'text', label: key })),
      },
    };
    const start_answers = { visit: 'short', guest: 'Eve' };
    const first = await startedInspection(person, { family: { content }, start_answers });
    await answer(person, first, ITEM, 'fail');
    await complete(first);
    expect((await again(first)).start_answers).toEqual(start_answers);
    const inspection = await again(first, { start_answers: { visit: 'full' } });
    expect(inspection).toMatchObject({
      start_answers: { visit: 'full', guest: 'Eve' },
      progress: { answered: 0, required: 2, total: 3 },
    });
    await saveAll(inspection, [row(ITEM, 'pass'), row(uuid(3), 'Long')]);
    const refused = await person.try.answers.replace({ ...of(inspection), body: row(uuid(4), 'No') });
    expect(refused.body.detail).toBe(errors.notAskedAgain().detail);
    expect((await refusal(first, { start_answers: { unknown: 1 } }))[0]).toBe(422);
  });

  test('201 with everything asked again for the scope all', async () => {
    const first = await inspected();
    const inspection = await again(first, { scope: 'all' });
    expect(inspection).toMatchObject({ reinspection_scope: 'all', progress: { answered: 0 } });
    expect(await shown(inspection)).toEqual([
      [ITEM, '', null, 'asked again'],
      [DOOR, room(1), null, 'asked again'],
    ]);
    await saveAll(inspection, [row(NOTE, 'Dry'), row(ALARM, 'pass'), inRoom(7, 'pass')]);
  });

  test('201 with the published version: without dropped fields, with new ones to answer', async () => {
    const first = await inspected();
    const family_id = first.template_family_id;
    const draft = await person.versions.openDraft({ params: { family_id } });
    const [body] = CONTENT.sections;
    await person.versions.updateTemplateContent({
      params: { template_id: draft.id },
      body: {
        content: {
          sections: [
            {
              ...body,
              fields: [
                field(2, 'pass_fail_na', { required: true, finding }),
                field(4, 'text', { required: true, max_length: 5 }),
                field(7, 'text', { required: true }),
                field(8),
              ],
            },
          ],
        },
      },
    });
    await publish(person.key, draft.id);
    const inspection = await again(first, { template: 'current' });
    expect(inspection.template_id).toBe(draft.id);
    expect(await shown(inspection)).toEqual([
      [ITEM, '', null, 'asked again'],
      [TEXT, '', null, 'asked again'],
      [NOTE, '', null, 'asked again'],
      [uuid(8), '', null, 'asked again'],
    ]);
    expect((await again(first)).template_id).toBe(first.template_id);
    await start(person.key, inspection);
    await saveAll(inspection, [row(ITEM, 'pass'), row(TEXT, 'White'), row(NOTE, 'Dry')]);
    await complete(inspection);
    expect((await findingsOf(first)).map(({ status }) => status)).toEqual(['resolved', 'open']);
  });

  test('409 for one that somebody begins to correct just before', async () => {
    const inspection = await inspected();
    const correct = beforeWriting(() =>
      person.corrections.create({ ...of(inspection), body: { reason: 'Typo' } }),
    );
    const refused = await withFault(correct, () => refusal(inspection));
    expect(refused).toEqual([409, errors.beingCorrected('completed').detail]);
  });

  test('409 unless it is completed, has failed, is not being corrected, and its family is published', async () => {
    const open = await answered();
    expect(await refusal(open)).toEqual([409, expect.stringContaining('in_progress')]);
    await complete(open);
    await person.corrections.create({ ...of(open), body: { reason: 'Typo' } });
    expect(await refusal(open)).toEqual([409, errors.beingCorrected('completed').detail]);
    const archived = await inspected();
    await person.inspections.archive(of(archived));
    expect(await refusal(archived)).toEqual([409, expect.stringContaining('archived')]);
    const fine = await startedInspection(person, { family: { content: CONTENT } });
    await saveAll(fine, [row(ITEM, 'pass'), row(TEXT, 'White')]);
    await complete(fine);
    expect(await refusal(fine)).toEqual([409, errors.nothingFailed('completed').detail]);
    expect((await again(fine, { scope: 'all' })).reinspection_of_id).toBe(fine.id);
    const last = await inspected();
    const params = { family_id: last.template_family_id };
    await person.families.archive({ params });
    expect(await refusal(last)).toEqual([409, errors.familyStatus('archived', 'published').detail]);
  });

  test('201 asking again what the caller names, with another room and without the one that failed', async () => {
    const first = await inspected();
    const add = [{ section_id: ROOM, parent_path: '', client_instance_id: 'attic' }];
    const body = { also_ask: [TEXT], instances: { add, remove: [room(1)] } };
    const inspection = await start(person.key, await again(first, body));
    const rooms = (await shown(inspection)).filter(([, path]) => path !== '');
    expect(rooms).toEqual([
      [DOOR, room(0), 'pass', 'carried over'],
      [DOOR, room(2), null, 'asked again'],
    ]);
    expect((await shown(inspection)).find(([id]) => id === TEXT)).toEqual([TEXT, '', null, 'asked again']);
    const attic = await person.answers.createInstance({ ...of(inspection), body: add[0] });
    expect(attic).toMatchObject({ instance_path: room(2) });
    await saveAll(inspection, [row(ITEM, 'pass'), row(TEXT, 'Grey'), inRoom(2, 'fail')]);
    expect((await complete(inspection)).status).toBe('completed');
    expect(await findingsOf(first)).toMatchObject([{ status: 'resolved' }, { status: 'open' }]);
    await expectConsistent();
  });

  test('201 for a named field in the rooms that failed alone, or in all when none has', async () => {
    const first = await inspected();
    const asked = async (inspection: { id: string }) =>
      (await shown(inspection)).filter(([id, , , how]) => id === DOOR && how === 'asked again').length;
    expect(await asked(await again(first, { also_ask: [DOOR] }))).toBe(1);
    const second = await complete(await passing(first));
    expect(await asked(await again(second, { also_ask: [DOOR] }))).toBe(2);
  });

  test('400, 409 and 422 for what it cannot ask, add or remove', async () => {
    const first = await inspected();
    const answerTo = async (body: object) => {
      const { status, body: refused } = await person.try.inspections.createReinspection({
        ...of(first),
        body,
      });
      return [status, typeof refused.detail === 'string' ? '' : refused.detail[0].loc.join('.')];
    };
    const adding = (more: object) => ({ instances: { add: [{ client_instance_id: 'a', ...more }] } });
    const removing = (...remove: string[]) => ({ instances: { remove } });
    expect(await answerTo({ also_ask: [uuid(99)] })).toEqual([400, '']);
    expect(await answerTo(adding({ section_id: uuid(99) }))).toEqual([400, '']);
    expect(await answerTo(adding({ section_id: SECTION }))).toEqual([422, 'body.instances.add.0.section_id']);
    expect(await answerTo(removing(room(0), room(7)))).toEqual([422, 'body.instances.remove.1']);
    expect(await answerTo({ scope: 'all', ...removing(room(0)) })).toEqual([422, 'body.instances.remove']);
  });

  test('201 for two at once: both are listed, and the first that passes resolves', async () => {
    const first = await inspected();
    const [one, other] = await Promise.all([passing(first), passing(first)]);
    expect(await current(first)).toMatchObject({ reinspections_count: 2 });
    const query = { reinspection_of_id: first.id };
    const listed: Inspection[] = await person.inspections.list({ query });
    expect(new Set(listed.map(({ id }) => id))).toEqual(new Set([one.id, other.id]));
    expect(await person.inspections.list({ query: { ...query, limit: 1 } })).toHaveLength(1);
    const stranger = await newPerson('Stranger');
    expect(await stranger.inspections.list({ query })).toEqual([]);
    await Promise.all([complete(one), complete(other)]);
    const [resolved] = await findingsOf(first);
    expect([one.id, other.id]).toContain(resolved!.resolved_by_inspection_id);
    expect(await statusesOf(first)).toEqual([['resolved', 'resolved'], ['pending_verification']]);
    await expectConsistent();
  });

  test('201 with what a finding is open at, also where the answer has not failed', async () => {
    const first = await startedInspection(person, { family: { content: CONTENT } });
    await saveAll(first, [row(ITEM, 'pass'), row(TEXT, 'White')]);
    await person.findings.create({ ...of(first), body: { label: 'Cracks', field_id: TEXT } });
    await person.findings.create({ ...of(first), body: { label: 'Whole house' } });
    await complete(first);
    const inspection = await start(person.key, await again(first));
    expect((await answersOf(inspection)).filter((each) => each.is_asked_again)).toMatchObject([
      { field_id: TEXT },
    ]);
    await answer(person, inspection, TEXT, 'White, filled');
    await complete(inspection);
    expect(await findingsOf(first)).toMatchObject([{ status: 'resolved' }, { status: 'open' }]);
  });
});

describe('POST /inspections/{inspection_id}/advance of a re-inspection', () => {
  test('200 and what passed is resolved, with its action, history and events', async () => {
    const first = await inspected();
    const inspection = await passing(first);
    expect(await statusesOf(first)).toEqual([['open', 'open'], ['open']]);
    const before = await eventsOf(person, first.id);
    await complete(inspection);
    const { user_id } = person.caller;
    expect(await findingsOf(first)).toMatchObject(
      [1, 2].map(() => ({
        status: 'resolved',
        resolved_at: expect.any(String),
        resolved_by: user_id,
        resolved_by_inspection_id: inspection.id,
      })),
    );
    const [action] = await actionsOf(first);
    expect(action).toMatchObject({ status: 'pending_verification', completed_by: user_id });
    const activity = await person.correctiveActions.listActivity({
      params: { ca_id: action!.id },
    });
    expect(activity.at(-1)).toMatchObject({
      kind: 'status_changed',
      from: 'open',
      to: 'pending_verification',
    });
    expect((await eventsOf(person, first.id)).slice(before.length).toSorted()).toEqual([
      'corrective_action.status_changed',
      'finding.updated',
      'finding.updated',
    ]);
    const historyOf = async (of_: { id: string }) =>
      (await person.inspections.listActivity(of(of_))).flatMap(
        ({ kind, inspection_id }: { kind: string; inspection_id?: string }) =>
          inspection_id ? [[kind, inspection_id]] : [],
      );
    expect(await historyOf(first)).toEqual([
      ['reinspection_created', inspection.id],
      ['findings_resolved', inspection.id],
    ]);
    expect(await historyOf(inspection)).toEqual([['created', first.id]]);
    expect(await current(first)).toMatchObject({ findings_count: 2, open_corrective_actions_count: 1 });
    await expectConsistent();
  });

  test('200 and what fails again stays open, without a second finding, until another one passes', async () => {
    const first = await inspected();
    const second = await start(person.key, await again(first));
    await saveAll(second, [row(ITEM, 'fail'), row(LEAK, 'Still there'), inRoom(1, 'na')]);
    await complete(second);
    expect(await statusesOf(first)).toEqual([['open', 'open'], ['open']]);
    expect(await findingsOf(second)).toEqual([]);
    const third = await start(person.key, await again(second));
    expect((await shown(third)).filter(([, , , how]) => how === 'asked again')).toEqual([
      [ITEM, '', null, 'asked again'],
      [LEAK, '', null, 'asked again'],
      [DOOR, room(1), null, 'asked again'],
    ]);
    await saveAll(third, [row(ITEM, 'pass'), inRoom(1, 'pass')]);
    await complete(third);
    expect(await statusesOf(first)).toEqual([['resolved', 'resolved'], ['pending_verification']]);
    expect((await findingsOf(first))[0]!.resolved_by_inspection_id).toBe(third.id);
    await expectConsistent();
  });

  test('200 and what fails again has a finding of its own once somebody has resolved the first', async () => {
    const first = await inspected();
    const inspection = await again(first);
    const [, door] = await findingsOf(first);
    await person.findings.update({
      params: { finding_id: door!.id },
      body: { status: 'resolved' },
    });
    await saveAll(inspection, [inRoom(1, 'fail')]);
    expect(await findingsOf(inspection)).toMatchObject([{ field_id: DOOR, instance_path: room(1) }]);
  });

  test('200, and an action without the evidence that it requires stays as it is', async () => {
    const first = await inspected();
    const [item] = await findingsOf(first);
    await person.correctiveActions.create({
      params: { finding_id: item!.id },
      body: { title: 'Photograph it', evidence_required: true },
    });
    await complete(await passing(first));
    expect(await statusesOf(first)).toEqual([
      ['resolved', 'resolved'],
      ['pending_verification', 'open'],
    ]);
    await expectConsistent();
  });

  test('200, and an archived first inspection stays as it is', async () => {
    const first = await inspected();
    const inspection = await passing(first);
    await person.inspections.archive(of(first));
    expect((await complete(inspection)).status).toBe('completed');
    expect(await statusesOf(first)).toEqual([['open', 'open'], ['open']]);
  });

  test('500 when it breaks off after the step, and a worker resolves the rest', async () => {
    const first = await inspected();
    const inspection = await passing(first);
    let commits = 0;
    const breakOff = on(
      ({ command }) => command === 'TransactWriteItems' && (commits += 1) === 2,
      async () => {
        throw sdkError('ValidationException');
      },
    );
    const reply = await withFault(breakOff, () => person.try.inspections.advance(of(inspection)));
    expect(reply.status).toBe(500);
    expect((await current(inspection)).status).toBe('completed');
    expect((await statusesOf(first))[0]).toEqual(['open', 'open']);
    const task = (await cleanups()).find(({ data }) => data['reinspection_id'] === inspection.id)!;
    for (const _ of [1, 2]) expect(await deliver(deleteRemains.handler, task)).toBe(true);
    expect(await statusesOf(first)).toEqual([['resolved', 'resolved'], ['pending_verification']]);
    expect((await findingsOf(first))[0]!.resolved_by).toBe(person.caller.user_id);
  });

  test('200, and a finding that somebody opens again stays open when the worker comes', async () => {
    const first = await inspected();
    const inspection = await passing(first);
    await complete(inspection);
    const [item] = await findingsOf(first);
    const reopened = { params: { finding_id: item!.id }, body: { status: 'open' } };
    await person.findings.update(reopened);
    const task = (await cleanups()).find(({ data }) => data['reinspection_id'] === inspection.id)!;
    expect(await deliver(deleteRemains.handler, task)).toBe(true);
    expect(await findingsOf(first)).toMatchObject([
      { status: 'open', resolved_by_inspection_id: null },
      { status: 'resolved' },
    ]);
  });

  test('200 with more findings than one transaction can resolve', async () => {
    const many = Array.from({ length: 40 }, (_, n) => field(100 + n, 'pass_fail_na', { finding }));
    const content = { sections: [section(1, many)] };
    const first = await startedInspection(person, { family: { content } });
    const rows = (value: string) => many.map(({ id }) => row(id, value));
    await saveAll(first, rows('fail'));
    await complete(first);
    const inspection = await start(person.key, await again(first));
    await saveAll(inspection, rows('pass'));
    await complete(inspection);
    const [findings, actions] = await statusesOf(first);
    expect(new Set(findings)).toEqual(new Set(['resolved']));
    expect(actions).toEqual(many.map(() => 'pending_verification'));
    await expectConsistent();
  });
});

describe('DELETE /inspections/{inspection_id} of an inspection or its re-inspection', () => {
  test('the first one counts all that follow from it, until one of them is deleted', async () => {
    const first = await inspected();
    const second = await complete(await passing(first));
    await again(second, { scope: 'all' });
    const countOf = async (each: Inspection) => (await current(each)).reinspections_count;
    expect([await countOf(first), await countOf(second)]).toEqual([2, 1]);
    await expectConsistent();
    await inspections.deleteWhole(person.caller, second.id);
    expect(await countOf(first)).toBe(0);
    await expectConsistent();
  });

  test('409 for the first one; 204 for one that holds nothing of its own, and its documents are released', async () => {
    const first = await inspected();
    const inspection = await again(first);
    const refused = await person.try.inspections.delete(of(first));
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('1 re-inspection')]);
    const photo = (await answersOf(first)).find(({ field_id }) => field_id === PHOTO)!;
    const [{ document_id }] = photo.value as [{ document_id: string }];
    const uses = async () => (await person.documents.get({ params: { document_id } })).used_by_count;
    expect(await uses()).toBe(2);
    await answer(person, inspection, ITEM, 'pass');
    expect((await person.try.inspections.delete(of(inspection))).body.detail).toContain('1 answer.');
    await answer(person, inspection, ITEM, null);
    expect((await person.try.inspections.delete(of(inspection))).status).toBe(204);
    for (const task of await cleanups()) await deliver(deleteRemains.handler, task);
    expect(await uses()).toBe(1);
    expect(await current(first)).toMatchObject({ reinspections_count: 0 });
    await expectConsistent();
  });

  test('200 for the re-inspection after the first one was deleted whole: answers, documents, completion, report', async () => {
    const first = await inspected();
    const inspection = await passing(first);
    await inspections.deleteWhole(person.caller, first.id);
    const photo = (await answersOf(inspection)).find(({ field_id }) => field_id === PHOTO)!;
    const [{ document_id }] = photo.value as [{ document_id: string }];
    expect((await person.try.documents.get({ params: { document_id } })).status).toBe(200);
    expect((await complete(inspection)).status).toBe('completed');
    const payload = await person.reports.getPayload(of(inspection));
    expect(payload.compared_with).toBeUndefined();
    await inspections.deleteWhole(person.caller, inspection.id);
    expect((await person.try.documents.get({ params: { document_id } })).body.used_by_count).toBe(0);
    await expectConsistent();
  });
});

describe('org check', () => {
  test('finds and repairs a count of re-inspections that is wrong, and a row that lists one and is gone', async () => {
    const [first, other] = [await inspected(), await inspected()];
    await again(first);
    const { id } = await again(other);
    const { caller } = person;
    await change(caller, () => ({
      writes: [
        write.update(inspectionRecords.key(caller, first.id), { set: { reinspections_count: 5 } }),
        write.drop(keys.reinspection(caller, other.id, id)),
      ],
      reply: undefined,
    }));
    const found = await checkOrganization(caller, { repair: true });
    expect(found.differences.map(({ id: wrong }) => wrong)).toContain(first.id);
    // The count follows from the rows, so one that was repaired is counted by the next check.
    await checkOrganization(caller, { repair: true });
    await expectConsistent();
    const query = { reinspection_of_id: other.id };
    expect(await person.inspections.list({ query })).toMatchObject([{ id }]);
    for (const each of [first, other]) expect(await current(each)).toMatchObject({ reinspections_count: 1 });
  });
});

describe('GET /inspections/{inspection_id}/report-payload of a re-inspection', () => {
  test('200 with both answers for what was asked again, and with the earlier findings', async () => {
    const first = await inspected();
    const inspection = await passing(first);
    await complete(inspection);
    const payload = await person.reports.getPayload(of(inspection));
    expect(payload.compared_with).toMatchObject({ id: first.id, number: first.number });
    const [item, alarm] = payload.sections[0].fields;
    expect(item).toMatchObject({
      answer: { options: [{ value: 'pass' }] },
      before: { answer: { options: [{ value: 'fail' }] }, is_failed: true },
    });
    expect(alarm).toMatchObject({ is_carried_over: true });
    expect(alarm.before).toBeUndefined();
    const [, door] = payload.sections[1].instances;
    expect(door.fields[0]).toMatchObject({ before: { is_failed: true } });
    expect(payload.findings).toMatchObject([
      { status: 'resolved', corrective_actions: [{ status: 'pending_verification' }] },
      { status: 'resolved', corrective_actions: [] },
    ]);
    const { id: layout_id } = await newLayout(person.key, first.template_family_id, {
      blocks: [{ kind: 'sections', options: { before: false } }],
    });
    const alone = await person.reports.getPayload({ ...of(inspection), query: { layout_id } });
    expect(alone.compared_with).toBeUndefined();
  });

  test('200 in a preview as HTML and as PDF', async () => {
    const first = await inspected({ name: 'Kitchen' });
    const inspection = await passing(first, { name: 'Kitchen, second visit' });
    const preview = (format: string) =>
      person.try.reports.getPreview({ ...of(inspection), query: { format } });
    const page = (await preview('html')).bytes.toString();
    const printed = (await readPdf((await preview('pdf')).bytes)).pages.join('\n');
    for (const text of [page, printed]) {
      for (const said of ['Before', `No. ${first.number}`, 'Carried over']) expect(text).toContain(said);
    }
  });
});
