import type { Connection } from '../../schemas/integrations/connection.ts';
import type { Candidate } from '../../schemas/integrations/directory.ts';
import type { IntegrationActivity } from '../../schemas/integrations/overview.ts';
import type { IntegrationProblem, SyncRun } from '../../schemas/integrations/run.ts';
import type { NewSource, TargetRef } from '../../schemas/integrations/source.ts';
import type { VendorId } from '../../schemas/integrations/vendor.ts';
import type { SlotHolder } from './common.ts';

/** The number of sources is counted when the connection is read. */
export type StoredConnection = Omit<Connection, 'sources_count' | 'status'> & {
  status: Connection['status'] | 'deleted';
  /** Encrypted; null once the connection is deleted. */
  credential: string | null;
};

/** The settings of a source. What syncs change stands in its state, so that neither overwrites the other. */
export type StoredSource = Omit<NewSource, 'target_ref' | 'board_id'> & {
  id: string;
  connection_id: string;
  vendor: VendorId;
  /** `members` for a directory source. */
  target_ref: TargetRef;
  /** Null for the users of the vendor's account. */
  board_id: string | null;
  board_name: string | null;
  is_paused: boolean;
  created_by: string;
  version: number;
  created_at: string;
  updated_at: string;
};

/** What syncs have left behind of a source. A worker finds the row by `by_due` when the next sync is due. */
export interface SourceState {
  org_id: string;
  source_id: string;
  /** The run that has not ended. */
  run_id: string | null;
  problem: IntegrationProblem | null;
  warning: string | null;
  next_sync_at: string | null;
  last_synced_at: string | null;
  last_run: SyncRun | null;
  rows_count: number;
  /** Calls of the vendor that the last whole sync needed; 0 before there was one. */
  whole_calls: number;
  version: number;
  by_due?: string;
  by_due_at?: string;
}

/** A run, and how far its worker has come. */
export type StoredRun = SyncRun &
  SlotHolder & {
    allow_mass_deactivation: boolean;
    /** Moves with every turn of the worker, so that two never work on it at once. */
    turn: number;
    /** Until when a worker holds it, in epoch milliseconds; 0 when none does. */
    leased_until: number;
    /** How often a worker left the rest to a new task. Tasks before that have nothing to do any more. */
    handed_on: number;
    /** Moves when the reading begins again; pages that were read before then no longer count. */
    reading: number;
    /** Pages that were read. */
    pages: number;
    /** Where the vendor's next page begins; null for the first one, or when all were read. */
    cursor: string | null;
    /** Whether all pages were read, so that what was not among them is missing. */
    is_read: boolean;
    /** Whether the vendor left something out of a page, so that nothing follows from what is absent. */
    has_gaps: boolean;
    /** Epoch seconds. */
    ttl: number;
  };

/** What one page of a run held. */
export interface SeenPage {
  /** For each row the first bytes of the hash of its external id, and those of its item's id. */
  marks: Uint8Array;
  /** Epoch seconds. */
  ttl: number;
}

/** A row that came from a source, and the resource that it became. */
export interface SyncedItem {
  external_id: string;
  item_id: string;
  target_ref: TargetRef;
  /** The location, client account, candidate or option. */
  resource_id: string;
  /** Of the values that were written last. */
  hash: string;
  is_active: boolean;
  /** The run that has written it last, and what it did, so that a repeated page counts the same. */
  run_id: string;
  outcome: 'created' | 'updated' | 'deactivated';
  /** Only of an option of an organization-wide list. */
  option?: SyncedOption;
  /** When it was written last. */
  updated_at: string;
}

/** What is known of an organization-wide list as a whole. */
export interface SyncedList {
  /** When one of its options was written last, as ISO 8601 in UTC. */
  changed_at: string;
}

/** An option of an organization-wide list. */
export interface SyncedOption {
  label: string;
  value: string;
  color: string | null;
  score: number | null;
  is_failed: boolean;
}

/** The match with a member, and when the person was last seen, are found out when it is read. */
export type StoredCandidate = Omit<Candidate, 'status' | 'matched_user_id' | 'last_seen_at'> & {
  is_ignored: boolean;
  /** When the person was found to be missing; null while they are in the source. */
  left_at: string | null;
};

export type StoredIntegrationActivity = IntegrationActivity & {
  /** Epoch seconds. */
  ttl: number;
};
