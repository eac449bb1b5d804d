import type { Caller } from '../../base/caller.ts';
import { isActionOpen, isActionOverdue } from '../../domain/corrective-actions.ts';
import { inspectionRecords } from '../../inspections/rows/inspection-records.ts';
import { pathsOf } from '../../places/locations/tree.ts';
import { CorrectiveActionStatus } from '../../schemas/corrective-action.ts';
import type {
  StoredAction,
  StoredFinding,
  StoredInspection,
  StoredReport,
} from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import { getRow, queryRows, readRows, withRows } from '../../table/rows.ts';

/** A completed inspection of the period. */
interface InspectionOfWeek {
  inspection: StoredInspection;
  /** The names that led to its location when it was completed, from the outermost one; empty without a location. */
  place: string[];
  /** Its findings that are open, in the order in which they were found. */
  openFindings: StoredFinding[];
  /** Its current report, if that is finished. */
  report: StoredReport | undefined;
}

interface OpenAction {
  action: StoredAction;
  /** The names that lead to its location, from the outermost one; empty without a location. */
  place: string[];
  isOverdue: boolean;
}

/** What a client account is told of a period. */
export interface ClientWeek {
  /** The first of them, newest first. */
  inspections: InspectionOfWeek[];
  inspectionsCount: number;
  /** The first of them, the longest due first. */
  actions: OpenAction[];
  actionsCount: number;
  overdueCount: number;
}

/** Inspections and actions that are told one by one. The others are counted. */
const MAX_INSPECTIONS = 40;
const MAX_ACTIONS = 60;

const OPEN = CorrectiveActionStatus.options.filter(isActionOpen);

/** A period, which its end does not belong to; ISO 8601 in UTC. */
interface Period {
  from: string;
  to: string;
}

const isCompletedIn = ({ status, completed_at }: StoredInspection, { from, to }: Period): boolean =>
  status === 'completed' && completed_at !== null && completed_at >= from && completed_at < to;

const hasOpenActions = ({ status, open_corrective_actions_count }: StoredInspection): boolean =>
  status !== 'archived' && open_corrective_actions_count > 0;

/** The client's inspections that there is something to tell of, newest first. A call for each hundred of its inspections. */
const inspectionsToTell = async (
  caller: Caller,
  clientId: string,
  period: Period,
): Promise<StoredInspection[]> => {
  const found: StoredInspection[] = [];
  const ids = queryRows(caller, {
    partition: keys.inspectionsWith(caller, 'CLIENT', clientId),
    index: 'by_client',
    newestFirst: true,
  });
  const rows = withRows(caller, ids, ({ sk }) => [inspectionRecords.key(caller, sk)]);
  for await (const [, [inspection]] of rows) {
    // The index may lag behind a correction that has given the inspection to another client.
    if (inspection?.client_account_id !== clientId) continue;
    if (isCompletedIn(inspection, period) || hasOpenActions(inspection)) found.push(inspection);
  }
  return found;
};

/** Locations as they are now. */
interface Places {
  clientOf: (id: string | null) => string | null;
  /** The names that lead to a location, from the outermost one; empty without one. */
  pathTo: (id: string | null) => string[];
}

/** Reads the locations with these ids and those above them, in one call for every hundred in most cases. */
const readPlaces = async (caller: Caller, ids: readonly (string | null)[]): Promise<Places> => {
  const at = [...new Set(ids)].flatMap((id) => (id === null ? [] : [keys.one(caller, 'LOCATION', id)]));
  const rowsOf = await readRows(caller, at);
  const known = new Map(rowsOf(at).flatMap((row) => (row ? [[row.id, row]] : [])));
  const paths = await pathsOf(caller, [...known.values()]);
  return {
    clientOf: (id) => known.get(id ?? '')?.client_account_id ?? null,
    pathTo: (id) => paths.get(id ?? '') ?? [],
  };
};

/** An action, and the location that it is at. */
interface PlacedAction {
  action: StoredAction;
  locationId: string | null;
}

