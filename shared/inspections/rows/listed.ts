import type { Caller } from '../../base/caller.ts';
import { fold } from '../../base/text.ts';
import { ofAsset } from '../../domain/labels.ts';
import type { Work } from '../../table/change.ts';
import type { ListedUnder, StoredFinding, StoredInspection } from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';

/*
 * By what the lists of the organization find findings and actions. Each has what its inspection is of in its own row,
 * and follows the inspection to another client or location.
 */

export const fieldLabel = (fieldId: string): string => `field ${fieldId}`;

export const contactLabel = (email: string): string => `contact ${fold(email)}`;

export const listedUnder = (
  inspection: Pick<StoredInspection, 'client_account_id' | 'location_id' | 'template_family_id' | 'asset_id'>,
  { location_id, field_id }: Pick<StoredFinding, 'location_id' | 'field_id'>,
): ListedUnder => ({
  client_account_id: inspection.client_account_id,
  location_id: location_id ?? inspection.location_id,
  template_family_id: inspection.template_family_id,
  field_id,
  ...(inspection.asset_id && { asset_id: inspection.asset_id }),
});

/** A finding or action that is moved, under the version that it has. */
export const movedTo = <Row extends { moves?: number; updated_at: string }>(
  work: Work,
  row: Row,
  place: Partial<Row>,
): Row => ({ ...row, ...place, moves: (row.moves ?? 0) + 1, updated_at: work.now });

/** What lists find a finding or action by, whatever else it has: its question and its asset. */
export const listedLabels = ({ field_id, asset_id }: ListedUnder): string[] => [
  ...(field_id ? [fieldLabel(field_id)] : []),
  ...(asset_id ? [ofAsset(asset_id)] : []),
];

/** The status of a finding or action, and how severe or urgent it is. */
type Standing = readonly [status: string, degree: string];

/** The partition of `by_status` that holds the findings or actions with both. */
export const standingPartition = (caller: Caller, kind: 'FINDING' | 'ACTION', standing: Standing): string =>
  keys.childrenWith(caller, kind, 'STATUS', standing.join(' '));

/** An index's key cannot be null, so those without a client or location share a partition that is never read. */
const NONE = 'NONE';

/** The attributes by which indexes find a finding or action. */
export const listIndex = (
  caller: Caller,
  kind: 'FINDING' | 'ACTION',
  standing: Standing,
  under: ListedUnder,
): object => ({
  by_status: standingPartition(caller, kind, standing),
  by_client: keys.childrenWith(caller, kind, 'CLIENT', under.client_account_id ?? NONE),
  by_location: keys.childrenWith(caller, kind, 'LOCATION', under.location_id ?? NONE),
  by_family: keys.childrenWith(caller, kind, 'FAMILY', under.template_family_id),
});
