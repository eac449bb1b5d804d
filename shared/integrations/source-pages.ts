import type { StoredSource } from '../db/table/entities.ts';
import type { Plan } from '../domain/integrations/mappings.ts';
import { type FailedRow, personRow, type SyncedRow, syncedRowOf } from '../domain/integrations/synced-row.ts';
import type { Page, Vendor, VendorSession } from './vendor.ts';

/** A page of a source, each of its items as a row or as a failure. */
export interface SourcePage {
  rows: (SyncedRow | FailedRow)[];
  next: string | null;
  hasGaps: boolean;
}

const INCOMPLETE = 'The vendor has answered for this item only in part.';

/**
 * Fails the rows that the vendor gave only a part of: what is absent is not empty. Where it does not say which these are,
 * all rows of the page may be.
 */
const withGaps = <Row>(
  { rows, next, gaps }: Page<Row>,
  toRow: (row: Row) => SyncedRow | FailedRow,
): SourcePage => {
  const concerned = new Set(gaps.map(({ item_id }) => item_id));
  return {
    rows: rows.map((each) => {
      const row = toRow(each);
      const { item_id, external_id } = row;
      if (gaps.length === 0 || !(concerned.has(null) || concerned.has(item_id))) return row;
      return {
        external_id,
        item_id,
        error: { item_id, field: null, code: 'incomplete', message: INCOMPLETE },
      };
    }),
    next,
    hasGaps: gaps.length > 0,
  };
};

/**
 * The pages of a source from a cursor on.
 * @param plan how its fields are filled; null for the users of the vendor's account
 * @throws VendorError
 */
export const pagesOf = async function* (
  { vendor, session, work }: { vendor: Vendor; session: VendorSession; work: { source: StoredSource } },
  plan: Plan | null,
  cursor: string | null,
): AsyncGenerator<SourcePage> {
  const paging = { cursor: cursor ?? undefined };
  if (plan === null) {
    for await (const page of session.people(paging)) {
      // Who has no access any more has left the source.
      const present = page.rows.filter(({ status }) => status !== 'inactive');
      yield withGaps({ ...page, rows: present }, personRow);
    }
    return;
  }
  const { board_id, level, group_ids } = work.source;
  const query = { board_id: board_id!, level, group_ids, column_ids: plan.column_ids };
  for await (const page of session.items(query, paging)) {
    yield withGaps(page, (item) => syncedRowOf(item, plan, (value, type) => vendor.fieldValue(value, type)));
  }
};
