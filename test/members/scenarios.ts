import type { Scenarios } from '../support/scenarios.ts';

export const scenarios: Scenarios = {
  listMembers: [
    () => ({}),
    () => ({ query: { role: ['api', 'admin'], status: 'active', q: 'admin', limit: 1 } }),
  ],
  listAssignableMembers: [() => ({}), () => ({ query: { limit: 1 } })],
  getMember: [({ adminId }) => ({ params: { user_id: adminId } })],
};
