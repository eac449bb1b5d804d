import * as reopenCorrectiveAction from '../../functions/corrective-actions/reopen-corrective-action.ts';
import * as verifyCorrectiveAction from '../../functions/corrective-actions/verify-corrective-action.ts';
import * as listMyNotifications from '../../functions/notifications/list-my-notifications.ts';
import type { Notification } from '../../shared/schemas/notification.ts';
import { newColleague } from '../inspections/fixtures.ts';
import { made } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { completedAction, moved, newAction, patch } from './fixtures.ts';

type Key = Pick<Person, 'key'>;

/** Makes actions and verifies them. */
let vera: Person;
let assignee: Key & { user_id: string };

beforeEach(async () => {
  vera = await newPerson('Vera, verifier');
  assignee = await newColleague(vera, 'Amir, assignee');
});

/** What somebody is told, oldest first. */
const toldTo = async ({ key }: Key): Promise<Pick<Notification, 'event' | 'note'>[]> => {
  const { items } = await made(listMyNotifications, { as: key });
  return (items as Notification[]).map(({ event, note }) => ({ event, note })).toReversed();
};

const verify = (id: string, body: object) =>
  made(verifyCorrectiveAction, { as: vera.key, params: { ca_id: id }, body });

const ASSIGNED = { event: 'corrective_action_assigned', note: '' };

describe('who is told of a corrective action', () => {
  test('its assignee, when it is made and when it is handed on, and nobody of what is edited', async () => {
    const action = await newAction(vera, { assignee_id: assignee.user_id });
    const { items } = await made(listMyNotifications, { as: assignee.key });
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
    expect(await toldTo(assignee)).toEqual([ASSIGNED]);
    expect(await toldTo(next)).toEqual([ASSIGNED]);
    expect(await toldTo(vera)).toEqual([]);
  });

  test('whoever made it, when it awaits verification', async () => {
    const action = await newAction(vera, { assignee_id: assignee.user_id });
    await moved(assignee, action, 'in_progress');
    await patch(assignee, action, { status: 'pending_verification', completion_note: '40 Nm' });
    expect(await toldTo(vera)).toEqual([{ event: 'corrective_action_completed', note: '40 Nm' }]);
    expect(await toldTo(assignee)).toEqual([ASSIGNED]);
  });

  test('its assignee, of each verdict and of its reopening', async () => {
    const { id } = await completedAction(vera, { assignee_id: assignee.user_id });
    await verify(id, { accepted: false, note: 'Still loose' });
    await moved(assignee, { id }, 'pending_verification');
    await verify(id, { note: 'Fast' });
    const body = { reason: 'Loose again' };
    await made(reopenCorrectiveAction, { as: vera.key, params: { ca_id: id }, body });
    expect(await toldTo(assignee)).toEqual([
      ASSIGNED,
      { event: 'corrective_action_completed', note: '' },
      { event: 'corrective_action_declined', note: 'Still loose' },
      { event: 'corrective_action_verified', note: 'Fast' },
      { event: 'corrective_action_reopened', note: 'Loose again' },
    ]);
  });
});
