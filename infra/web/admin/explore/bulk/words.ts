import type { AdminPlace } from '../../../../../shared/http/pages/admin-data.ts';
import type {
  BulkAction,
  BulkChange,
  BulkOutcome,
  BulkResource,
} from '../../../../../shared/schemas/bulk-change.ts';
import { t, words } from '../../page.ts';
import type { Mood } from '../../ui/parts.tsx';

const x = t.bulk;

/** Where the rows of each list have their pages. */
export const PLACES: Readonly<Record<BulkResource, AdminPlace & keyof typeof t.tabs>> = {
  assets: 'assets',
  corrective_actions: 'corrective-actions',
  inspections: 'inspections',
  issues: 'issues',
  locations: 'locations',
  schedules: 'schedules',
};

/** The list at a place, if its rows can be changed in bulk. */
export const resourceAt = (place: AdminPlace): BulkResource | undefined =>
  (Object.keys(PLACES) as BulkResource[]).find((resource) => PLACES[resource] === place);

/** What an action is called where it has another name than for most rows. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  'assets archive': x.decommission,
  'issues cancel': t.acts.reject,
  'locations archive': x.deactivate,
  'schedules archive': x.pause,
};

export const actionText = (resource: BulkResource, type: BulkAction['type']): string =>
  OWN_NAMES[`${resource} ${type}`] ?? x.actions[type];

/** What a bulk change is called, which has no name of its own. */
export const bulkTitle = ({ resource, action }: Pick<BulkChange, 'resource' | 'action'>): string =>
  `${t.tabs[PLACES[resource]].name}: ${actionText(resource, action.type)}`;

type Status = BulkChange['status'];

export const STATUSES: Readonly<Record<Status, string>> = {
  planning: x.planning,
  planned: x.planned,
  running: t.integrations.running,
  stopped: x.stopped,
  completed: words.completed,
  cancelled: t.integrations.cancelled,
  failed: t.integrations.failed,
};

export const STATUS_MOODS: Readonly<Record<Status, Mood>> = {
  planning: '',
  planned: 'warn',
  running: '',
  stopped: 'warn',
  completed: 'good',
  cancelled: '',
  failed: 'bad',
};

export const OUTCOMES: Readonly<Record<BulkOutcome, string>> = x.outcomes;

export const OUTCOME_MOODS: Readonly<Record<BulkOutcome, Mood>> = {
  planned: '',
  changed: 'good',
  unchanged: '',
  refused: 'bad',
  outdated: 'warn',
};
