import * as verifyCorrectiveAction from '../../functions/corrective-actions/verify-corrective-action.ts';
import * as archiveInspection from '../../functions/inspections/archive-inspection.ts';
import * as restoreInspection from '../../functions/inspections/restore-inspection.ts';
import * as summarizeInspections from '../../functions/inspections/summarize-inspections.ts';
import * as updateInspection from '../../functions/inspections/update-inspection.ts';
import * as listMyNotifications from '../../functions/notifications/list-my-notifications.ts';
import { handler } from '../../functions/workers/notify-due.ts';
import type { Deadline } from '../../shared/db/inspection-core/deadlines.ts';
import type { Row } from '../../shared/db/table/rows.ts';
import { dueDeadlines, tellOf } from '../../shared/db/upkeep/due-notices.ts';
import type { Notification } from '../../shared/schemas/notification.ts';
import { completedAction, moved, newAction, newFinding, patch } from '../corrective-actions/fixtures.ts';
import { advance, begun, newColleague, newInspection, UNDEMANDING } from '../inspections/fixtures.ts';
import { made } from '../support/call.ts';
import { mailTasks, newMember } from '../support/notices.ts';
import { newPerson, type Person } from '../support/people.ts';

const HOUR_MS = 3_600_000;
const DAY = 24;

const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();

let person: Person;
/** Another key of the organization, by whose notifications it is seen who is told. */
let colleague: Awaited<ReturnType<typeof newColleague>>;

beforeEach(async () => {
  person = await newPerson('Harbour');
  colleague = await newColleague(person, 'ERP');
});

/** What somebody has been told of dates, oldest first. */
const toldTo = async (key: string): Promise<string[]> => {
  const kind = ['overdue_inspections', 'ca_due', 'ca_due_soon'];
  const { items } = await made(listMyNotifications, { as: key, query: { kind } });
  return (items as Notification[]).map(({ event }) => event).toReversed();
};

const dueIn = async (hours: number): Promise<{ now: Date; deadlines: Row<Deadline>[] }> => {
  const now = new Date(Date.now() + hours * HOUR_MS);
  const deadlines = await dueDeadlines(now);
  return { now, deadlines: deadlines.filter(({ org_id }) => org_id === person.caller.org_id) };
};

/** The worker's turn so many hours from now, for this organization. */
const turnIn = async (hours: number): Promise<void> => {
  const { now, deadlines } = await dueIn(hours);
  for (const deadline of deadlines) await tellOf(deadline, now);
};

const of = ({ id }: { id: string }) => ({ as: person.key, params: { inspection_id: id } });

describe('notifyDue, of inspections', () => {
  const overdueFor = (body: object = {}) => newInspection(person, { due_at: inHours(1), ...body });

  test('tells whoever made it, once it is overdue and not before', async () => {
    await overdueFor();
    await turnIn(0.9);
    expect(await toldTo(person.key)).toEqual([]);
    await turnIn(1.1);
    expect(await toldTo(person.key)).toEqual(['overdue']);
    expect((await made(summarizeInspections, { as: person.key })).total).toBe(1);
  });

  test('tells of one that was late from the beginning, and counts it as before', async () => {
    const inspection = await newInspection(person, { due_at: inHours(-5) });
    await handler();
    const { items } = await made(listMyNotifications, {
      as: person.key,
      query: { kind: 'overdue_inspections' },
    });
    expect(items).toMatchObject([
      {
        inspection_id: inspection.id,
        title: `Inspection ${inspection.number} “${inspection.name}” is overdue.`,
        actor_id: null,
      },
    ]);
    expect(await made(summarizeInspections, { as: person.key })).toMatchObject({ overdue: 1 });
  });

  test('tells participants whose part is open, and those whom the family names', async () => {
    const ana = await newMember(person, 'Ana');
    const family = {
      ...UNDEMANDING,
      settings: { notifications: { on_overdue: { user_ids: [ana], emails: ['client@example.com'] } } },
    };
    const participants = [
      { user_id: colleague.user_id },
      { user_id: person.caller.user_id },
      { user_id: person.adminId, role: 'approver' },
    ];
    const inspection = await begun(person, { due_at: inHours(1), family, participants });
    await advance(person.key, inspection);
    await turnIn(2);
    expect(await toldTo(colleague.key)).toEqual(['overdue']);
    const { data } = (await mailTasks(person)).at(-1)!;
    expect(data).toMatchObject({
      user_ids: [colleague.user_id, person.caller.user_id, ana],
      emails: ['client@example.com'],
    });
  });

  test('tells once, however often and by however many it is found', async () => {
    await overdueFor();
    const { now, deadlines } = await dueIn(2);
    await Promise.all(Array.from({ length: 6 }, () => tellOf(deadlines[0]!, now)));
    await turnIn(3);
    expect(await toldTo(person.key)).toEqual(['overdue']);
  });

  test('tells again of a date that was moved, and not of one that came back', async () => {
    const inspection = await overdueFor();
    await turnIn(2);
    await made(updateInspection, { ...of(inspection), body: { due_at: inHours(4) } });
    await turnIn(3);
    expect(await toldTo(person.key)).toEqual(['overdue']);
    await turnIn(5);
    expect(await toldTo(person.key)).toEqual(['overdue', 'overdue']);
    const late = await newInspection(person, { due_at: inHours(-1) });
    await turnIn(0);
    await made(archiveInspection, of(late));
    await made(restoreInspection, of(late));
    await turnIn(0);
    expect(await toldTo(person.key)).toHaveLength(3);
  });

  test('tells nobody of one that was handed in in time', async () => {
    const inspection = await begun(person, { due_at: inHours(1), family: UNDEMANDING });
    const { now, deadlines } = await dueIn(2);
    await advance(person.key, inspection);
    for (const deadline of deadlines) await tellOf(deadline, now);
    await turnIn(2);
    expect(await toldTo(person.key)).toEqual([]);
  });
});

