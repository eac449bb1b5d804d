import type { Caller } from '../base/caller.ts';
import { AuditEntry, type AuditQuery } from '../schemas/audit.ts';
import { present } from '../schemas/projection.ts';
import type { AuditRecord } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, readCursor } from '../table/listing.ts';
import { queryRows, type Row } from '../table/rows.ts';

const LIST = 'audit';

/** Hexadecimal digits of the time with which an id begins (RFC 9562, section 5.7). */
const TIME_DIGITS = 12;

/** A text that sorts before all ids of a time, and behind those of all earlier times. */
const before = (time: string): string => {
  const digits = Date.parse(time).toString(16).padStart(TIME_DIGITS, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
};

/** Before and behind all ids. */
const [FIRST, LAST] = ['0', 'g'];

const toEntry = (record: AuditRecord): AuditEntry =>
  present(AuditEntry, record, {
    actor: {
      id: record.actor_id,
      name: record.actor_name,
      kind: record.actor_kind,
      acted_via_key_id: record.acted_via_key_id ?? null,
    },
    changes: record.changes ?? null,
  });

const recordsOf = async function* (
  caller: Caller,
  { actor_id, action, from, to }: AuditQuery,
  cursor: string | undefined,
): AsyncGenerator<Row<AuditRecord>> {
  const rows = queryRows(caller, {
    partition: keys.audit.partition(caller),
    after: from ? before(from) : FIRST,
    upTo: cursor ?? (to ? before(to) : LAST),
    newestFirst: true,
    where: { actor_id: actor_id === undefined ? undefined : [actor_id], action },
  });
  // The page before ended with the row at the cursor.
  for await (const row of rows) if (row.sk !== cursor) yield row;
};

/** Who changed access and settings, newest first. One call of the table per megabyte of the period. */
export const list = async (caller: Caller, query: AuditQuery): Promise<Listing<AuditEntry>> =>
  listing(
    caller,
    LIST,
    query,
    recordsOf(caller, query, readCursor(caller, LIST, query)),
    ({ sk }) => sk,
    toEntry,
  );
