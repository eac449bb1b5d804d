import type { Scenarios } from '../scenarios.ts';

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
};
