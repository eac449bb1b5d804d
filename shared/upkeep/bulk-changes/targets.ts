import type { Caller, PersonRole } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { fold } from '../../base/text.ts';
import * as correctiveActions from '../../inspections/corrective-actions/corrective-actions.ts';
import * as actionLists from '../../inspections/corrective-actions/lists.ts';
import * as inspectionLists from '../../inspections/lists.ts';
import { archive } from '../../inspections/steps.ts';
import { update } from '../../inspections/update.ts';
import * as issues from '../../issues/issues.ts';
import * as assets from '../../places/assets/assets.ts';
import * as assetLists from '../../places/assets/lists.ts';
import * as locationLists from '../../places/locations/lists.ts';
import * as locations from '../../places/locations/locations.ts';
import { atStanding } from '../../places/locations/places.ts';
import { decommission } from '../../schedules/decommission.ts';
import * as scheduleLists from '../../schedules/lists.ts';
import * as schedules from '../../schedules/schedules.ts';
import type { Asset } from '../../schemas/assets/asset.ts';
import type { BulkAction, BulkActionOn, BulkFilter, BulkResource } from '../../schemas/bulk-change.ts';
import type { CorrectiveAction } from '../../schemas/corrective-action.ts';
import type { Inspection, NewParticipant, Participant } from '../../schemas/inspections/inspection.ts';
import type { Issue } from '../../schemas/issues/issue.ts';
import { MAX_LABELS } from '../../schemas/labels.ts';
import type { Location } from '../../schemas/location.ts';
import type { Schedule } from '../../schemas/schedules/schedule.ts';
import { following } from '../../table/former-locations.ts';
import type { Listing } from '../../table/listing.ts';

/*
 * What a bulk change does to one row: what the operation for a single one does, with a body that is made from the row as
 * it is. All rules, rights included, are those of that operation.
 */

/** A row as clients see it. */
export interface Shown {
  id: string;
  version: number;
  updated_at: string;
}

/** What the operation for a single row does; undefined where the row is as it would be. */
type Single = ((caller: Caller) => Promise<unknown>) | undefined;

/** How an action changes one row. */
interface Act<Row extends Shown, Action> {
  /** The id of the operation for a single one. */
  operation: string;
  /** For members of which roles a key may do it (`On-Behalf-Of`), as that operation says; for nobody where left out. */
  actsFor?: readonly PersonRole[];
  on: (row: Row, action: Action) => Single;
}

type Acts<Row extends Shown, Of extends BulkResource> = {
  [Type in BulkActionOn<Of>['type']]: Act<Row, Extract<BulkActionOn<Of>, { type: Type }>>;
};

/** A list, and what can be done to its rows. */
interface Target<Row extends Shown, Of extends BulkResource> {
  /** How the path of its operations begins. */
  path: `/${string}`;
  nameOf: (row: Row) => string;
  list: (caller: Caller, filter: Omit<BulkFilter<Of>, 'ids'>) => Promise<Listing<{ id: string }>>;
  /** @throws ApiError 404 */
  get: (caller: Caller, id: string) => Promise<Row>;
  acts: Acts<Row, Of>;
}

/** The tags after some were added and some removed. @throws ApiError 422 for too many */
const tagsAfter = (
  tags: readonly string[],
  { add, remove }: Extract<BulkAction, { type: 'tag' }>,
): string[] => {
  const removed = new Set(remove.map(fold));
  const left = tags.filter((tag) => !removed.has(fold(tag)));
  const known = new Set(left.map(fold));
  const next = [...left, ...add.filter((tag) => !known.has(fold(tag)) && !removed.has(fold(tag)))];
  if (next.length <= MAX_LABELS) return next;
  const msg = `Value error, more than ${MAX_LABELS} tags`;
  throw errors.validationFailed([{ loc: ['body', 'tags'], type: 'value_error', msg }]);
};

/** The ids after one person has taken the place of another one, or of all. */
const handedOver = (
  ids: readonly string[],
  { from, to }: Extract<BulkAction, { type: 'reassign' }>,
): string[] => {
  if (from === undefined) return to === null ? [] : [to];
  const next = ids.flatMap((id) => (id === from ? (to === null ? [] : [to]) : [id]));
  return [...new Set(next)];
};

/** The same for something with one assignee. */
const assigneeAfter = (
  assignee: string | null,
  { from, to }: Extract<BulkAction, { type: 'reassign' }>,
): string | null => (from === undefined || from === assignee ? to : assignee);

const asGiven = ({ user_id, role, section_ids }: Participant): NewParticipant => ({
  user_id,
  role,
  section_ids,
});

const unionOf = (one: readonly string[], other: readonly string[]): string[] => [
  ...new Set([...one, ...other]),
];

/**
 * The participants after one has taken the part of another one, or of all inspectors and leads. Who has a part already
 * keeps their role, and gets the sections as well.
 */
