import { stringify } from 'csv-stringify/sync';
import type { Listing } from '../../db/table/listing.ts';
import type { AuditEntry } from '../../schemas/audit.ts';

const COLUMNS = ['at', 'action', 'actor_id', 'actor_name', 'actor_kind', 'target_id', 'changes'];

const rowOf = ({ at, action, actor, target_id, changes }: AuditEntry): unknown[] => [
  at,
  action,
  actor.id,
  actor.name,
  actor.kind,
  target_id,
  changes && JSON.stringify(changes),
];

/**
 * The audit log as a file that spreadsheets read. A text that a spreadsheet would take for a formula gets an apostrophe
 * before it (OWASP, "CSV Injection").
 */
export const auditFile = async (listing: Listing<AuditEntry>) => {
  const entries = 'page' in listing ? listing.page : await Array.fromAsync(listing.rows);
  const text = stringify([COLUMNS, ...entries.map(rowOf)], {
    bom: true,
    escape_formulas: true,
    record_delimiter: '\r\n',
  });
  return { bytes: Buffer.from(text), media_type: 'text/csv; charset=utf-8', file_name: 'audit.csv' };
};
