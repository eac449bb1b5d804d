import type { Caller } from '../../../base/caller.ts';
import type { SyncedRow } from '../../../domain/integrations/synced-row.ts';
import type { RunError } from '../../../schemas/integrations/run.ts';
import type { Work } from '../../table/change.ts';
import type { StoredSource, SyncedOption } from '../../table/entities.ts';
import type { Key } from '../../table/keys.ts';
import type { Write } from '../../table/writes.ts';

/** What a synced row does to the resource that it becomes. */
export interface Upsert {
  writes: Write[];
  resource_id: string;
  option?: SyncedOption;
}

/** Rows of other kinds that a row may name, read once for a turn of the worker. */
export interface Lookups {
  /** The client account with this external_ref or name; why there is none otherwise. */
  clientAccount(named: string): Promise<{ id: string } | 'unknown' | 'ambiguous'>;
  /** The active member with this email address. */
  member(email: string): Promise<string | undefined>;
}

/** Why a row is not taken, without what its item says. */
export class RowRefused extends Error {
  override name = 'RowRefused';
  readonly error: RunError;

  constructor({ item_id }: SyncedRow, field: string, code: string, message: string) {
    super(message);
    this.error = { item_id, field, code, message };
  }
}

/** How rows of one sort become resources. `Stored` is the row of such a resource. */
export interface Target<Stored extends object> {
  /** Rows that one transaction can write. */
  rowsAtOnce: number;
  /** The key of a resource's row; undefined where the resource has none of its own. */
  keyOf(caller: Caller, resourceId: string): Key<Stored> | undefined;
  /**
   * @param standing the resource that the row became before, if it still exists
   * @param wasMissing whether the row was missing until now
   * @throws RowRefused
   */
  upsert(
    work: Work,
    source: StoredSource,
    row: SyncedRow,
    standing: Stored | undefined,
    wasMissing: boolean,
    lookups: Lookups,
  ): Promise<Upsert>;
  /** What is written once with rows of a source that are new, changed or deactivated. */
  writtenWith?(work: Work, sourceId: string): Write[];
  /** The row is missing at the vendor. */
  deactivate(work: Work, standing: Stored, lookups: Lookups): Promise<Write[]>;
  /** The resource becomes a local one. */
  detach(work: Work, standing: Stored): Write[];
}

/** What a resource that is synced has beside its own fields. */
export const syncedFrom = (
  work: Work,
  source: StoredSource,
  { external_id }: SyncedRow,
  fields: readonly string[],
) => ({
  source: 'synced' as const,
  source_id: source.id,
  external_id,
  synced_at: work.now,
  synced_fields: [...fields],
});

export const NOT_SYNCED = {
  source: 'local',
  source_id: null,
  external_id: null,
  synced_at: null,
  synced_fields: [],
} as const;
