import type { BulkChange, BulkChangeRow, BulkResource } from '../../schemas/bulk-change.ts';
import type { NoticeTask } from '../tasks.ts';
import type { SlotHolder } from './common.ts';

/** Who has requested a bulk change. It is carried out as by them, as long as they may. */
export interface Requester {
  user_id: string;
  name: string;
  /** The API key that acts for itself. Absent for a person. */
  key_id?: string;
  /** The API key through which a person acts. */
  acted_via_key_id?: string;
}

/** A bulk change. The ids that it has found, and what becomes of each row, stand below it. */
export type StoredBulkChange = Omit<BulkChange, 'acted_via_key_id'> &
  SlotHolder & {
    resource: BulkResource;
    requester: Requester;
    /** Whether the filter has been applied. */
    is_selected: boolean;
    /** The position of the next row to plan or to change. */
    next: number;
    /** How often what has been changed was told to those whom it concerns. */
    round: number;
    /** Moves with every turn of the worker, so that two never work on it at once. */
    turn: number;
    /** Until when a worker holds it, in epoch milliseconds; 0 when none does. */
    leased_until: number;
    /** How often it was left to a new task. Tasks before that have nothing to do any more. */
    handed_on: number;
  };

/** What the filter of a bulk change has found. */
export interface BulkSelected {
  ids: string[];
}

/** A row of a bulk change. */
export type StoredBulkRow = BulkChangeRow & {
  /** The version at the dry run; 0 where it was not read. */
  version: number;
};

/** What a row of a bulk change would mail by itself. All of one round are told together. */
export type HeldNotice = NoticeTask;
