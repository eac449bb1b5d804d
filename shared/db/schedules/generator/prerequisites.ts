import type { Caller } from '../../../base/caller.ts';
import { isAble } from '../../../domain/members.ts';
import type { ScheduleProblem } from '../../../schemas/schedules/schedule.ts';
import * as members from '../../members/members.ts';
import type {
  CreatedOccurrence,
  StoredFamily,
  StoredLocation,
  StoredMember,
  StoredSchedule,
} from '../../table/entities.ts';
import { type Key, keys } from '../../table/keys.ts';
import { readRows } from '../../table/rows.ts';
import { familyRecords, statusOf } from '../../templates/family-record.ts';

/** A location of an occurrence; null for the only inspection of a schedule without locations. */
export type Place = string | null;

/** What the inspections of an occurrence are made from. */
export interface Prerequisites {
  family: StoredFamily;
  assignees: readonly StoredMember[];
  /** The client accounts of the locations, by the ids of these. */
  clientOf: ReadonlyMap<Place, string | null>;
  /** The places that have their inspection already. */
  created: ReadonlySet<Place>;
}

type Obstacle = Pick<ScheduleProblem, 'kind' | 'resource_id' | 'message'>;

/** Why no inspection can be created, or what they are made from. */
export type Readiness =
  | { isArchived: true }
  | { isArchived: false; obstacle: Obstacle }
  | { isArchived: false; obstacle: undefined; prerequisites: Prerequisites };

/** The places of an occurrence, in their order. */
export const placesOf = ({ location_ids }: StoredSchedule): Place[] =>
  location_ids.length > 0 ? location_ids : [null];

/**
 * Reads everything that the inspections of an occurrence need, in one call for each hundred rows.
 * @param assigneeIds those of the occurrence
 */
export const readPrerequisites = async (
  caller: Caller,
  schedule: StoredSchedule,
  date: string,
  assigneeIds: readonly string[],
): Promise<Readiness> => {
  const { id, template_family_id, client_account_id, location_ids, approver_id } = schedule;
  const familyKey = familyRecords.key(caller, template_family_id);
  const clientKeys = client_account_id === null ? [] : [keys.one(caller, 'CLIENT', client_account_id)];
  const approverKeys = approver_id === null ? [] : [members.key(caller, approver_id)];
  const assigneeKeys = assigneeIds.map((userId) => members.key(caller, userId));
  const locationKeys: Key<StoredLocation>[] = location_ids.map((each) => keys.one(caller, 'LOCATION', each));
  const places = placesOf(schedule);
  const createdKeys: Key<CreatedOccurrence>[] = places.map((place) =>
    keys.occurrence(caller, id, date, place),
  );
  const rowsOf = await readRows(caller, [
    familyKey,
    ...clientKeys,
    ...approverKeys,
    ...assigneeKeys,
    ...locationKeys,
    ...createdKeys,
  ]);
  const [family] = rowsOf([familyKey]);
  if (family && family.archived_at !== null) return { isArchived: true };
  const assignees = rowsOf(assigneeKeys);
  const locations = rowsOf(locationKeys);
  const leaver = assigneeIds.find((_, position) => !isAble('inspect', assignees[position]));
  const gone = location_ids.find((_, position) => !locations[position]);
  const obstacle = ((): Obstacle | undefined => {
    if (!family || statusOf(family) !== 'published') {
      const message = 'The template family has no published version.';
      return { kind: 'template_not_initiable', resource_id: template_family_id, message };
    }
    if (client_account_id !== null && !rowsOf(clientKeys)[0]) {
      const message = 'The client account does not exist any more.';
      return { kind: 'client_account_gone', resource_id: client_account_id, message };
    }
    if (gone !== undefined) {
      return { kind: 'location_gone', resource_id: gone, message: 'A location does not exist any more.' };
    }
    if (leaver !== undefined) {
      const message = 'An assignee cannot carry out inspections any more.';
      return { kind: 'assignee_left', resource_id: leaver, message };
    }
    if (approver_id !== null && !isAble('approve', rowsOf(approverKeys)[0])) {
      const message = 'The approver cannot approve inspections any more.';
      return { kind: 'approver_left', resource_id: approver_id, message };
    }
    return undefined;
  })();
  if (obstacle) return { isArchived: false, obstacle };
  const created = rowsOf(createdKeys);
  return {
    isArchived: false,
    obstacle: undefined,
    prerequisites: {
      family: family!,
      assignees: assignees.flatMap((member) => member ?? []),
      clientOf: new Map(
        locations.map((location, position) => [
          location_ids[position]!,
          client_account_id ?? location?.client_account_id ?? null,
        ]),
      ),
      created: new Set(places.filter((_, position) => created[position])),
    },
  };
};
