import type { AdminPlace } from '../../../../shared/pages/admin-data.ts';

/** Where the operations of objects are, by their place in the app. */
const PATHS: Partial<Record<AdminPlace, string>> = {
  clients: '/client-accounts',
  'corrective-actions': '/corrective-actions',
  findings: '/findings',
  inspections: '/inspections',
  issues: '/issues',
  locations: '/locations',
  reports: '/reports',
  schedules: '/inspection-schedules',
  templates: '/templates/families',
};

/** The path of a place's operation, as `request` takes it. @param id of one object; the list when left out */
export const pathOf = (place: AdminPlace, id?: string): string =>
  `/v1${PATHS[place] ?? `/${place}`}${id === undefined ? '' : `/${id}`}`;
