import type { AdminPlace } from '../../../../shared/http/pages/admin-data.ts';
import { page } from '../page.ts';

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

/** Where people of other roles than admin read what is their own. */
const OWN: Partial<Record<AdminPlace, string>> = {
  'corrective-actions': '/corrective-actions/mine',
  inspections: '/inspections/assigned',
};

/** The path of the list that a person sees. */
export const listPathOf = (place: AdminPlace): string => {
  const own = page.organization!.role === 'admin' ? undefined : OWN[place];
  return own ? `/v1${own}` : pathOf(place);
};

/** The path of a place's operation, as `request` takes it. @param id of one object; the list when left out */
export const pathOf = (place: AdminPlace, id?: string): string =>
  `/v1${PATHS[place] ?? `/${place}`}${id === undefined ? '' : `/${id}`}`;
