import { as } from '../support/call.ts';
import { contentWith, field } from '../support/content.ts';
import { installFaults, on, sdkError, withFault } from '../support/faults.ts';
import { mailTasks } from '../support/notices.ts';
import { newPerson, type Person } from '../support/people.ts';
import { advance, startedInspection, newColleague, newInspection } from './fixtures.ts';

installFaults();

type Colleague = Awaited<ReturnType<typeof newColleague>>;

let ana: Person;
let inspector: Colleague;
let second: Colleague;
let approver: Colleague;
let outsider: Colleague;

beforeEach(async () => {
  ana = await newPerson('Ana');
  [inspector, second, approver, outsider] = [
    await newColleague(ana, 'Ina'),
    await newColleague(ana, 'Sam'),
    await newColleague(ana, 'Apo'),
    await newColleague(ana, 'Out'),
  ];
});

const FAMILY = {
  content: contentWith(field(2)),
  requires_approval: true,
  settings: { approval: { allow_api: true, four_eyes: false } },
};

/** The events of somebody's notifications, oldest first. */
const notifiedOf = async ({ key }: { key: string }): Promise<string[]> => {
  const { items } = await as(key).notifications.listMy();
  return items.map(({ event }: { event: string }) => event).toReversed();
};

const teamInspection = (family: object = FAMILY) =>
  startedInspection(ana, {
    family,
    approver_id: approver.user_id,
    participants: [{ user_id: inspector.user_id }, { user_id: second.user_id }],
  });

describe('notifications of an inspection', () => {
  test('go to the approvers of the family, and to one of the inspection’s own', async () => {
    const family = {
      ...FAMILY,
      settings: {
        approval: { allow_api: true, four_eyes: false, approver_ids: [approver.user_id, second.user_id] },
      },
    };
    const inspection = await startedInspection(ana, {
      family,
      participants: [{ user_id: inspector.user_id }],
    });
    await advance(inspector.key, inspection);
    expect(await notifiedOf(approver)).toEqual(['approval_requested']);
    expect(await notifiedOf(second)).toEqual(['approval_requested']);
    const own = await startedInspection(ana, {
      family: {
        ...FAMILY,
        settings: { approval: { allow_api: true, four_eyes: false, approver_ids: [second.user_id] } },
      },
      approver_id: approver.user_id,
      participants: [{ user_id: inspector.user_id }],
    });
    await advance(inspector.key, own);
    const twice = ['approval_requested', 'approval_requested'];
    expect([await notifiedOf(approver), await notifiedOf(second)]).toEqual([twice, twice]);
    expect(await notifiedOf(outsider)).toEqual([]);
  });

  test('go to the inspectors, the approver and the creator, each about what concerns them, and to nobody else', async () => {
    const inspection = await teamInspection();
    await advance(inspector.key, inspection);
    await as(inspector).inspections.reopenPart({ params: { inspection_id: inspection.id } });
    await advance(inspector.key, inspection);
    await advance(second.key, inspection);
    await advance(approver.key, inspection, { decision: 'request_changes', comment: 'Blurred' });
    await advance(inspector.key, inspection);
    await advance(second.key, inspection);
    await advance(approver.key, inspection, { decision: 'approve' });
    expect(await notifiedOf(inspector)).toEqual([
      'inspection_assigned',
      'changes_requested',
      'approved',
      'completed',
    ]);
    expect(await notifiedOf(second)).toEqual([
      'inspection_assigned',
      'part_reopened',
      'changes_requested',
      'approved',
      'completed',
    ]);
    expect(await notifiedOf(approver)).toEqual(['part_reopened', 'approval_requested', 'approval_requested']);
    expect(await notifiedOf(ana)).toEqual(['part_reopened', 'changes_requested', 'approved', 'completed']);
    expect(await notifiedOf(outsider)).toEqual([]);
    const { items } = await as(inspector).notifications.listMy();
    expect(items[2]).toMatchObject({ event: 'changes_requested', note: 'Blurred' });
  });

  test('follow a rejection, and follow a completion for the people that the family names', async () => {
    const rejected = await teamInspection();
    await advance(inspector.key, rejected);
    await advance(second.key, rejected);
    await advance(approver.key, rejected, { decision: 'reject' });
    expect((await notifiedOf(inspector)).at(-1)).toBe('rejected');

    const on_completed = { user_ids: [outsider.user_id], emails: ['desk@example.com'] };
    const named = { content: FAMILY.content, settings: { notifications: { on_completed } } };
    await advance(ana.key, await startedInspection(ana, { family: named }));
    expect(await notifiedOf(outsider)).toEqual(['completed']);
    const mails = await mailTasks(ana);
    expect(mails.at(-1)!.data).toMatchObject({ emails: ['desk@example.com'] });
  });

  test('follow each rejection, also of an inspection that was restored', async () => {
    const inspection = await startedInspection(ana, {
      family: FAMILY,
      participants: [{ user_id: inspector.user_id }],
    });
    await advance(inspector.key, inspection);
    await advance(approver.key, inspection, { decision: 'reject' });
    const restored = await ana.inspections.restore({ params: { inspection_id: inspection.id } });
    expect(restored).toMatchObject({ status: 'pending_approval', approval_outcome: null });
    await advance(approver.key, inspection, { decision: 'reject' });
    expect(await notifiedOf(inspector)).toEqual(['inspection_assigned', 'rejected', 'rejected']);
  });

  test('do not follow a new order of the participants', async () => {
    const inspection = await teamInspection();
    const params = { inspection_id: inspection.id };
    await advance(inspector.key, inspection);
    await as(inspector).inspections.reopenPart({ params });
    const participants = inspection.participants.map(({ user_id }) => ({ user_id })).toReversed();
    await ana.inspections.update({ params, body: { participants } });
    expect(await notifiedOf(second)).toEqual(['inspection_assigned', 'part_reopened']);
  });

  test('go only to new participants when the participants change', async () => {
    const inspection = await newInspection(ana, { participants: [{ user_id: inspector.user_id }] });
    await ana.inspections.update({
      params: { inspection_id: inspection.id },
      body: { participants: [{ user_id: inspector.user_id }, { user_id: second.user_id }] },
    });
    expect(await notifiedOf(inspector)).toEqual(['inspection_assigned']);
    expect(await notifiedOf(second)).toEqual(['inspection_assigned']);
  });

  test('are not sent if the change fails', async () => {
    const inspection = await teamInspection();
    await advance(inspector.key, inspection);
    const before = await notifiedOf(second);
    const failing = on(
      ({ command }) => command === 'TransactWriteItems',
      async () => {
        throw sdkError('ValidationException');
      },
    );
    const reopen = () =>
      as(inspector).try.inspections.reopenPart({ params: { inspection_id: inspection.id } });
    expect((await withFault(failing, reopen)).status).toBe(500);
    expect(await notifiedOf(second)).toEqual(before);
  });
});