describe('notifyDue, of corrective actions', () => {
  const dated = (hours: number, body: object = {}) =>
    newAction(person, { due_at: inHours(hours), assignee_id: colleague.user_id, ...body });

  test('tells its assignee and whoever made it a day before it is due, and when it is', async () => {
    await dated(2 * DAY);
    await turnIn(DAY - 1);
    expect(await toldTo(colleague.key)).toEqual([]);
    await turnIn(DAY + 1);
    await turnIn(DAY + 2);
    expect(await toldTo(colleague.key)).toEqual(['corrective_action_due_soon']);
    await turnIn(2 * DAY + 1);
    await turnIn(2 * DAY + 2);
    const both = ['corrective_action_due_soon', 'corrective_action_due'];
    expect(await toldTo(colleague.key)).toEqual(both);
    expect(await toldTo(person.key)).toEqual(both);
  });

  test('tells the one who has it by then', async () => {
    const action = await dated(2 * DAY);
    await patch(person, action, { assignee_id: person.caller.user_id });
    await turnIn(3 * DAY);
    expect(await toldTo(colleague.key)).toEqual([]);
    expect(await toldTo(person.key)).toEqual(['corrective_action_due']);
  });

  test('does not say soon of what is due already', async () => {
    await dated(-1);
    await turnIn(0);
    await turnIn(0);
    expect(await toldTo(colleague.key)).toEqual(['corrective_action_due']);
  });

  test('tells once, however often and by however many it is found', async () => {
    await dated(1);
    const { now, deadlines } = await dueIn(0);
    await Promise.all(Array.from({ length: 6 }, () => tellOf(deadlines[0]!, now)));
    expect(await toldTo(colleague.key)).toEqual(['corrective_action_due_soon']);
  });

  test('tells of a date that was moved, and of none that was taken away', async () => {
    const action = await dated(1);
    await turnIn(0);
    await patch(person, action, { due_at: inHours(3 * DAY) });
    await turnIn(2);
    expect(await toldTo(colleague.key)).toEqual(['corrective_action_due_soon']);
    await patch(person, action, { due_at: null });
    await turnIn(4 * DAY);
    expect(await toldTo(colleague.key)).toEqual(['corrective_action_due_soon']);
  });

  test('tells of none that is done, and of what is ahead where it has to be done again', async () => {
    const late = await completedAction(person, { due_at: inHours(-1), assignee_id: colleague.user_id });
    const soon = await completedAction(person, { due_at: inHours(1), assignee_id: colleague.user_id });
    await turnIn(2);
    expect(await toldTo(colleague.key)).toEqual([]);
    for (const { id: ca_id } of [late, soon]) {
      await made(verifyCorrectiveAction, { as: person.key, params: { ca_id }, body: { accepted: false } });
    }
    await turnIn(0);
    expect(await toldTo(colleague.key)).toEqual([]);
    await turnIn(2);
    expect(await toldTo(colleague.key)).toEqual(['corrective_action_due']);
    await moved(person, soon, 'cancelled');
    await turnIn(3);
    expect(await toldTo(colleague.key)).toEqual(['corrective_action_due']);
  });

  test('tells of none in an inspection that is archived', async () => {
    const inspection = await begun(person);
    const finding = await newFinding(person, {}, inspection);
    await newAction(person, { due_at: inHours(-1) }, finding);
    await made(archiveInspection, of(inspection));
    const { now, deadlines } = await dueIn(0);
    for (const deadline of deadlines.filter(({ inspection_id }) => inspection_id === inspection.id)) {
      await tellOf(deadline, now);
    }
    expect(await toldTo(person.key)).toEqual([]);
  });
});
