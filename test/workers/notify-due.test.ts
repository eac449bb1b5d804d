import { handler } from '../../functions/workers/notify-due.ts';
import type { EventType } from '../../shared/schemas/event-data.ts';
import type { Notification } from '../../shared/schemas/notification.ts';
import type { DueRows } from '../../shared/table/entities/kinds.ts';
import { keys } from '../../shared/table/keys.ts';
import { queryRows, type Row } from '../../shared/table/rows.ts';
import { dueDeadlines, notifyOfDeadline } from '../../shared/upkeep/due-notices.ts';
import {
  completedAction,
  moveThrough,
  newAction,
  newFinding,
  patch,
} from '../corrective-actions/fixtures.ts';
import {
  advance,
  newColleague,
  newInspection,
  NOTHING_REQUIRED,
  start,
  startedInspection,
} from '../inspections/fixtures.ts';
import { generateAt, inspectionsOf, newSchedule } from '../schedules/fixtures.ts';
import { as } from '../support/call.ts';
import { mailTasks, newMember } from '../support/notices.ts';
import { waitingEvents } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';

const HOUR_MS = 3_600_000;
/** In hours, like the times of this file. */
const DAY = 24;
const MINUTE = 1 / 60;

const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();

let person: Person;
/** Another key of the organization, who can be notified too. */
let colleague: Awaited<ReturnType<typeof newColleague>>;

beforeEach(async () => {
  person = await newPerson('Harbour');
  colleague = await newColleague(person, 'ERP');
});

/** The notifications about due dates that someone has, the oldest first. */
const toldTo = async (key: string): Promise<string[]> => {
  const kind = ['overdue_inspections', 'ca_due', 'ca_due_soon'];
  const { items } = await as(key).notifications.listMy({ query: { kind } });
  return (items as Notification[]).map(({ event }) => event).toReversed();
};

const dueIn = async (hours: number): Promise<{ now: Date; deadlines: Row<DueRows['DEADLINE']>[] }> => {
  const now = new Date(Date.now() + hours * HOUR_MS);
  const deadlines = await Array.fromAsync(dueDeadlines(now));
  return { now, deadlines: deadlines.flat().filter(({ org_id }) => org_id === person.caller.org_id) };
};

/** What the worker does so many hours from now, for this organization. */
const turnIn = async (hours: number): Promise<void> => {
  const { now, deadlines } = await dueIn(hours);
  for (const deadline of deadlines) await notifyOfDeadline(deadline, now);
};

const of = ({ id }: { id: string }) => ({ params: { inspection_id: id } });

