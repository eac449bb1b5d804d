import type { Scenarios } from '../support/scenarios.ts';

export const scenarios: Scenarios = {
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
