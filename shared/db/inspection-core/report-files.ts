import type { Work } from '../table/change.ts';
import type { StoredReport } from '../table/entities.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import type { Write } from '../table/writes.ts';

/** Bytes of a report's files; none until it is rendered. */
export const reportBytes = ({
  size_bytes,
  payload_bytes,
}: Partial<Pick<StoredReport, 'size_bytes' | 'payload_bytes'>>): number =>
  (size_bytes ?? 0) + (payload_bytes ?? 0);

/** Has a worker delete the files of reports, in the transaction after which no row leads to them. */
export const deleteFiles = (work: Work, reports: readonly Pick<StoredReport, 'id'>[]): Write[] =>
  reports.length === 0 ? [] : [enqueue(work, 'cleanup', { report_ids: reports.map(({ id }) => id) })];
