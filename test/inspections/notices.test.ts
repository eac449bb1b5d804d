import * as reopenPart from '../../functions/inspections/reopen-part.ts';
import * as restoreInspection from '../../functions/inspections/restore-inspection.ts';
import * as updateInspection from '../../functions/inspections/update-inspection.ts';
import * as listMyNotifications from '../../functions/notifications/list-my-notifications.ts';
import { call, made } from '../support/call.ts';
import { installFaults, on, sdkError, withFault } from '../support/faults.ts';
import { mailTasks } from '../support/notices.ts';
import { newPerson, type Person } from '../support/people.ts';
import { contentWith, field } from '../templates/fixtures.ts';
import { advance, begun, newColleague, newInspection } from './fixtures.ts';

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
  settings: { approval: { allow_api: true } },
};

/** What somebody is told of, the oldest first. */
const toldTo = async ({ key }: { key: string }): Promise<string[]> => {
  const { items } = await made(listMyNotifications, { as: key });
  return items.map(({ event }: { event: string }) => event).toReversed();
};

const shared = (family: object = FAMILY) =>
  begun(ana, {
    family,
    approver_id: approver.user_id,
    participants: [{ user_id: inspector.user_id }, { user_id: second.user_id }],
  });

describe('the steps of an inspection', () => {
  test('tell the inspectors, the approver and the creator what concerns them, and nobody else', async () => {
    const inspection = await shared();
    await advance(inspector.key, inspection);
    await made(reopenPart, { as: inspector.key, params: { inspection_id: inspection.id } });
    await advance(inspector.key, inspection);
    await advance(second.key, inspection);
    await advance(approver.key, inspection, { decision: 'request_changes', comment: 'Blurred' });
    await advance(inspector.key, inspection);
    await advance(second.key, inspection);
    await advance(approver.key, inspection, { decision: 'approve' });
    expect(await toldTo(inspector)).toEqual([
      'inspection_assigned',
      'changes_requested',
      'approved',
      'completed',
    ]);
    expect(await toldTo(second)).toEqual([
      'inspection_assigned',
      'part_reopened',
      'changes_requested',
      'approved',
      'completed',
    ]);
    expect(await toldTo(approver)).toEqual(['part_reopened', 'approval_requested', 'approval_requested']);
    expect(await toldTo(ana)).toEqual(['part_reopened', 'changes_requested', 'approved', 'completed']);
    expect(await toldTo(outsider)).toEqual([]);
    const { items } = await made(listMyNotifications, { as: inspector.key });
    expect(items[2]).toMatchObject({ event: 'changes_requested', note: 'Blurred' });
  });

  test('tell of a rejection, and of a completion whom the family names', async () => {
    const rejected = await shared();
    await advance(inspector.key, rejected);
    await advance(second.key, rejected);
    await advance(approver.key, rejected, { decision: 'reject' });
    expect((await toldTo(inspector)).at(-1)).toBe('rejected');

    const on_completed = { user_ids: [outsider.user_id], emails: ['desk@example.com'] };
    const named = { content: FAMILY.content, settings: { notifications: { on_completed } } };
    await advance(ana.key, await begun(ana, { family: named }));
    expect(await toldTo(outsider)).toEqual(['completed']);
    const mails = await mailTasks(ana);
    expect(mails.at(-1)!.data).toMatchObject({ emails: ['desk@example.com'] });
  });

  test('tell of each rejection, also of what was taken out of the archive', async () => {
    const inspection = await begun(ana, { family: FAMILY, participants: [{ user_id: inspector.user_id }] });
    await advance(inspector.key, inspection);
    await advance(approver.key, inspection, { decision: 'reject' });
    const restored = await made(restoreInspection, { as: ana.key, params: { inspection_id: inspection.id } });
    expect(restored).toMatchObject({ status: 'pending_approval', approval_outcome: null });
    await advance(approver.key, inspection, { decision: 'reject' });
    expect(await toldTo(inspector)).toEqual(['inspection_assigned', 'rejected', 'rejected']);
  });

  test('tell nothing of participants who are put into another order, reopened ones among them', async () => {
    const inspection = await shared();
    const params = { inspection_id: inspection.id };
    await advance(inspector.key, inspection);
    await made(reopenPart, { as: inspector.key, params });
    const participants = inspection.participants.map(({ user_id }) => ({ user_id })).toReversed();
    await made(updateInspection, { as: ana.key, params, body: { participants } });
    expect(await toldTo(second)).toEqual(['inspection_assigned', 'part_reopened']);
  });

  test('tell only the participants who are new', async () => {
    const inspection = await newInspection(ana, { participants: [{ user_id: inspector.user_id }] });
    await made(updateInspection, {
      as: ana.key,
      params: { inspection_id: inspection.id },
      body: { participants: [{ user_id: inspector.user_id }, { user_id: second.user_id }] },
    });
    expect(await toldTo(inspector)).toEqual(['inspection_assigned']);
    expect(await toldTo(second)).toEqual(['inspection_assigned']);
  });

  test('tell nothing where the change itself is not made', async () => {
    const inspection = await shared();
    await advance(inspector.key, inspection);
    const before = await toldTo(second);
    const broken = on(
      ({ command }) => command === 'TransactWriteItems',
      async () => {
        throw sdkError('ValidationException');
      },
    );
    const reopen = () => call(reopenPart, { as: inspector.key, params: { inspection_id: inspection.id } });
    expect((await withFault(broken, reopen)).status).toBe(500);
    expect(await toldTo(second)).toEqual(before);
  });
});
