import { tell } from '../support/notices.ts';
import type { Person } from '../support/people.ts';
import type { Scenarios } from '../support/scenarios.ts';

const told = async (person: Person) => {
  await tell(person);
  const { items } = await person.notifications.listMy({ query: { limit: 1 } });
  return { params: { notification_id: items[0].id as string } };
};

export const scenarios: Scenarios = {
  listMyNotifications: [
    async (person) => {
      await tell(person);
      return {};
    },
    () => ({ query: { unread: true, kind: ['ca_due', 'new_assignments'], limit: 1 } }),
  ],
  updateMyNotification: [async (person) => ({ ...(await told(person)), body: { is_read: true } })],
  readMyNotifications: [
    async (person) => {
      await tell(person);
      return {};
    },
  ],
};
