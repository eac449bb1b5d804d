import type { Notification } from '../../shared/schemas/notification.ts';
import { newColleague } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { completedAction, moveThrough, newAction, patch } from './fixtures.ts';

type Key = Pick<Person, 'key'>;

/** Vera creates actions and verifies them. */
let vera: Person;
let assignee: Key & { user_id: string };

beforeEach(async () => {
  vera = await newPerson('Vera, verifier');
  assignee = await newColleague(vera, 'Amir, assignee');
});

/** Somebody's notifications, oldest first. */
const notificationsOf = async ({ key }: Key): Promise<Pick<Notification, 'event' | 'note'>[]> => {
  const { items } = await as(key).notifications.listMy();
  return (items as Notification[]).map(({ event, note }) => ({ event, note })).toReversed();
};

const verify = (id: string, body: object) => vera.correctiveActions.verify({ params: { ca_id: id }, body });

const ASSIGNED = { event: 'corrective_action_assigned', note: '' };

describe('notifications of a corrective action', () => {
  test('go to each new assignee, and do not follow other changes', async () => {
    const action = await newAction(vera, { assignee_id: assignee.user_id });
    const { items } = await as(assignee).notifications.listMy();
    expect(items).toMatchObject([
      {
        kind: 'new_assignments',
        inspection_id: action.inspection_id,
        corrective_action_id: action.id,
        actor_id: vera.caller.user_id,
      },
    ]);
    const next = await newColleague(vera, 'Nia, next');
    await patch(vera, action, { assignee_id: next.user_id });
    await patch(vera, action, { title: 'Tighten them' });
    await patch(vera, action, { assignee_id: null });
    expect(await notificationsOf(assignee)).toEqual([ASSIGNED]);
    expect(await notificationsOf(next)).toEqual([ASSIGNED]);
    expect(await notificationsOf(vera)).toEqual([]);
  });

  test('go to its creator when it awaits verification', async () => {
    const action = await newAction(vera, { assignee_id: assignee.user_id });
    await moveThrough(assignee, action, 'in_progress');
    await patch(assignee, action, { status: 'pending_verification', completion_note: '40 Nm' });
    expect(await notificationsOf(vera)).toEqual([{ event: 'corrective_action_completed', note: '40 Nm' }]);
    expect(await notificationsOf(assignee)).toEqual([ASSIGNED]);
  });

  test('go to its assignee when it is verified, sent back or reopened', async () => {
    const { id } = await completedAction(vera, { assignee_id: assignee.user_id });
    await verify(id, { accepted: false, note: 'Still loose' });
    await moveThrough(assignee, { id }, 'pending_verification');
    await verify(id, { note: 'Fast' });
    const body = { reason: 'Loose again' };
    await vera.correctiveActions.reopen({ params: { ca_id: id }, body });
    expect(await notificationsOf(assignee)).toEqual([
      ASSIGNED,
      { event: 'corrective_action_completed', note: '' },
      { event: 'corrective_action_declined', note: 'Still loose' },
      { event: 'corrective_action_verified', note: 'Fast' },
      { event: 'corrective_action_reopened', note: 'Loose again' },
    ]);
  });
});