describe('notifyDue, of inspections', () => {
  const overdueFor = (body: object = {}) => newInspection(person, { due_at: inHours(1), ...body });

  test('notifies the creator when the inspection is overdue, and not before', async () => {
    await overdueFor();
    await turnIn(1 - MINUTE);
    expect(await toldTo(person.key)).toEqual([]);
    await turnIn(1 + MINUTE);
    expect(await toldTo(person.key)).toEqual(['overdue']);
    expect((await person.inspections.summarize()).total).toBe(1);
  });

  test('notifies at the due date, and not a millisecond before', async () => {
    const due_at = inHours(1);
    await overdueFor({ due_at });
    const { deadlines } = await dueIn(2);
    await notifyOfDeadline(deadlines[0]!, new Date(Date.parse(due_at) - 1));
    expect(await toldTo(person.key)).toEqual([]);
    await notifyOfDeadline(deadlines[0]!, new Date(due_at));
    expect(await toldTo(person.key)).toEqual(['overdue']);
  });

  test('notifies of an inspection that was overdue from the start, which still counts as overdue', async () => {
    const inspection = await newInspection(person, { due_at: inHours(-5) });
    await handler();
    const { items } = await person.notifications.listMy({
      query: { kind: 'overdue_inspections' },
    });
    expect(items).toMatchObject([
      {
        inspection_id: inspection.id,
        title: `Inspection ${inspection.number} “${inspection.name}” is overdue.`,
        actor_id: null,
      },
    ]);
    expect(await person.inspections.summarize()).toMatchObject({ overdue: 1 });
  });

  test('notifies participants whose part is open, and those whom the family names', async () => {
    const ana = await newMember(person, 'Ana');
    const family = {
      ...NOTHING_REQUIRED,
      settings: { notifications: { on_overdue: { user_ids: [ana], emails: ['client@example.com'] } } },
    };
    const participants = [
      { user_id: colleague.user_id },
      { user_id: person.caller.user_id },
      { user_id: person.adminId, role: 'approver' },
    ];
    const inspection = await startedInspection(person, { due_at: inHours(1), family, participants });
    await advance(person.key, inspection);
    await turnIn(2);
    expect(await toldTo(colleague.key)).toEqual(['overdue']);
    const { data } = (await mailTasks(person)).at(-1)!;
    expect(data).toMatchObject({
      user_ids: [colleague.user_id, person.caller.user_id, ana],
      emails: ['client@example.com'],
    });
  });

  test('notifies once, even when several workers find the deadline several times', async () => {
    await overdueFor();
    const { now, deadlines } = await dueIn(2);
    await Promise.all(Array.from({ length: 6 }, () => notifyOfDeadline(deadlines[0]!, now)));
    await turnIn(3);
    expect(await toldTo(person.key)).toEqual(['overdue']);
  });

  test('notifies again of a changed due date, but not after an archived inspection is restored', async () => {
    const inspection = await overdueFor();
    await turnIn(2);
    await person.inspections.update({ ...of(inspection), body: { due_at: inHours(4) } });
    await turnIn(3);
    expect(await toldTo(person.key)).toEqual(['overdue']);
    await turnIn(5);
    expect(await toldTo(person.key)).toEqual(['overdue', 'overdue']);
    const late = await newInspection(person, { due_at: inHours(-1) });
    await turnIn(0);
    await person.inspections.archive(of(late));
    await person.inspections.restore(of(late));
    await turnIn(0);
    expect(await toldTo(person.key)).toHaveLength(3);
  });

  test('notifies nobody of an inspection that was submitted in time', async () => {
    const inspection = await startedInspection(person, { due_at: inHours(1), family: NOTHING_REQUIRED });
    const { now, deadlines } = await dueIn(2);
    await advance(person.key, inspection);
    for (const deadline of deadlines) await notifyOfDeadline(deadline, now);
    await turnIn(2);
    expect(await toldTo(person.key)).toEqual([]);
  });
});

