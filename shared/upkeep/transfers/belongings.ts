import type { Caller } from '../../base/caller.ts';
import { isActionOpen } from '../../domain/corrective-actions.ts';
import { isRunning } from '../../domain/inspections/workflow.ts';
import { linkStatus } from '../../domain/issues/public-links.ts';
import { isIssueOpen } from '../../domain/issues/workflow.ts';
import { editWrites } from '../../inspections/edit.ts';
import { inspectionRecords } from '../../inspections/rows/inspection-records.ts';
import { issueRecords } from '../../inspections/rows/issue-records.ts';
import { placeIssue } from '../../issues/issues.ts';
import { allLinks, placeLink } from '../../issues/public-links.ts';
import { listedPlaces } from '../../schedules/many-places.ts';
import { leaving, scheduleToClient } from '../../schedules/relocations.ts';
import type { LocationTransfer, TransferCounts, TransferItem } from '../../schemas/location-transfer.ts';
import { type Work, workOf } from '../../table/change.ts';
import type { StoredInspection } from '../../table/entities/inspections.ts';
import type { StoredIssue, StoredPublicLink } from '../../table/entities/issues.ts';
import { keys } from '../../table/keys.ts';
import { queryRows, withoutKeys, withRows } from '../../table/rows.ts';
import type { Write } from '../../table/writes.ts';

/*
 * What is open at the locations of a transfer, and has the former client account. A dry run lists it; the worker changes
 * what it lists, one after the other. What was changed has another client account, so it is not found again.
 */

/** From which client account to which one, and what goes along. */
export type Route = Pick<
  LocationTransfer,
  'from_client_account_id' | 'client_account_id' | 'inspections' | 'issues' | 'schedules' | 'public_links'
>;

/** The writes of a change, and what it counts as; undefined where nothing is left to change. */
export type Changed = { writes: Write[]; counts: Partial<TransferCounts> } | undefined;

/** Something that belongs to a transferred location. */
export interface Belonging {
  items: TransferItem[];
  /** Changes it, as it is by then. Absent for what stays. */
  change?: (work: Work) => Promise<Changed>;
}

const outcomeOf = (policy: 'move' | 'keep'): 'moves' | 'stays' => (policy === 'move' ? 'moves' : 'stays');

const moveInspection =
  (id: string, { from_client_account_id: from, client_account_id }: Route) =>
  async (work: Work): Promise<Changed> => {
    const row = await inspectionRecords.find(work, id);
    if (!row || row.client_account_id !== from || !isRunning(row.status)) return undefined;
    const before = withoutKeys(row);
    return {
      writes: editWrites(work, before, { fields: { client_account_id } }).writes,
      counts: { inspections: 1, corrective_actions: before.open_corrective_actions_count },
    };
  };

/** The open actions of an inspection, in the order of their creation. */
const openActions = async (
  caller: Caller,
  { id, open_corrective_actions_count }: StoredInspection,
  outcome: TransferItem['outcome'],
): Promise<TransferItem[]> => {
  if (open_corrective_actions_count === 0) return [];
  const rows = await Array.fromAsync(queryRows(caller, keys.parts(caller, 'INSPECTION', id, 'ACTION')));
  return rows
    .filter(({ status }) => isActionOpen(status))
    .map(({ id: actionId, title: name }) => ({ kind: 'corrective_action', id: actionId, name, outcome }));
};

/** Those at a location that are not finished, and others with open actions. The index may lag by a moment. */
const inspectionsAt = async function* (
  caller: Caller,
  locationId: string,
  route: Route,
): AsyncGenerator<Belonging> {
  const found = queryRows(caller, {
    partition: keys.inspectionsWith(caller, 'LOCATION', locationId),
    index: 'by_location',
  });
  const keysOf = ({ sk }: { sk: string }) => [inspectionRecords.key(caller, sk)] as const;
  for await (const [, [row]] of withRows(caller, found, keysOf)) {
    if (!row || row.client_account_id !== route.from_client_account_id) continue;
    if (!isRunning(row.status)) {
      const items = row.status === 'completed' ? await openActions(caller, row, 'stays') : [];
      if (items.length > 0) yield { items };
      continue;
    }
    const outcome = outcomeOf(route.inspections);
    const item = { kind: 'inspection', id: row.id, name: row.name, outcome } as const;
    yield {
      items: [item, ...(await openActions(caller, row, outcome))],
      ...(outcome === 'moves' && { change: moveInspection(row.id, route) }),
    };
  }
};

