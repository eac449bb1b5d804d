import { notifyOfAll } from '../../shared/notices/notify.ts';
import type { Notification, NotificationPage } from '../../shared/schemas/notification.ts';
import { workOf } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { queryRows } from '../../shared/table/rows.ts';
import { newColleague } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { announce, type Announcement, commit, KITCHEN, mailTasks, tell } from '../support/notices.ts';
import { newPerson, type Person } from '../support/people.ts';

let person: Person;

beforeEach(async () => {
  person = await newPerson('Harbour');
});

const list = (query: object = {}): Promise<NotificationPage> =>
  person.notifications.listMy({ query: { ...query } });

const mark = (id: string, body: object, key = person.key) =>
  as(key).try.notifications.updateMy({ params: { notification_id: id }, body });

const readAll = () => person.notifications.readMy();

const eventsOf = ({ items }: NotificationPage) => items.map(({ event }) => event);

/** Sends many notices, the oldest first. */
const tellMany = async (count: number, event: Announcement['event'] = 'approved') => {
  const admin = { ...person.caller, user_id: person.adminId };
  for (let left = count; left > 0; left -= 40) {
    const notice: Announcement = { event, inspection: KITCHEN, user_ids: [person.caller.user_id] };
    const writes = Array.from({ length: Math.min(40, left) }, () => announce(admin, notice)[0]!);
    await commit(person, writes);
  }
};

describe('noticeWrites', () => {
  test('writes one row for each member, one task for all mails, and nothing for nulls, duplicates and the actor', async () => {
    const { caller, adminId } = person;
    const notice: Announcement = {
      event: 'completed',
      inspection: KITCHEN,
      user_ids: [adminId, null, caller.user_id, adminId],
    };
    const before = Math.floor(Date.now() / 1_000);
    const writes = announce(caller, { ...notice, emails: ['client@example.com'], note: ' Well done ' });
    const after = Math.ceil(Date.now() / 1_000);
    expect(writes).toHaveLength(2);
    await commit(person, writes);
    const partition: string = keys.unreadNotification.partition(caller, adminId);
    const [row, ...others] = await Array.fromAsync(
      queryRows<Notification & { ttl: number }>(caller, { partition }),
    );
    expect(others).toEqual([]);
    const from = row!.ttl - 90 * 86_400;
    expect([from >= before, from <= after]).toEqual([true, true]);
    expect((await mailTasks(person)).map(({ data }) => data)).toEqual([
      {
        what: 'notice',
        mail_id: expect.any(String),
        kind: 'inspection_outcomes',
        user_ids: [adminId],
        emails: ['client@example.com'],
        item: {
          event: 'completed',
          at: row!.created_at,
          actor_id: caller.user_id,
          note: 'Well done',
          inspection: KITCHEN,
          entries: [],
          count: 0,
        },
      },
    ]);
  });

  test('makes one mail of many findings of one change, and a notification of each', async () => {
    const { caller, adminId } = person;
    const facts = [1, 2, 3].map((number) => ({
      inspection: KITCHEN,
      finding: { id: crypto.randomUUID(), number, label: `Leak ${number}` },
    }));
    const audience = { user_ids: [adminId], emails: [] };
    await commit(person, notifyOfAll(workOf(caller), 'findingCreated', facts, audience));
    const [task, ...others] = await mailTasks(person);
    expect(others).toEqual([]);
    const entries = facts.map(({ finding: { id, number, label: name } }) => ({ id, number, name }));
    expect(task!.data).toMatchObject({ item: { count: 3, entries } });
    const partition: string = keys.unreadNotification.partition(caller, adminId);
    expect(await Array.fromAsync(queryRows(caller, { partition }))).toHaveLength(3);
  });

  test('writes nothing when nobody is left to notify', () => {
    const { caller } = person;
    const notice: Announcement = {
      event: 'completed',
      inspection: KITCHEN,
      user_ids: [caller.user_id, null],
    };
    expect(announce(caller, notice)).toEqual([]);
  });
});

