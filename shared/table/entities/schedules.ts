import type { Problem } from '../../domain/schedules/problems.ts';
import type { FieldFor } from '../../schemas/inspections/fields.ts';
import type { Inspection } from '../../schemas/inspections/inspection.ts';
import type { Schedule, ScheduleOverride, SchedulePlaces } from '../../schemas/schedules/schedule.ts';

/** An override, and how far the inspections follow it. */
export type StoredOverride = ScheduleOverride & {
  /** Nothing more is created for its occurrence: its inspections exist, or its time has passed. */
  is_settled: boolean;
  /**
   * Set while inspections that exist already still have to follow it, or to go back: a change of many takes several
   * transactions, and the generator completes one that was interrupted.
   */
  following?: 'override' | 'rule';
};

/**
 * A schedule, with what its generator has to know. Both the clients' changes and the generator replace the row, on the
 * condition that neither `version` nor `turn` has moved; the generator moves `turn`.
 */
export type StoredSchedule = Omit<
  Schedule,
  'paused_reason' | 'overrides' | 'problem' | 'problems' | 'places' | 'warnings' | 'left_out'
> & {
  org_id: string;
  overrides: StoredOverride[];
  /** What is missing, of which members were told. */
  problems: Problem[];
  /** Occurrences that the rule has up to this time are dealt with: created, left out, or missed while paused. ISO 8601 in UTC. */
  handled_until: string;
  /** Dates whose occurrence is to be created although its time is before `handled_until`. */
  restored: string[];
  turn: number;
  places: StoredPlaces | null;
  /** See `Plan`. */
  passed_until?: string;
  created_until?: string;
  /** How far an occurrence at many places has come. */
  progress?: OccurrenceProgress | undefined;
  /** With `after`: when its places are enrolled or looked at again, ISO 8601 in UTC; absent for never. */
  enrol_at?: string | undefined;
  /** With `after`: increased with each change that moves the next visits of its places. */
  after_revision?: number;
};

/**
 * An inspection of a schedule that nobody has started. A worker finds the row by `by_due` once it is missed, which only
 * one with a window can be.
 */
export interface Unstarted {
  org_id: string;
  schedule_id: string;
  inspection_id: string;
  missed_after: string | null;
  version: number;
  /** As in `Deadline`. */
  attempts?: number;
  by_due?: string;
  by_due_at?: string;
}

/** A place of a schedule that counts from the last visit. Dates are those of the place, times ISO 8601 in UTC. */
export interface VisitedPlace {
  org_id: string;
  schedule_id: string;
  /** The location; of a schedule that inspects assets, the asset. */
  location_id: string;
  /** The first visit; null before the place was planned. */
  first_on: string | null;
  /** The last visit that was created. */
  last_on: string | null;
  /** The next visit; null while one has not ended. */
  next_on: string | null;
  next_at: string | null;
  /** When the generator finds it. */
  due_at: string | null;
  /** The `after_revision` of the schedule that it follows. */
  revision: number;
  /** Increased with each change of the row; 0 before it is stored. */
  turn: number;
}

/** A visit: an inspection that such a schedule has created, or a re-inspection of one. */
export interface StoredVisit {
  /** Null while it has not ended. */
  ended_at: string | null;
  outcome: 'passed' | 'failed' | 'void' | null;
}

/** The places of a schedule. The ids of listed ones are in rows of their own. */
export type StoredPlaces = Pick<SchedulePlaces, 'client_account_id' | 'within'> & {
  /** Absent, as the next one, where the filter does not ask for it. */
  region_id?: string;
  tags?: string[];
  asset_kind_id?: string;
  /** Null for a filter. */
  list: { location_count: number; digest: string } | null;
  /** Whether the filter last found more places than a schedule can have. */
  is_cut?: true;
};

/** How far the inspections of an occurrence are created. Its places are those in the rows of the schedule's places. */
export interface OccurrenceProgress {
  occurrence_date: string;
  starts_at: string;
  location_count: number;
  /** The position of the next place, from 0. */
  position: number;
}

/**
 * Some places of a schedule: listed ones, or those that its filter has found for the occurrence that is being created.
 * They are the ids of assets where the schedule inspects assets.
 */
export interface PlacesPart {
  location_ids: string[];
}

/** Which inspection a schedule has created for an occurrence at a location. It stays when the inspection is deleted. */
export interface CreatedOccurrence {
  inspection_id: string;
}

/** Lists an inspection among those of its schedule, also of one that was deleted. */
export interface ScheduledStart {
  inspection_id: string;
}

/** What the calendar shows of an inspection that a schedule has created. It follows the inspection. */
export type CalendarEntry = Pick<Inspection, FieldFor<'calendar'>> & {
  inspection_id: string;
  starts_at: string;
  assignee_ids: string[];
  /** The asset for which its schedule has created it. */
  asset_id?: string;
  /** That of the inspection when what is shown of it last changed. */
  version: number;
};