describe('notifyDue, of corrective actions', () => {
  const dated = (hours: number, body: object = {}) =>
    newAction(person, { due_at: inHours(hours), assignee_id: colleague.user_id, ...body });

  test('notifies the assignee and the creator a day before the due date, and on it', async () => {
    await dated(2 * DAY);
    await turnIn(DAY - MINUTE);
    expect(await toldTo(colleague.key)).toEqual([]);
    await turnIn(DAY + MINUTE);
    await turnIn(DAY + 2);
    await turnIn(2 * DAY - MINUTE);
    expect(await toldTo(colleague.key)).toEqual(['corrective_action_due_soon']);
    await turnIn(2 * DAY + MINUTE);
    await turnIn(2 * DAY + 2);
    const both = ['corrective_action_due_soon', 'corrective_action_due'];
    expect(await toldTo(colleague.key)).toEqual(both);
    expect(await toldTo(person.key)).toEqual(both);
  });

  test('leaves an overdue action counted after its last notification, until it is done', async () => {
    const action = await dated(1);
    const overdue = async () => {
      const partition = keys.actionDue.partition(person.caller);
      return (await Array.fromAsync(queryRows(person.caller, { partition }))).map(
        ({ corrective_action_id, by_due_at }) => [corrective_action_id, by_due_at],
      );
    };
    await turnIn(2);
    expect(await overdue()).toEqual([[action.id, undefined]]);
    await turnIn(3);
    expect(await toldTo(colleague.key)).toEqual(['corrective_action_due']);
    await moveThrough(person, action, 'cancelled');
    expect(await overdue()).toEqual([]);
  });

  test('notifies the assignee of that time', async () => {
    const action = await dated(2 * DAY);
    await patch(person, action, { assignee_id: person.caller.user_id });
    await turnIn(3 * DAY);
    expect(await toldTo(colleague.key)).toEqual([]);
    expect(await toldTo(person.key)).toEqual(['corrective_action_due']);
  });

  test('sends no reminder of an action that is due already', async () => {
    await dated(-1);
    await turnIn(0);
    await turnIn(0);
    expect(await toldTo(colleague.key)).toEqual(['corrective_action_due']);
  });

  test('notifies once, even when several workers find the deadline several times', async () => {
    await dated(1);
    const { now, deadlines } = await dueIn(0);
    await Promise.all(Array.from({ length: 6 }, () => notifyOfDeadline(deadlines[0]!, now)));
    expect(await toldTo(colleague.key)).toEqual(['corrective_action_due_soon']);
  });

  test('notifies of a changed due date, and of none that was removed', async () => {
    const action = await dated(1);
    await turnIn(0);
    await patch(person, action, { due_at: inHours(3 * DAY) });
    await turnIn(2);
    expect(await toldTo(colleague.key)).toEqual(['corrective_action_due_soon']);
    await patch(person, action, { due_at: null });
    await turnIn(4 * DAY);
    expect(await toldTo(colleague.key)).toEqual(['corrective_action_due_soon']);
  });

  test('notifies of no completed action, but of the dates ahead when it must be done again', async () => {
    const late = await completedAction(person, { due_at: inHours(-1), assignee_id: colleague.user_id });
    const soon = await completedAction(person, { due_at: inHours(1), assignee_id: colleague.user_id });
    await turnIn(2);
    expect(await toldTo(colleague.key)).toEqual([]);
    for (const { id: ca_id } of [late, soon]) {
      await person.correctiveActions.verify({ params: { ca_id }, body: { accepted: false } });
    }
    await turnIn(0);
    expect(await toldTo(colleague.key)).toEqual([]);
    await turnIn(2);
    expect(await toldTo(colleague.key)).toEqual(['corrective_action_due']);
    await moveThrough(person, soon, 'cancelled');
    await turnIn(3);
    expect(await toldTo(colleague.key)).toEqual(['corrective_action_due']);
  });

  test('notifies of no action in an archived inspection', async () => {
    const inspection = await startedInspection(person);
    const finding = await newFinding(person, {}, inspection);
    await newAction(person, { due_at: inHours(-1) }, finding);
    await person.inspections.archive(of(inspection));
    const { now, deadlines } = await dueIn(0);
    expect(deadlines).toHaveLength(1);
    for (const deadline of deadlines) await notifyOfDeadline(deadline, now);
    expect(await toldTo(person.key)).toEqual([]);
  });
});

