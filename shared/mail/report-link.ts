import type { Caller } from '../base/caller.ts';
import type { StoredReport } from '../db/table/entities.ts';

/** A link to a report's page, and when it ends. */
export interface ReportLink {
  url: string;
  /** ISO 8601 in UTC. */
  until: string;
}

/** Makes the link of a mail to its report; null where reports have no page. */
export const reportLink = async (
  _caller: Caller,
  _report: Pick<StoredReport, 'id' | 'inspection_id'>,
): Promise<ReportLink | null> => null;