const participantsAfter = (
  participants: readonly Participant[],
  { from, to }: Extract<BulkAction, { type: 'reassign' }>,
): NewParticipant[] => {
  const isReplaced = ({ user_id, role }: Participant) =>
    from === undefined ? role === 'inspector' || role === 'lead' : user_id === from;
  const replaced = participants.filter(isReplaced);
  if (from !== undefined && replaced.length === 0) return participants.map(asGiven);
  const others = participants.filter((participant) => !isReplaced(participant)).map(asGiven);
  if (to === null) return others;
  const own = participants.find(({ user_id }) => user_id === to);
  const first = own ?? replaced[0];
  // Without sections, a part is the whole inspection.
  const isWhole = replaced.some(({ section_ids }) => section_ids.length === 0) || replaced.length === 0;
  const sections = replaced.reduce<string[]>((all, { section_ids }) => unionOf(all, section_ids), []);
  const taken = {
    user_id: to,
    role: first?.role ?? ('inspector' as const),
    section_ids: isWhole ? [] : unionOf(sections, own?.section_ids ?? []),
  };
  return [taken, ...others.filter(({ user_id }) => user_id !== to)];
};

/** Those who carry inspections out, and admins who may do all of it. */
const INSPECTING = ['admin', 'inspector'] as const;
const EVERYBODY = ['admin', 'approver', 'inspector'] as const;

const inspectionTarget: Target<Inspection, 'inspections'> = {
  path: '/inspections',
  nameOf: ({ name }) => name,
  list: (caller, filter) => inspectionLists.list(caller, filter),
  get: inspectionLists.show,
  acts: {
    reassign: {
      operation: 'updateInspection',
      actsFor: INSPECTING,
      on: ({ id, version, participants }, action) => {
        const next = participantsAfter(participants, action);
        return (caller) => update(caller, id, { participants: next }, version);
      },
    },
    set_due: {
      operation: 'updateInspection',
      actsFor: INSPECTING,
      on:
        ({ id, version }, { due_at }) =>
        (caller) =>
          update(caller, id, { due_at }, version),
    },
    archive: {
      operation: 'archiveInspection',
      actsFor: INSPECTING,
      on: ({ id, version, status }) =>
        status === 'archived' ? undefined : (caller) => archive(caller, id, version),
    },
    tag: {
      operation: 'updateInspection',
      actsFor: INSPECTING,
      on:
        ({ id, version, tags }, action) =>
        (caller) =>
          update(caller, id, { tags: tagsAfter(tags, action) }, version),
    },
    move: {
      operation: 'updateInspection',
      actsFor: INSPECTING,
      on:
        ({ id, version }, { location_id }) =>
        (caller) =>
          update(caller, id, { location_id }, version),
    },
  },
};

const actionTarget: Target<CorrectiveAction, 'corrective_actions'> = {
  path: '/corrective-actions',
  nameOf: ({ title }) => title,
  list: (caller, filter) => actionLists.listAll(caller, filter),
  get: actionLists.get,
  acts: {
    reassign: {
      operation: 'updateCorrectiveAction',
      actsFor: EVERYBODY,
      on:
        ({ id, version, assignee_id }, action) =>
        (caller) =>
          correctiveActions.update(caller, id, { assignee_id: assigneeAfter(assignee_id, action) }, version),
    },
    set_due: {
      operation: 'updateCorrectiveAction',
      actsFor: EVERYBODY,
      on:
        ({ id, version }, { due_at }) =>
        (caller) =>
          correctiveActions.update(caller, id, { due_at }, version),
    },
    verify: {
      operation: 'verifyCorrectiveAction',
      actsFor: EVERYBODY,
      on: ({ id, version, status }, { note, resolve_finding }) =>
        status === 'verified'
          ? undefined
          : (caller) =>
              correctiveActions.verify(caller, id, { accepted: true, note, resolve_finding }, version),
    },
    tag: {
      operation: 'updateCorrectiveAction',
      actsFor: EVERYBODY,
      on:
        ({ id, version, tags }, action) =>
        (caller) =>
          correctiveActions.update(caller, id, { tags: tagsAfter(tags, action) }, version),
    },
    set_contact: {
      operation: 'updateCorrectiveAction',
      actsFor: EVERYBODY,
      on:
        ({ id, version }, { contact }) =>
        (caller) =>
          correctiveActions.update(caller, id, { contact }, version),
    },
    cancel: {
      operation: 'updateCorrectiveAction',
      actsFor: EVERYBODY,
      on:
        ({ id, version }) =>
        (caller) =>
          correctiveActions.update(caller, id, { status: 'cancelled' }, version),
    },
  },
};

