import * as listMyNotifications from '../../../functions/members/list-my-notifications.ts';
import { made } from '../call.ts';
import { tell } from '../notices.ts';
import type { Person } from '../people.ts';
import type { Scenarios } from '../scenarios.ts';

const told = async (person: Person) => {
  await tell(person);
  const { items } = await made(listMyNotifications, { as: person.key, query: { limit: 1 } });
  return { params: { notification_id: items[0].id as string } };
};

export const scenarios: Scenarios = {
  listMembers: [() => ({}), () => ({ query: { role: ['api', 'admin'], status: 'active', limit: 1 } })],
  listAssignableMembers: [() => ({}), () => ({ query: { limit: 1 } })],
  getMember: [({ adminId }) => ({ params: { user_id: adminId } })],
  getMyProfile: [() => ({})],
  updateMyProfile: [
    () => ({ body: { name: 'ERP integration', locale: 'pt-PT' } }),
    () => ({ body: { timezone: 'Europe/Lisbon' } }),
  ],
  getMyPreferences: [() => ({})],
  updateMyPreferences: [
    () => ({ body: { ui: { dark: true } } }),
    () => ({ body: { notifications: { ca_due: false } } }),
  ],
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
