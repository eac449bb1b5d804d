import { stringify } from 'csv-stringify/sync';
import type { ListedText } from '../../http/operation/responses.ts';
import type { AuditEntry } from '../../schemas/audit.ts';
import type { Listing } from '../../table/listing.ts';
import { CSV_FORM } from './csv-form.ts';

const COLUMNS = [
  'at',
  'action',
  'actor_id',
  'actor_name',
  'actor_kind',
  'target_id',
  'changes',
  'acted_via_key_id',
];

const rowOf = ({ at, action, actor, target_id, changes }: AuditEntry): unknown[] => [
  at,
  action,
  actor.id,
  actor.name,
  actor.kind,
  target_id,
  changes && JSON.stringify(changes),
  actor.acted_via_key_id,
];

const textOf = async function* (entries: AsyncIterable<AuditEntry> | readonly AuditEntry[]) {
  yield stringify([COLUMNS], CSV_FORM);
  for await (const entry of entries) yield stringify([rowOf(entry)], { ...CSV_FORM, bom: false });
};

/** The audit log as a file that spreadsheets read, sent as it is read. */
export const auditFile = (listing: Listing<AuditEntry>): ListedText => ({
  text: textOf('page' in listing ? listing.page : listing.rows),
  media_type: 'text/csv; charset=utf-8',
  file_name: 'audit.csv',
});