/** The open issues at a location. The index may lag by a moment. */
const issuesAt = async function* (
  caller: Caller,
  locationId: string,
  route: Route,
): AsyncGenerator<Belonging> {
  const { from_client_account_id: from, client_account_id: to } = route;
  const found = queryRows(caller, {
    partition: keys.issuesWith(caller, 'LOCATION', locationId),
    index: 'by_location',
  });
  const keysOf = ({ sk }: { sk: string }) => [issueRecords.key(caller, sk)] as const;
  for await (const [, [row]] of withRows(caller, found, keysOf)) {
    const isMeant = ({ client_account_id, status }: StoredIssue) =>
      client_account_id === from && isIssueOpen(status);
    if (!row || !isMeant(row)) continue;
    const { id, title } = row;
    const outcome = outcomeOf(route.issues);
    yield {
      items: [{ kind: 'issue', id, name: title, outcome }],
      ...(outcome === 'moves' && {
        change: async (work) => {
          const writes = await placeIssue(work, id, { client_account_id: to }, isMeant);
          return writes && { writes, counts: { issues: 1 } };
        },
      }),
    };
  }
};

/** The schedules of the former client account that name transferred locations. */
const schedulesOf = async function* (
  caller: Caller,
  locationIds: ReadonlySet<string>,
  route: Route,
): AsyncGenerator<Belonging> {
  const { from_client_account_id: from, client_account_id: to } = route;
  if (from === null) return;
  const mayMove = route.schedules === 'move';
  for await (const row of queryRows(caller, { partition: keys.all(caller, 'SCHEDULE') })) {
    const listed = await listedPlaces(caller, row);
    const left = leaving(row, listed, locationIds, from, mayMove);
    if (!left) continue;
    yield {
      items: [{ kind: 'schedule', id: row.id, name: row.title, outcome: left.outcome }],
      ...(left.outcome !== 'stays' && {
        change: async (work) => {
          const writes = await scheduleToClient(work, row.id, locationIds, from, to, mayMove);
          return writes && { writes, counts: { schedules: 1 } };
        },
      }),
    };
  }
};

/** The public links at transferred locations that can be used. */
const linksAt = async function* (
  caller: Caller,
  locationIds: ReadonlySet<string>,
  route: Route,
): AsyncGenerator<Belonging> {
  const { from_client_account_id: from, client_account_id: to } = route;
  const { now } = workOf(caller);
  const isMeant = (link: StoredPublicLink) =>
    link.location_id !== null &&
    locationIds.has(link.location_id) &&
    link.client_account_id === from &&
    ['active', 'paused'].includes(linkStatus(link, now));
  for await (const link of allLinks(caller)) {
    if (!isMeant(link)) continue;
    const outcome = outcomeOf(route.public_links);
    yield {
      items: [{ kind: 'public_link', id: link.id, name: link.label, outcome }],
      ...(outcome === 'moves' && {
        change: async (work) => {
          const writes = await placeLink(work, link, { client_account_id: to }, isMeant);
          return writes && { writes, counts: { public_links: 1 } };
        },
      }),
    };
  }
};

/** The inspections and issues at these locations. Two calls for each, and those of what is found. */
export const workAt = async function* (
  caller: Caller,
  locationIds: Iterable<string>,
  route: Route,
): AsyncGenerator<Belonging> {
  for (const id of locationIds) {
    yield* inspectionsAt(caller, id, route);
    yield* issuesAt(caller, id, route);
  }
};

/**
 * The schedules and public links that name these locations. Calls: one for each megabyte of schedules, and for each
 * issue category.
 */
export const namingOf = async function* (
  caller: Caller,
  locationIds: ReadonlySet<string>,
  route: Route,
): AsyncGenerator<Belonging> {
  yield* schedulesOf(caller, locationIds, route);
  yield* linksAt(caller, locationIds, route);
};