describe('GET /me/notifications', () => {
  test('200 with the caller’s own notifications, newest first', async () => {
    const colleague = await newColleague(person, 'ERP');
    await tell(person);
    const subject = {
      finding: { id: person.adminId, number: 3, label: 'Loose bolt' },
      action: { id: person.caller.key_id, number: 4, title: 'Fasten it' },
    };
    await tell(person, { event: 'corrective_action_due', ...subject, note: 'Today' });
    await tell(person, { user_ids: [colleague.user_id] });
    const page = await list();
    expect(page).toEqual({
      items: [
        expect.objectContaining({
          kind: 'ca_due',
          title: 'Corrective action 4 “Fasten it” of inspection 12 “Kitchen check” is due.',
          note: 'Today',
          inspection_id: KITCHEN.id,
          finding_id: subject.finding.id,
          corrective_action_id: subject.action.id,
          actor_id: person.adminId,
          is_read: false,
          read_at: null,
        }),
        expect.objectContaining({
          kind: 'new_assignments',
          event: 'inspection_assigned',
          title: 'Inspection 12 “Kitchen check” is assigned to you.',
          note: '',
          finding_id: null,
          corrective_action_id: null,
        }),
      ],
      unread_count: 2,
      next_cursor: null,
    });
  });

  test('200 with titles in the caller’s language, else the organization’s', async () => {
    await tell(person);
    const titles = async () => (await list()).items.map(({ title }) => title);
    await person.organization.update({ body: { locale: 'fr-CA' } });
    expect(await titles()).toEqual(['L’inspection 12 « Kitchen check » vous est attribuée.']);
    await person.me.updateMyProfile({ body: { locale: 'de' } });
    expect(await titles()).toEqual(['Die Inspektion 12 „Kitchen check“ ist Ihnen zugewiesen.']);
    const [{ id }] = (await list()).items as [Notification];
    expect((await mark(id, { is_read: true })).body.title).toBe((await titles())[0]);
  });

  test('200 page by page with every notification, read and unread in one order', async () => {
    await tellMany(9);
    const { items } = await list();
    for (const { id } of items.filter((_, position) => position % 3 !== 0)) await mark(id, { is_read: true });
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: NotificationPage = await list({ limit: 2, ...(cursor !== null && { cursor }) });
      expect(page.unread_count).toBe(3);
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(ids).toEqual(items.map(({ id }) => id));
  });

  test('200 with fifty, unless the limit is higher', async () => {
    await tellMany(60);
    const page = await list();
    expect(page.items).toHaveLength(50);
    expect(page.next_cursor).not.toBeNull();
    expect((await list({ limit: 200 })).items).toHaveLength(60);
  });

  test('200 filtered by read and unread, and by kind', async () => {
    await tell(person, { event: 'approved' });
    await tell(person, { event: 'overdue' });
    await tell(person, { event: 'inspection_assigned' });
    const [, overdue] = (await list()).items;
    await mark(overdue!.id, { is_read: true });
    expect(eventsOf(await list({ unread: true }))).toEqual(['inspection_assigned', 'approved']);
    expect(eventsOf(await list({ unread: false }))).toEqual(['overdue']);
    const kinds = await list({ kind: ['overdue_inspections', 'approval_outcomes'] });
    expect([eventsOf(kinds), kinds.unread_count]).toEqual([['overdue', 'approved'], 1]);
  });

  test('200 without the kinds that the caller has switched off, unless the filter names them', async () => {
    const prefer = (notifications: object) => person.me.updateMyPreferences({ body: { notifications } });
    await tell(person, { event: 'approved' });
    await prefer({ approval_outcomes: false });
    await tell(person, { event: 'rejected' });
    await tell(person, { event: 'completed' });
    const page = await list();
    expect([eventsOf(page), page.unread_count]).toEqual([['completed'], 1]);
    const asked = await list({ kind: 'approval_outcomes' });
    expect([eventsOf(asked), asked.unread_count]).toEqual([['rejected', 'approved'], 2]);
    await prefer({ approval_outcomes: true });
    expect(eventsOf(await list())).toEqual(['completed', 'rejected', 'approved']);
  });

  test('200 with nothing when every kind is switched off', async () => {
    const kinds = ['new_assignments', 'overdue_inspections', 'ca_due', 'ca_due_soon'];
    const others = ['approval_outcomes', 'inspection_outcomes', 'sync_status'];
    const notifications = Object.fromEntries([...kinds, ...others].map((kind) => [kind, false]));
    await person.me.updateMyPreferences({ body: { notifications } });
    await tell(person);
    expect(await list()).toEqual({ items: [], unread_count: 0, next_cursor: null });
  });

  test('422 for a limit out of range, a kind that does not exist, and another filter’s cursor', async () => {
    await tellMany(2);
    const { next_cursor: cursor } = await list({ limit: 1 });
    for (const query of [
      { limit: '0' },
      { limit: '201' },
      { kind: 'news' },
      { limit: '1', cursor: cursor!, unread: 'true' },
    ]) {
      expect((await person.try.notifications.listMy({ query })).status).toBe(422);
    }
  });
});

describe('PATCH /me/notifications/{notification_id}', () => {
  test('200: read and unread again, and the count follows at once', async () => {
    await tellMany(2);
    const [notification] = (await list()).items;
    const read = await mark(notification!.id, { is_read: true });
    expect(read).toMatchObject({ status: 200, body: { is_read: true, read_at: expect.any(String) } });
    expect((await list()).unread_count).toBe(1);
    expect((await mark(notification!.id, { is_read: true })).body).toEqual(read.body);
    expect((await list()).items[0]).toEqual(read.body);
    const unread = await mark(notification!.id, { is_read: false });
    expect(unread.body).toEqual({ ...notification, updated_at: unread.body.updated_at });
    expect((await list()).unread_count).toBe(2);
  });

  test('200 of many concurrent changes, and the notification is stored once', async () => {
    await tellMany(1);
    const [{ id }] = (await list()).items as [Notification];
    const turns = Array.from({ length: 12 }, (_, turn) => mark(id, { is_read: turn % 2 === 0 }));
    for (const { status } of await Promise.all(turns)) expect([200, 404]).toContain(status);
    const { items, unread_count } = await list();
    expect(items.map((each) => each.id)).toEqual([id]);
    expect(unread_count).toBe(items[0]!.is_read ? 0 : 1);
  });

  test('404 for a notification of a colleague', async () => {
    const colleague = await newColleague(person, 'ERP');
    await tell(person);
    const [{ id }] = (await list()).items as [Notification];
    expect((await mark(id, { is_read: true }, colleague.key)).status).toBe(404);
  });
});

describe('POST /me/notifications/read-all', () => {
  test('200 with the number of unread notifications, which are then read', async () => {
    await tellMany(100);
    expect(await readAll()).toEqual({ read: 100 });
    const { items, unread_count } = await list({ limit: 200 });
    expect([items.length, unread_count]).toEqual([100, 0]);
    expect(items.every(({ is_read }) => is_read)).toBe(true);
    expect(await readAll()).toEqual({ read: 0 });
  });

  test('200 for the oldest 450, and another request for the rest', async () => {
    await tellMany(460);
    expect(await readAll()).toEqual({ read: 450 });
    expect((await list({ unread: true })).items).toHaveLength(10);
    expect(await readAll()).toEqual({ read: 10 });
  });
});
