import { handler as notifyDue } from '../../functions/workers/notify-due.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import type { Notification } from '../../shared/schemas/notification.ts';
import { keys } from '../../shared/table/keys.ts';
import { queryRows } from '../../shared/table/rows.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { findingsOf, saved } from '../answers/fixtures.ts';
import { newColleague, sharedFamily, startedInspection } from '../inspections/fixtures.ts';
import { as, locs } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { impatient, installFaults, killAfter, withFault } from '../support/faults.ts';
import { mailTasks } from '../support/notices.ts';
import { newMember, newPerson, type Person } from '../support/people.ts';
import { betweenSome } from '../support/places.ts';
import { scaled } from '../support/scale.ts';
import { completedAction, historyOf, moveThrough, newAction, newFinding, patch } from './fixtures.ts';

installFaults();
impatient();

const DAY = 86_400;
const EVENTS = new Set([
  'corrective_action_due_soon',
  'corrective_action_due',
  'corrective_action_escalated',
]);

describe('the escalation of a corrective action', () => {
  const clock = useClock();
  /** Vera creates actions, Amir has to do them, Sol is named by levels. */
  let vera: Person;
  let amir: Awaited<ReturnType<typeof newColleague>>;
  let sol: Awaited<ReturnType<typeof newColleague>>;

  const levels = () => [
    { after: 'P0D', to: 'assignee' },
    { after: 'P3D', to: 'admins' },
    { after: 'P7D', to: sol.user_id },
  ];
  const inDays = (days: number) => new Date(Date.now() + days * DAY * 1_000).toISOString();
  /** An action that is due in two days, of a family with these levels. */
  const due = async (body: object = {}, escalation: object[] = levels()): Promise<CorrectiveAction> => {
    const template_family_id = await sharedFamily(vera, { settings: { escalation } });
    const inspection = await startedInspection(vera, { template_family_id });
    const finding = await newFinding(vera, {}, inspection);
    return newAction(vera, { due_at: inDays(2), assignee_id: amir.user_id, ...body }, finding);
  };
  const toldTo = async (key: string): Promise<string[]> => {
    const { items } = await as(key).notifications.listMy();
    return (items as Notification[])
      .map(({ event }) => event)
      .filter((event) => EVENTS.has(event))
      .map((event) => event.replace('corrective_action_', ''))
      .toReversed();
  };
  /** The events of notifications that an admin without a key has. */
  const toldToAdmin = async (): Promise<string[]> => {
    const partition = keys.unreadNotification.partition(vera.caller, vera.adminId);
    const rows = await Array.fromAsync(queryRows(vera.caller, { partition }));
    return rows.map(({ event }) => event.replace('corrective_action_', ''));
  };
  const escalations = async (action: { id: string }) =>
    (await historyOf(vera, action))
      .filter(({ kind }) => kind === 'escalated')
      .map(({ to, note, actor_id }) => [note, to, actor_id]);
  const mails = async () =>
    (await mailTasks(vera)).flatMap(({ data }) => {
      const { item, user_ids } = data as { item?: { event: string }; user_ids?: string[] };
      return item && EVENTS.has(item.event) ? user_ids! : [];
    });
  const check = async () => (await checkOrganization(vera.caller, { repair: false })).differences;

  beforeEach(async () => {
    vera = await newPerson('Vera, verifier');
    amir = await newColleague(vera, 'Amir, assignee');
    sol = await newColleague(vera, 'Sol, supervisor');
  });

  // First, because the worker also serves what other tests leave, and each of its calls is a place to act at.
  test('somebody who completes the action while the worker runs ends it', async () => {
    let passed = 0;
    const places = await betweenSome({
      prepare: () => due(),
      work: async () => {
        clock.pass(6 * DAY);
        passed += 1;
        await notifyDue();
      },
      act: async (action) => {
        await moveThrough(vera, action, 'in_progress', 'pending_verification');
      },
      check: async (action) => {
        const before = await escalations(action);
        // Either all levels that were reached, or none.
        expect([0, 2]).toContain(before.length);
        clock.pass(10 * DAY);
        await notifyDue();
        expect(await escalations(action)).toEqual(before);
      },
    });
    expect(places).toBeGreaterThan(2);
    expect(passed).toBeGreaterThanOrEqual(scaled(3, places + 1));
    expect(await check()).toEqual([]);
  });

  test('tells the people of the location with a role, else the next level, and its history says so', async () => {
    const escalation = [
      { after: 'P0D', to: 'place:Manager' },
      { after: 'P3D', to: 'place:nurse' },
      { after: 'P7D', to: sol.user_id },
    ];
    const people = [{ user_id: amir.user_id, role: 'manager' }];
    const { id: location_id } = await vera.locations.create({ body: { name: 'Yard', people } });
    const family = { settings: { escalation } };
    const finding = await newFinding(vera, {}, await startedInspection(vera, { family, location_id }));
    const action = await newAction(vera, { due_at: inDays(2) }, finding);
    clock.pass(2 * DAY);
    await notifyDue();
    expect([await toldTo(amir.key), await toldTo(sol.key)]).toEqual([['escalated'], []]);
    clock.pass(3 * DAY);
    await notifyDue();
    expect([await toldTo(amir.key), await toldTo(sol.key)]).toEqual([['escalated'], ['escalated']]);
    const instead = `P3D: nobody has this role at the location, told ${sol.user_id} instead`;
    expect(await escalations(action)).toEqual([
      ['P0D', 'place:Manager', null],
      [instead, 'place:nurse', null],
    ]);
  });

  test('tells the people of the region with a role, or of the nearest one above that has some', async () => {
    const escalation = [
      { after: 'P0D', to: 'region:Manager' },
      { after: 'P3D', to: 'region:director' },
      { after: 'P7D', to: 'region:nurse' },
    ];
    const person = (user_id: string, role: string) => ({ user_id, role });
    const newRegion = async (body: object): Promise<string> => (await vera.regions.create({ body })).id;
    const parent_id = await newRegion({
      name: 'North',
      people: [person(sol.user_id, 'manager'), person(sol.user_id, 'director')],
    });
    const region_id = await newRegion({
      name: 'Harbour',
      parent_id,
      people: [person(amir.user_id, 'manager')],
    });
    const { id: location_id } = await vera.locations.create({ body: { name: 'Yard', region_id } });
    const family = { settings: { escalation } };
    const finding = await newFinding(vera, {}, await startedInspection(vera, { family, location_id }));
    const action = await newAction(vera, { due_at: inDays(2) }, finding);
    clock.pass(2 * DAY);
    await notifyDue();
    expect([await toldTo(amir.key), await toldTo(sol.key)]).toEqual([['escalated'], []]);
    clock.pass(3 * DAY);
    await notifyDue();
    expect([await toldTo(amir.key), await toldTo(sol.key)]).toEqual([['escalated'], ['escalated']]);
    clock.pass(4 * DAY);
    await notifyDue();
    const instead = 'P7D: nobody has this role in the region, told admins instead';
    expect(await escalations(action)).toEqual([
      ['P0D', 'region:Manager', null],
      ['P3D', 'region:director', null],
      [instead, 'region:nurse', null],
    ]);
  });

  test('tells each level at its time, once, and its history says so', async () => {
    const action = await due();
    clock.pass(2 * DAY - 1);
    await notifyDue();
    expect(await toldTo(amir.key)).toEqual(['due_soon']);
    clock.pass(1);
    await notifyDue();
    await notifyDue();
    expect(await toldTo(amir.key)).toEqual(['due_soon', 'due']);
    expect(await escalations(action)).toEqual([['P0D', 'assignee', null]]);
    clock.pass(3 * DAY - 1);
    await notifyDue();
    expect(await toldToAdmin()).toEqual([]);
    clock.pass(1);
    await notifyDue();
    await notifyDue();
    expect(await toldToAdmin()).toEqual(['escalated']);
    expect(await check()).toEqual([]);
    clock.pass(4 * DAY);
    await notifyDue();
    clock.pass(30 * DAY);
    await notifyDue();
    expect(await toldTo(sol.key)).toEqual(['escalated']);
    expect(await toldToAdmin()).toEqual(['escalated']);
    expect(await toldTo(amir.key)).toEqual(['due_soon', 'due']);
    expect((await escalations(action)).map(([after]) => after)).toEqual(['P0D', 'P3D', 'P7D']);
    expect(await check()).toEqual([]);
  });

  test('follows the levels of the action, where it has some', async () => {
    const [own, none] = [
      await due({ escalation: [{ after: 'P1D', to: sol.user_id }] }),
      await due({ escalation: [] }),
    ];
    const family = await due({ escalation: null });
    expect([own, none, family].map(({ escalation }) => escalation)).toEqual([
      [{ after: 'P1D', to: sol.user_id }],
      [],
      null,
    ]);
    clock.pass(30 * DAY);
    await notifyDue();
    expect((await escalations(own)).map(([after]) => after)).toEqual(['P1D']);
    expect(await escalations(none)).toEqual([]);
    expect((await escalations(family)).length).toBe(3);
  });

  test('tells nobody twice of several levels that were missed, and mails them once', async () => {
    await due({}, [
      { after: 'P0D', to: sol.user_id },
      { after: 'P1D', to: sol.user_id },
      { after: 'P2D', to: 'assignee' },
    ]);
    clock.pass(20 * DAY);
    await notifyDue();
    expect(await toldTo(sol.key)).toEqual(['escalated']);
    expect(await toldTo(amir.key)).toEqual(['due']);
    expect((await mails()).toSorted()).toEqual([amir.user_id, sol.user_id, vera.caller.user_id].toSorted());
  });

  test('mails nobody more than once a day, and their notifications are complete', async () => {
    await due({ due_at: inDays(0.5) }, [{ after: 'P1D', to: 'assignee' }]);
    await notifyDue();
    clock.pass(0.5 * DAY);
    await notifyDue();
    expect(await toldTo(amir.key)).toEqual(['due_soon', 'due']);
    expect((await mails()).filter((id) => id === amir.user_id).length).toBe(1);
    clock.pass(DAY);
    await notifyDue();
    expect(await toldTo(amir.key)).toEqual(['due_soon', 'due', 'escalated']);
    expect((await mails()).filter((id) => id === amir.user_id).length).toBe(2);
  });

  test('stops when the action is completed, and goes on when it goes back to work', async () => {
    const action = await due();
    clock.pass(2 * DAY);
    await notifyDue();
    await moveThrough(vera, action, 'in_progress', 'pending_verification');
    clock.pass(4 * DAY);
    await notifyDue();
    expect((await escalations(action)).length).toBe(1);
    await vera.correctiveActions.verify({ params: { ca_id: action.id }, body: { accepted: false } });
    await notifyDue();
    expect(await check()).toEqual([]);
    // The level of the third day has passed while nobody had to work on it.
    expect((await escalations(action)).length).toBe(1);
    clock.pass(4 * DAY);
    await notifyDue();
    expect((await escalations(action)).map(([after]) => after)).toEqual(['P0D', 'P7D']);
    expect(await toldTo(amir.key)).toEqual(['due']);
  });

  test('counts from a changed due date', async () => {
    const action = await due();
    clock.pass(2 * DAY);
    await notifyDue();
    await patch(vera, action, { due_at: inDays(10) });
    clock.pass(9 * DAY);
    await notifyDue();
    expect((await escalations(action)).length).toBe(1);
    clock.pass(4 * DAY);
    await notifyDue();
    expect((await escalations(action)).map(([after]) => after)).toEqual(['P0D', 'P0D', 'P3D']);
  });

  test('takes levels that an overdue action gets, from then on', async () => {
    const action = await due({}, []);
    clock.pass(4 * DAY);
    await notifyDue();
    await patch(vera, action, { escalation: levels() });
    await notifyDue();
    expect(await escalations(action)).toEqual([]);
    clock.pass(1 * DAY);
    await notifyDue();
    expect((await escalations(action)).map(([after]) => after)).toEqual(['P3D']);
    expect(await toldTo(amir.key)).toEqual(['due']);
    expect(await check()).toEqual([]);
  });

  test('tells nobody in an archived inspection', async () => {
    const action = await due();
    await vera.inspections.archive({ params: { inspection_id: action.inspection_id } });
    clock.pass(20 * DAY);
    await notifyDue();
    expect(await escalations(action)).toEqual([]);
    expect(await toldTo(sol.key)).toEqual([]);
  });

  test('keeps the finding of an action that was escalated, when the answer passes', async () => {
    const mend = { title: 'Mend it', due_in_days: 1 };
    const content = contentWith(
      field(2, 'pass_fail_na', { finding: { create: 'auto', corrective_action: mend } }),
    );
    const family = { content, settings: { escalation: [{ after: 'P0D', to: 'admins' }] } };
    const inspection = await startedInspection(vera, { family });
    await saved(vera, inspection, { field_id: uuid(2), value: 'fail' });
    clock.pass(DAY);
    await notifyDue();
    await saved(vera, inspection, { field_id: uuid(2), value: 'pass' });
    expect(await findingsOf(vera, inspection)).toMatchObject([{ trigger_cleared: true }]);
  });

  test('a worker that is killed between any two calls tells each level once', async () => {
    const action = await due();
    clock.pass(2 * DAY);
    for (let commands = 0, isKilled = true; isKilled; commands += 1) {
      const { fault, isReached } = killAfter(commands, commands % 2 === 1);
      await withFault(fault, notifyDue).catch((error: unknown) => {
        if (!isReached()) throw error;
      });
      isKilled = isReached();
    }
    expect(await toldTo(amir.key)).toEqual(['due']);
    expect((await escalations(action)).length).toBe(1);
    expect((await mails()).filter((id) => id === amir.user_id).length).toBe(1);
  });
});

