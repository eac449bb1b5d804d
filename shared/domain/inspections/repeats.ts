import { Temporal } from 'temporal-polyfill';
import type { Finding, FindingRepeat } from '../../schemas/finding.ts';

/** A finding among those at its location. */
export interface KnownFinding {
  finding_id: string;
  inspection_id: string;
  field_id: string;
  /** The location of its unit; null where that is the location of the inspection. */
  unit_id: string | null;
  /** The asset of its inspection; absent without one. */
  asset_id?: string;
  found_at: string;
}

interface Located {
  location_id?: string | null;
  found_in: { location_id: string } | null;
  listed_under: { asset_id?: string };
}

/** The location of a finding's unit; null where that is the location at which it is looked for. */
export const unitOf = ({ location_id = null, found_in }: Located): string | null =>
  location_id === found_in?.location_id ? null : location_id;

/** The asset of a finding's inspection; nothing without one. */
export const assetOf = ({ listed_under }: Located): { asset_id?: string } =>
  listed_under.asset_id ? { asset_id: listed_under.asset_id } : {};

/**
 * When the window before a time begins; ISO 8601 in UTC.
 * @param window an ISO 8601 duration, counted on the calendar of UTC
 */
export const windowStart = (at: string, window: string): string =>
  new Date(
    Temporal.Instant.from(at).toZonedDateTimeISO('UTC').subtract(window).epochMilliseconds,
  ).toISOString();

/**
 * What a finding repeats: the findings of the same question at the same place and asset that other inspections have found before
 * it, within the window. Null for none. Several findings of one inspection count once.
 * @param known the findings at its location, oldest first; it may be among them
 */
export const foundBefore = (
  finding: Pick<Finding, 'id' | 'inspection_id' | 'field_id' | 'created_at'> & Located,
  known: readonly KnownFinding[],
  window: string,
): FindingRepeat | null => {
  const { id, inspection_id, field_id, created_at } = finding;
  const since = windowStart(created_at, window);
  const unit = unitOf(finding);
  const { asset_id } = assetOf(finding);
  const earlier = known.filter(
    (each) =>
      each.field_id === field_id &&
      each.unit_id === unit &&
      each.asset_id === asset_id &&
      each.inspection_id !== inspection_id &&
      each.finding_id < id &&
      each.found_at >= since,
  );
  const previous = earlier.at(-1);
  if (!previous) return null;
  return {
    count: new Set(earlier.map((each) => each.inspection_id)).size,
    previous_finding_id: previous.finding_id,
    first_at: earlier[0]!.found_at,
  };
};