describe('notifyDue, of events', () => {
  /** What events of these types have told, the oldest first. */
  const toldOf = async (...types: EventType[]) =>
    (await waitingEvents(person.caller)).filter(({ type }) => types.includes(type));
  const told = () => toldOf('inspection.overdue', 'corrective_action.overdue');
  const missed = () => toldOf('schedule.occurrence_missed');
  const typesTold = async () => (await told()).map(({ type }) => type);
  /** What several workers do at once, so many hours from now. */
  const turnsIn = async (hours: number): Promise<void> => {
    const { now, deadlines } = await dueIn(hours);
    const twice = [...deadlines, ...deadlines];
    await Promise.all(twice.map((deadline) => notifyOfDeadline(deadline, now)));
  };

  test('tells once of a due date, days later as well, and again of one that was moved', async () => {
    const inspection = await newInspection(person, { due_at: inHours(1) });
    await turnsIn(1 - MINUTE);
    expect(await told()).toEqual([]);
    await turnsIn(3 * DAY);
    await turnsIn(4 * DAY);
    expect(await told()).toMatchObject([
      { type: 'inspection.overdue', data: { id: inspection.id, is_overdue: true, version: 1 } },
    ]);
    await person.inspections.update({ ...of(inspection), body: { due_at: inHours(5 * DAY) } });
    await turnsIn(5 * DAY - MINUTE);
    expect(await told()).toHaveLength(1);
    await turnsIn(5 * DAY + MINUTE);
    await person.inspections.update({ ...of(inspection), body: { due_at: inHours(-1) } });
    await turnsIn(5 * DAY + MINUTE);
    expect(await typesTold()).toEqual(Array.from({ length: 3 }, () => 'inspection.overdue'));
  });

  test('tells of an inspection that is restored only if nobody was told of its due date', async () => {
    const inspection = await newInspection(person, { due_at: inHours(-1) });
    for (const before of [0, 1]) {
      await person.inspections.archive(of(inspection));
      await turnsIn(0);
      expect(await told()).toHaveLength(before);
      await person.inspections.restore(of(inspection));
      await turnsIn(0);
      expect(await typesTold()).toEqual(['inspection.overdue']);
    }
  });

  test('tells of nothing that was handed in', async () => {
    const inspection = await startedInspection(person, { due_at: inHours(1), family: NOTHING_REQUIRED });
    await advance(person.key, inspection);
    await completedAction(person, { due_at: inHours(1) });
    await turnsIn(2);
    expect(await told()).toEqual([]);
  });

  test('tells once of a corrective action, also of one that goes back to work after its due date', async () => {
    const action = await newAction(person, { due_at: inHours(2) });
    const late = await completedAction(person, { due_at: inHours(-1) });
    await turnsIn(1);
    expect(await told()).toEqual([]);
    await turnsIn(3);
    await turnsIn(4);
    expect(await told()).toMatchObject([
      { type: 'corrective_action.overdue', data: { id: action.id, is_overdue: true } },
    ]);
    for (let times = 0; times < 2; times += 1) {
      await person.correctiveActions.verify({ params: { ca_id: late.id }, body: { accepted: false } });
      await turnsIn(4);
      await moveThrough(person, late, 'pending_verification');
      expect(await typesTold()).toHaveLength(2);
    }
    await patch(person, action, { due_at: inHours(6) });
    await turnsIn(7);
    expect(await typesTold()).toEqual(Array.from({ length: 3 }, () => 'corrective_action.overdue'));
  });

  test('tells once of an occurrence that nobody has started in time', async () => {
    const schedule = await newSchedule(person, { create_ahead_days: 1, window: { miss_after: 'PT2H' } });
    await generateAt(person, 0);
    const [late] = await inspectionsOf(person, schedule);
    const afterIt = (Date.parse(late!.missed_after!) - Date.now()) / HOUR_MS;
    await turnsIn(afterIt - MINUTE);
    expect(await missed()).toEqual([]);
    await turnsIn(afterIt + 3 * DAY);
    await turnsIn(afterIt + 4 * DAY);
    const { occurrence_date, scheduled_for: starts_at, missed_after } = late!;
    expect(await missed()).toMatchObject([
      {
        type: 'schedule.occurrence_missed',
        data: {
          schedule_id: schedule.id,
          inspection_id: late!.id,
          occurrence_date,
          starts_at,
          location_id: null,
          missed_after,
        },
      },
    ]);
    await person.inspections.archive(of(late!));
    await person.inspections.restore(of(late!));
    await turnsIn(afterIt + 5 * DAY);
    expect(await missed()).toHaveLength(1);
  });

  test('tells of no occurrence that was started in time, or has no window', async () => {
    const window = { miss_after: 'PT2H' };
    const started = await newSchedule(person, { create_ahead_days: 1, window });
    await newSchedule(person, { create_ahead_days: 1 });
    await generateAt(person, 0);
    const [inspection] = await inspectionsOf(person, started);
    const { now, deadlines } = await dueIn(3 * DAY);
    await start(person.key, inspection!);
    for (const deadline of deadlines) await notifyOfDeadline(deadline, now);
    await turnsIn(3 * DAY);
    expect(await missed()).toEqual([]);
  });
});