describe('levels of an escalation', () => {
  const UNKNOWN = [{ after: 'P1D', to: uuid(9) }];

  test('400 for a member who does not exist', async () => {
    const vera = await newPerson('Vera, verifier');
    const { id: finding_id } = await newFinding(vera);
    const body = { title: 'Tighten it', escalation: UNKNOWN };
    const refused = await vera.try.correctiveActions.create({ params: { finding_id }, body });
    expect([refused.status, String(refused.body.detail)]).toEqual([
      400,
      expect.stringContaining('escalation.0.to'),
    ]);
    const action = await newAction(vera);
    expect((await patch(vera, action, { escalation: UNKNOWN })).status).toBe(400);
    const family = { name: 'Rails', settings: { escalation: UNKNOWN } };
    expect((await vera.try.families.create({ body: family })).status).toBe(400);
    const { user_id } = await newMember(vera, 'inspector');
    expect((await patch(vera, action, { escalation: [{ after: 'P1D', to: user_id }] })).status).toBe(200);
  });

  test('422 for other durations, other names and too many levels', async () => {
    const vera = await newPerson('Vera, verifier');
    const level = { after: 'P1D', to: 'admins' };
    const action = await completedAction(vera);
    for (const [escalation, loc] of [
      [[{ ...level, after: 'PT1H' }], 'body.escalation.0.after'],
      [[{ ...level, to: 'place' }], 'body.escalation.0.to'],
      [Array.from({ length: 6 }, () => level), 'body.escalation'],
    ] as const) {
      expect(locs(await patch(vera, action, { escalation }))).toEqual([loc]);
    }
  });
});