/** The open actions of these inspections. A call for each inspection. */
const openActions = async (
  caller: Caller,
  inspections: readonly StoredInspection[],
): Promise<PlacedAction[]> => {
  const found: PlacedAction[] = [];
  for (const { id, location_id } of inspections) {
    const rows = queryRows(caller, {
      ...keys.parts(caller, 'INSPECTION', id, 'ACTION'),
      where: { status: OPEN },
    });
    for await (const action of rows) found.push({ action, locationId: action.location_id ?? location_id });
  }
  return found;
};

/** The longest due first, and those without a due date last. */
const byDueDate = ({ action: { due_at: one } }: PlacedAction, { action: { due_at: other } }: PlacedAction) =>
  (one ?? '~') < (other ?? '~') ? -1 : Number(one !== other);

/** The current report of an inspection, if it is finished and no draft. Two calls. */
const finishedReport = async (caller: Caller, inspectionId: string): Promise<StoredReport | undefined> => {
  const count = await getRow(caller, keys.reportCount(caller, inspectionId));
  if (!count) return undefined;
  const rows = queryRows(caller, {
    ...keys.parts(caller, 'INSPECTION', inspectionId, 'REPORT'),
    newestFirst: true,
    pageSize: 1,
  });
  for await (const report of rows) {
    const isCurrent = report.version === count.last;
    return isCurrent && report.status === 'ready' && !report.is_draft ? report : undefined;
  }
  return undefined;
};

const openFindings = async (
  caller: Caller,
  { id, findings_count }: StoredInspection,
): Promise<StoredFinding[]> => {
  if (findings_count === 0) return [];
  const rows = queryRows(caller, {
    ...keys.parts(caller, 'INSPECTION', id, 'FINDING'),
    where: { status: ['open'] },
  });
  return Array.fromAsync(rows);
};

const ofWeek = async (
  caller: Caller,
  inspection: StoredInspection,
  places: Places,
): Promise<InspectionOfWeek> => {
  const { id, location_id, names_then } = inspection;
  const then = names_then?.locations[location_id ?? ''];
  return {
    inspection,
    place: then ? [...then.path, then.name] : places.pathTo(location_id),
    openFindings: await openFindings(caller, inspection),
    report: await finishedReport(caller, id),
  };
};

/**
 * What a client account is told of a period: its inspections that were completed in it, and its corrective actions that
 * are open now, none of them at a location of another client. Calls: one for each hundred inspections of the client, one
 * for each inspection with open actions, and a few for each inspection that is told.
 * @param now decides what is overdue, ISO 8601 in UTC
 */
export const readClientWeek = async (
  caller: Caller,
  clientId: string,
  period: Period,
  now: string,
): Promise<ClientWeek> => {
  const told = await inspectionsToTell(caller, clientId, period);
  const completed = told.filter((inspection) => isCompletedIn(inspection, period));
  const open = await openActions(caller, told.filter(hasOpenActions));
  const places = await readPlaces(caller, [
    ...completed.slice(0, MAX_INSPECTIONS).map(({ location_id }) => location_id),
    ...open.map(({ locationId }) => locationId),
  ]);
  // An answer may have put the action of a client's inspection at a location of another client.
  const isOwn = ({ locationId }: PlacedAction) => (places.clientOf(locationId) ?? clientId) === clientId;
  const actions = open.filter(isOwn).toSorted(byDueDate);
  const isOverdue = ({ action }: PlacedAction) => isActionOverdue(action, now);
  const inspections: InspectionOfWeek[] = [];
  for (const inspection of completed.slice(0, MAX_INSPECTIONS))
    inspections.push(await ofWeek(caller, inspection, places));
  return {
    inspections,
    inspectionsCount: completed.length,
    actions: actions.slice(0, MAX_ACTIONS).map((each) => ({
      action: each.action,
      place: places.pathTo(each.locationId),
      isOverdue: isOverdue(each),
    })),
    actionsCount: actions.length,
    overdueCount: actions.filter(isOverdue).length,
  };
};