const issueTarget: Target<Issue, 'issues'> = {
  path: '/issues',
  nameOf: ({ title }) => title,
  list: (caller, filter) => issues.list(caller, filter),
  get: (caller, id) => issues.get(caller, id),
  acts: {
    reassign: {
      operation: 'updateIssue',
      on:
        ({ id, version, assignee_id }, action) =>
        (caller) =>
          issues.update(caller, id, { assignee_id: assigneeAfter(assignee_id, action) }, version),
    },
    set_due: {
      operation: 'updateIssue',
      on:
        ({ id, version }, { due_at }) =>
        (caller) =>
          issues.update(caller, id, { due_at }, version),
    },
    tag: {
      operation: 'updateIssue',
      on:
        ({ id, version, tags }, action) =>
        (caller) =>
          issues.update(caller, id, { tags: tagsAfter(tags, action) }, version),
    },
    move: {
      operation: 'updateIssue',
      on:
        ({ id, version }, { location_id }) =>
        (caller) =>
          issues.update(caller, id, { location_id }, version),
    },
    cancel: {
      operation: 'updateIssue',
      on: ({ id, version, status }, { note }) =>
        status === 'rejected'
          ? undefined
          : (caller) =>
              issues.update(caller, id, { status: 'rejected', ...(note !== '' && { note }) }, version),
    },
  },
};

const locationTarget: Target<Location, 'locations'> = {
  path: '/locations',
  nameOf: ({ name }) => name,
  list: (caller, filter) => locationLists.list(caller, { ...filter, offset: 0 }),
  get: locations.get,
  acts: {
    archive: {
      operation: 'updateLocation',
      on:
        ({ id, version }) =>
        (caller) =>
          locations.update(caller, id, { status: 'inactive' }, version),
    },
    tag: {
      operation: 'updateLocation',
      on:
        ({ id, version, tags }, action) =>
        (caller) =>
          locations.update(caller, id, { tags: tagsAfter(tags, action) }, version),
    },
    move: {
      operation: 'updateLocation',
      on:
        ({ id, version }, { location_id }) =>
        (caller) =>
          locations.update(caller, id, { parent_id: location_id }, version),
    },
  },
};

const assetTarget: Target<Asset, 'assets'> = {
  path: '/assets',
  nameOf: ({ name }) => name,
  list: (caller, filter) => assetLists.list(caller, filter),
  get: assets.get,
  acts: {
    archive: {
      operation: 'decommissionAsset',
      on: ({ id, version, status }, { reason }) =>
        status === 'decommissioned' ? undefined : (caller) => decommission(caller, id, { reason }, version),
    },
    tag: {
      operation: 'updateAsset',
      on:
        ({ id, version, tags }, action) =>
        (caller) =>
          assets.update(caller, id, { tags: tagsAfter(tags, action) }, version),
    },
    move: {
      operation: 'updateAsset',
      on:
        ({ id, version }, { location_id }) =>
        (caller) =>
          assets.update(caller, id, { location_id }, version),
    },
  },
};

const scheduleTarget: Target<Schedule, 'schedules'> = {
  path: '/inspection-schedules',
  nameOf: ({ title }) => title,
  list: (caller, filter) => scheduleLists.list(caller, filter),
  get: schedules.get,
  acts: {
    reassign: {
      operation: 'updateSchedule',
      on:
        ({ id, version, assignee_ids }, action) =>
        (caller) =>
          schedules.update(
            caller,
            id,
            { assignee_ids: handedOver(assignee_ids, action) },
            { created: 'keep', dry_run: false },
            version,
          ),
    },
    archive: {
      operation: 'updateSchedule',
      on:
        ({ id, version }) =>
        (caller) =>
          schedules.update(caller, id, { status: 'paused' }, { created: 'keep', dry_run: false }, version),
    },
  },
};

export const TARGETS = {
  inspections: inspectionTarget,
  corrective_actions: actionTarget,
  issues: issueTarget,
  locations: locationTarget,
  assets: assetTarget,
  schedules: scheduleTarget,
} as const;

/** A list and one action on its rows, whatever they are. */
export interface BulkTarget {
  path: string;
  actsFor: readonly PersonRole[];
  nameOf: (row: Shown) => string;
  list: (caller: Caller) => Promise<Listing<{ id: string }>>;
  get: (caller: Caller, id: string) => Promise<Shown>;
  /** @throws ApiError for a row that can never be changed so */
  on: (row: Shown) => Single;
}

/** The list and the action of a bulk change. What belongs together was checked when it was requested. */
export const targetOf = ({
  resource,
  filter,
  action,
}: {
  resource: BulkResource;
  filter: object;
  action: BulkAction;
}): BulkTarget => {
  const { path, nameOf, list, get, acts } = TARGETS[resource] as unknown as Target<Shown, 'inspections'>;
  const { ids } = filter as { ids?: readonly string[] };
  const { actsFor = [], on } = acts[action.type as keyof typeof acts] as Act<Shown, BulkAction>;
  return {
    path,
    actsFor,
    nameOf,
    list: async (caller) =>
      ids
        ? { page: [...new Set(ids)].map((id) => ({ id })) }
        : list(caller, (await atStanding(caller, { query: filter })).query),
    get,
    on: (row) => {
      const single = on(row, action);
      return single && ((caller) => following(action, (followed) => on(row, followed)!(caller)));
    },
  };
};
