import type { Caller } from '../../base/caller.ts';
import {
  type ActivityQuery,
  IntegrationActivity,
  type IntegrationStatus,
} from '../../schemas/integrations/overview.ts';
import type { VendorId } from '../../schemas/integrations/vendor.ts';
import { present } from '../../schemas/projection.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, listing, readCursor } from '../../table/listing.ts';
import { queryRows } from '../../table/rows.ts';
import { isLiveConnection, toConnection, toSource } from './records.ts';
import { ofVendor } from './sources.ts';

/** The earlier or the later of two times; the only one when the other is null. */
const extreme = (a: string | null, b: string | null, isFirst: (a: string, b: string) => boolean) =>
  a === null || b === null ? (a ?? b) : isFirst(a, b) ? a : b;

/** The status of a vendor's connections and sources. One call per megabyte of each, and one per 100 sources. */
export const statusOf = async (caller: Caller, vendor: VendorId): Promise<IntegrationStatus> => {
  const connections: IntegrationStatus['connections'] = [];
  const rows = queryRows(caller, { partition: keys.all(caller, 'CONNECTION'), where: { vendor: [vendor] } });
  for await (const row of rows) {
    if (!isLiveConnection(row)) continue;
    const { id, title, status, last_verified_at, last_error } = toConnection(row, 0);
    connections.push({ id, title, status, last_verified_at, last_error });
  }
  const sources = { active: 0, paused: 0, error: 0 };
  let last_sync_at: string | null = null;
  let next_sync_at: string | null = null;
  for await (const whole of ofVendor(caller, vendor)) {
    const shown = toSource(whole);
    sources[shown.status] += 1;
    last_sync_at = extreme(last_sync_at, shown.last_synced_at, (a, b) => a > b);
    next_sync_at = extreme(next_sync_at, shown.next_sync_at, (a, b) => a < b);
  }
  const working = connections.filter(({ status }) => status === 'active').length;
  const isDegraded = working < connections.length || sources.error > 0;
  const status = working === 0 ? 'disconnected' : isDegraded ? 'degraded' : 'connected';
  return { vendor, status, connections, sources, last_sync_at, next_sync_at };
};

/** The activities of a vendor's connections and sources, newest first. */
export const activitiesOf = (
  caller: Caller,
  vendor: VendorId,
  query: ActivityQuery,
): Promise<Listing<IntegrationActivity>> => {
  const { since, updated_since, kind } = query;
  const from =
    since && updated_since ? (since > updated_since ? since : updated_since) : (since ?? updated_since);
  const name = `INTEGRATION ${vendor}`;
  const rows = queryRows(caller, {
    partition: keys.integrationActivity.partition(caller, vendor),
    after: readCursor(caller, name, query),
    newestFirst: true,
    where: { kind },
  });
  return listing(
    caller,
    name,
    query,
    upTo(rows, from),
    ({ id }) => id,
    (row) => present(IntegrationActivity, row),
  );
};

/** The rows, newest first, until one is older than a time. */
const upTo = async function* <Activity extends { at: string }>(
  rows: AsyncIterable<Activity>,
  since: string | undefined,
): AsyncGenerator<Activity> {
  for await (const row of rows) {
    if (since !== undefined && row.at < since) return;
    yield row;
  }
};
