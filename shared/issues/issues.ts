import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { pick } from '../base/fields.ts';
import type { Problem } from '../base/problem.ts';
import { isIssueOpen, moveBetween, moveFields, needsNote, reachableFrom } from '../domain/issues/workflow.ts';
import { hasLabels, ofAsset, wanted } from '../domain/labels.ts';
import { wordFilter } from '../domain/words.ts';
import { checkAssignee } from '../inspections/corrective-actions/assignee.ts';
import {
  EXTERNAL_REF,
  issueActivity,
  issueEvent,
  issueRecords,
  type NewIssueActivity,
  toIssue,
} from '../inspections/rows/issue-records.ts';
import { listWithCurrentNames, namesOf, withCurrentNames } from '../inspections/rows/names-then.ts';
import { clientOf } from '../inspections/setup.ts';
import { notify } from '../notices/notify.ts';
import * as members from '../organizations/members/members.ts';
import { MAX_MERGED, placesOf } from '../places/locations/places.ts';
import {
  type Issue,
  IssueActivity,
  type IssueActivityKind,
  type IssueChanges,
  type IssueQuery,
} from '../schemas/issues/issue.ts';
import { candidateRows, idByExternalRef, type IdsOf, mergedIds, newestIds } from '../table/candidates.ts';
import { change, type Work } from '../table/change.ts';
import { expectVersion, nextVersion } from '../table/collection.ts';
import { noneOf } from '../table/conditions.ts';
import type { StoredIssue } from '../table/entities/issues.ts';
import { refusalOf } from '../table/former-locations.ts';
import { type Key, keys } from '../table/keys.ts';
import { mergeLabelled } from '../table/labels.ts';
import {
  listHistory,
  type Listing,
  listing,
  type ListQuery,
  readCursor,
  shownEntry,
} from '../table/listing.ts';
import * as resource from '../table/resource.ts';
import { countRows, getRow, getRows, queryRows, type RowsAt, withoutKeys } from '../table/rows.ts';
import { positionBy, rowsByWord } from '../table/words.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { categoryRecords } from './categories.ts';
import { checkedAnswers, documentReferences } from './create.ts';

/** The decided change of an issue. */
interface IssueEdit<Reply> {
  next: StoredIssue;
  /** The new entries of its history. */
  activities: NewIssueActivity[];
  writes?: Write[];
  reply: (outcome: { issue: Issue; entries: IssueActivity[] }) => Reply;
}

/** The reply of an edit that shows the issue. */
const replyWithIssue = ({ issue }: { issue: Issue }): Issue => issue;

/** What an issue names. */
const NAMING = ['client_account_id', 'location_id', 'assignee_id'] as const;

/**
 * An issue after a change, with what it names if nothing is left to do about it. What a closed issue names already
 * keeps its name. Calls: none for an open one, else as `namesOf`.
 */
const withNames = async (work: Work, before: StoredIssue, after: StoredIssue): Promise<StoredIssue> => {
  if (isIssueOpen(after.status)) return after.names_then ? { ...after, names_then: null } : after;
  const isClosing = isIssueOpen(before.status);
  if (!isClosing && NAMING.every((field) => before[field] === after[field])) return after;
  const { client_account_id, location_id, assignee_id, reported_by } = after;
  const now = await namesOf(work, { client_account_id, location_id, people: [reported_by, assignee_id] });
  const kept = isClosing ? null : (after.names_then ?? null);
  const isKept = new Set(kept?.people.map(({ user_id }) => user_id));
  const names_then = {
    client: kept?.client?.id === client_account_id ? kept.client : now.client,
    location: kept?.location?.id === location_id ? kept.location : now.location,
    people: [...(kept?.people ?? []), ...now.people.filter(({ user_id }) => !isKept.has(user_id))],
  };
  return { ...after, names_then };
};

/**
 * Makes one change of an issue. Each change increases its version, also one that only adds an entry to its history. An
 * edit that changes nothing is not written.
 * @throws ApiError 404; 409 for another version; what `decide` throws
 */
export const editIssue = <Reply, const Others extends readonly (Key | undefined)[]>(
  caller: Caller,
  id: string,
  expectedVersion: number | undefined,
  {
    also,
    check = () => {},
    decide,
  }: {
    /** Keys of the other rows that the decision needs. */
    also: Others;
    /** @throws ApiError 400 when the request names a row that is missing or cannot be used */
    check?: (others: RowsAt<Others>, current: StoredIssue) => Promise<void> | void;
    /**
     * @param confirm checks the version. Call it after the checks of resources that the request names, and before
     *   others
     */
    decide: (
      current: StoredIssue,
      work: Work,
      others: RowsAt<Others>,
      confirm: () => void,
    ) => Promise<IssueEdit<Reply>> | IssueEdit<Reply>;
  },
): Promise<Reply> =>
  change(caller, async (work) => {
    const [row, ...others] = await getRows(work, [issueRecords.key(work, id), ...also]);
    if (!row) throw errors.notFound(issueRecords.noun);
    const current = withoutKeys(row);
    await check(others, current);
    const confirm = () => expectVersion(issueRecords.noun, current, expectedVersion);
    const { next, activities, writes = [], reply } = await decide(current, work, others, confirm);
    confirm();
    if (isDeepStrictEqual(next, current) && activities.length === 0) {
      return { writes: [], reply: reply({ issue: toIssue(current, work.now), entries: [] }) };
    }
    const updated = nextVersion(work, current, await withNames(work, current, next));
    const history = activities.map((each) => issueActivity(work, id, each));
    const issue = toIssue(updated, work.now);
    return {
      writes: [
        ...resource.replace(issueRecords, work, current, updated),
        ...history.map((added) => added.write),
        ...notify(work, 'issueChanged', {
          issue: updated,
          before: current,
          default_assignee_id: null,
        }),
        issueEvent(work, 'updated', updated),
        ...writes,
      ],
      reply: reply({ issue, entries: history.map(({ entry }) => shownEntry(IssueActivity, entry)) }),
    };
  });

/** Fields whose edits have entries of their own in the history. */
const RECORDED: Readonly<Record<string, IssueActivityKind>> = {
  assignee_id: 'assigned',
  due_at: 'due_changed',
  priority: 'priority_changed',
  category_id: 'category_changed',
};

/** The entries of an edit in the history, except moves. */
const editActivities = (before: StoredIssue, after: StoredIssue): NewIssueActivity[] => {
  const changed = (Object.keys(after) as (keyof StoredIssue)[]).filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
  const recorded = changed.flatMap((name): NewIssueActivity[] => {
    const kind = RECORDED[name];
    return kind ? [{ kind, from: before[name] as string | null, to: after[name] as string | null }] : [];
  });
  const others = changed.filter((name) => !(name in RECORDED));
  return others.length > 0 ? [...recorded, { kind: 'edited', to: others.toSorted().join(', ') }] : recorded;
};

const missing = (field: string): Problem => ({
  loc: ['body', field],
  msg: 'Field required',
  type: 'missing',
});

/** The problems of a move, or of a duplicate, that only the issue’s state can show. */
const moveProblems = (
  next: StoredIssue,
  move: ReturnType<typeof moveBetween>,
  note: string | undefined,
): Problem[] => {
  const isDuplicate = next.status === 'duplicate';
  return [
    ...(move && needsNote(move) && note === undefined ? [missing('note')] : []),
    ...(isDuplicate && next.duplicate_of_id === null ? [missing('duplicate_of_id')] : []),
    ...(!isDuplicate && next.duplicate_of_id !== null
      ? [
          {
            loc: ['body', 'duplicate_of_id'],
            msg: 'Value error, only an issue with the status duplicate has a duplicate_of_id',
            type: 'value_error' as const,
          },
        ]
      : []),
  ];
};

/** The move to the wanted status; undefined when it is the current one. @throws ApiError 409 when none leads there */
const moveTo = ({ status }: StoredIssue, wanted: StoredIssue['status'] | undefined) => {
  if (wanted === undefined || wanted === status) return undefined;
  const move = moveBetween(status, wanted);
  if (move) return move;
  const reachable = reachableFrom(status);
  throw errors.issueStatus(
    status,
    reachable.length > 0
      ? `It can become ${reachable.join(' or ')}, not ${wanted}`
      : `It cannot become ${wanted}`,
  );
};

/**
 * Checks the original of a duplicate, in the same transaction: no issue is a duplicate of a duplicate, so duplicates
 * never form a circle.
 * @throws ApiError 409 for the issue itself, or one that is a duplicate
 */
const duplicateCheck = (
  caller: Caller,
  current: StoredIssue,
  next: StoredIssue,
  original: StoredIssue | undefined,
): Write[] => {
  if (next.duplicate_of_id === current.duplicate_of_id || !original) return [];
  if (original.id === current.id || original.status === 'duplicate') {
    throw errors.issueDuplicate(
      original.number,
      original.id === current.id ? 'this issue itself' : original.status,
    );
  }
  return [write.check(issueRecords.key(caller, original.id), undefined, noneOf('status', ['duplicate']))];
};

/**
 * Edits an issue, and moves it to `status`.
 * @throws ApiError 404; 400 for a resource that does not exist, an assignee who is not active, or a location of another
 *   client account; 409 for another version, a status that cannot be reached, an original that is a duplicate, or an
 *   external_ref in use; 422 for answers that the category does not accept, or fields that the move lacks
 */
export const update = (
  caller: Caller,
  id: string,
  { status, note, answers, ...fields }: IssueChanges,
  expectedVersion?: number,
): Promise<Issue> => {
  const { category_id, client_account_id, location_id, asset_id, assignee_id, duplicate_of_id } = fields;
  const named = documentReferences(caller, { answers, media: fields.media });
  return editIssue(caller, id, expectedVersion, {
    also: [
      category_id ? categoryRecords.key(caller, category_id) : undefined,
      location_id ? keys.one(caller, 'LOCATION', location_id) : undefined,
      client_account_id ? keys.one(caller, 'CLIENT', client_account_id) : undefined,
      assignee_id ? members.key(caller, assignee_id) : undefined,
      duplicate_of_id ? issueRecords.key(caller, duplicate_of_id) : undefined,
      asset_id ? keys.one(caller, 'ASSET', asset_id) : undefined,
      ...named.map(({ key }) => key),
    ],
    check: async ([category, location, client, assignee, original, asset, ...documents], current) => {
      const absent = [
        ...(category_id && !category ? ['category_id'] : []),
        ...(location_id && (!location || location.merged_into) ? ['location_id'] : []),
        ...(asset_id && !asset ? ['asset_id'] : []),
        ...(client_account_id && !client ? ['client_account_id'] : []),
        ...(duplicate_of_id && !original ? ['duplicate_of_id'] : []),
        ...named.flatMap(({ field }, position) => (documents[position] ? [] : [field])),
      ];
      if (absent.length > 0)
        throw await refusalOf(caller, [location], errors.referenceNotFound(...new Set(absent)));
      if (assignee_id && assignee_id !== current.assignee_id) checkAssignee(assignee);
    },
    decide: async (current, work, [category, location, , , original, , ...documents], confirm) => {
      const place = await placeAfter(work, current, { client_account_id, location_id }, location);
      confirm();
      const move = moveTo(current, status);
      if (category && category.id !== current.category_id && !category.is_active) {
        throw errors.categoryInactive(category.name);
      }
      const edited = mergeLabelled(current, { ...fields, ...place });
      const writes = duplicateCheck(work, current, edited, original);
      if (answers) {
        const asked = category ?? (await categoryOf(work, edited));
        edited.answers = checkedAnswers(asked, answers, documents);
      }
      const next = move ? { ...edited, ...moveFields(move, edited, work.now) } : edited;
      const problems = moveProblems(next, move, note);
      if (problems.length > 0) throw errors.validationFailed(problems);
      const said: NewIssueActivity[] = move
        ? [{ kind: 'status_changed', from: current.status, to: next.status, note: note ?? '' }]
        : note === undefined
          ? []
          : [{ kind: 'commented', note }];
      return {
        next,
        activities: [...editActivities(current, edited), ...said],
        writes,
        reply: replyWithIssue,
      };
    },
  });
};

/**
 * The writes by which an issue gets another client account or location, because its location has changed.
 * @param isMeant whether it does, as it is by then
 * @returns undefined when it does not
 */
export const placeIssue = async (
  work: Work,
  id: string,
  place: Partial<Pick<StoredIssue, 'client_account_id' | 'location_id'>>,
  isMeant: (issue: StoredIssue) => boolean,
): Promise<Write[] | undefined> => {
  const row = await issueRecords.find(work, id);
  if (!row || !isMeant(row)) return undefined;
  const current = withoutKeys(row);
  const next: StoredIssue = { ...nextVersion(work, current, {}), ...place };
  return [
    ...resource.replace(issueRecords, work, current, next),
    ...editActivities(current, { ...current, ...place }).map((each) => issueActivity(work, id, each).write),
    issueEvent(work, 'updated', next),
  ];
};

/** The category whose questions the answers belong to. One call; none without a category. */
const categoryOf = async (caller: Caller, { category_id }: StoredIssue) =>
  category_id ? getRow(caller, categoryRecords.key(caller, category_id)) : undefined;

/**
 * The client account after a change of the client account or the location.
 * @throws ApiError 400 for a location of another client account
 */
const placeAfter = async (
  caller: Caller,
  current: StoredIssue,
  sent: Pick<IssueChanges, 'client_account_id' | 'location_id'>,
  location: Parameters<typeof clientOf>[2],
): Promise<Pick<IssueChanges, 'client_account_id'>> => {
  if (sent.client_account_id === undefined && sent.location_id === undefined) return {};
  const isKept = sent.location_id === undefined && current.location_id !== null;
  const at = isKept ? await getRow(caller, keys.one(caller, 'LOCATION', current.location_id!)) : location;
  return { client_account_id: clientOf(sent, current, at) };
};

/** @throws ApiError 404; 409 for another version */
export const comment = (
  caller: Caller,
  id: string,
  note: string,
  expectedVersion?: number,
): Promise<IssueActivity> =>
  editIssue(caller, id, expectedVersion, {
    also: [],
    decide: (current) => ({
      next: current,
      activities: [{ kind: 'commented', note }],
      reply: ({ entries }) => entries[0]!,
    }),
  });

/** The issue's history, oldest first. @throws ApiError 404 */
export const listActivity = (caller: Caller, id: string, query: ListQuery): Promise<Listing<IssueActivity>> =>
  listHistory(
    caller,
    IssueActivity,
    `ISSUE_ACTIVITY ${id}`,
    keys.parts(caller, 'ISSUE', id, 'ISSUE_ACTIVITY'),
    query,
    () => issueRecords.get(caller, id),
  );

const KIND = 'ISSUE';

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Issue> => {
  const [issue] = await withCurrentNames(caller, [await issueRecords.get(caller, id)]);
  return toIssue(issue!, new Date().toISOString());
};

/** Filters that a field of the same name equals. */
const EQUAL = [
  'category_id',
  'assignee_id',
  'location_id',
  'asset_id',
  'client_account_id',
  'source',
  'external_ref',
  'is_overdue',
] as const;

/** Whether an issue passes all given filters. */
const filterOf = (
  filters: IssueQuery,
  places: ReadonlySet<string> | undefined,
): ((issue: Issue) => boolean) => {
  const equalities = [
    ...Object.entries(pick(filters, EQUAL)),
    ...Object.entries({ is_overdue: filters.overdue }),
  ].filter(([, value]) => value !== undefined);
  const statuses = filters.status && new Set(filters.status);
  const priorities = filters.priority && new Set(filters.priority);
  const hasWords = wordFilter(filters.q);
  const labels = wanted(filters);
  return (issue) =>
    equalities.every(([field, values]) => [values].flat().includes(issue[field as keyof Issue] as never)) &&
    (!places || (issue.location_id !== null && places.has(issue.location_id))) &&
    (!statuses || statuses.has(issue.status)) &&
    (!priorities || priorities.has(issue.priority)) &&
    hasLabels(issue, labels) &&
    (!filters.updated_since || issue.updated_at >= filters.updated_since) &&
    hasWords(issue);
};

/** Ids that include all issues of a filtered list, from the most selective list or index for the filters. */
const candidatesOf =
  (caller: Caller, filters: IssueQuery, places: ReadonlySet<string> | undefined, now: string) =>
  (idsOf: IdsOf): AsyncGenerator<string> | undefined => {
    const { external_ref, assignee_id, client_account_id, category_id, status } = filters;
    if (external_ref) return idByExternalRef(caller, EXTERNAL_REF, external_ref);
    if (filters.is_overdue ?? filters.overdue) {
      const due = queryRows(caller, { partition: keys.issueDue.partition(caller), upTo: now });
      return newestIds(due, ({ issue_id }) => issue_id);
    }
    const [labels] = [
      ...(filters.asset_id ? [[filters.asset_id].flat().map(ofAsset)] : []),
      ...wanted(filters),
    ];
    if (labels) {
      const ranges = labels.map((label) => keys.issueWith.range(caller, label));
      return mergedIds(ranges.map(({ partition, prefix }) => idsOf(partition, undefined, prefix)));
    }
    if (assignee_id) return idsOf(keys.issueAssignment.partition(caller, assignee_id));
    if (places && places.size <= MAX_MERGED)
      return mergedIds(
        Array.from(places, (id) => idsOf(keys.issuesWith(caller, 'LOCATION', id), 'by_location')),
      );
    if (client_account_id) return idsOf(keys.issuesWith(caller, 'CLIENT', client_account_id), 'by_client');
    if (category_id) return idsOf(keys.issuesWith(caller, 'CATEGORY', category_id), 'by_family');
    if (!status) return undefined;
    return mergedIds(
      [...new Set(status)].map((each) => idsOf(keys.issuesWith(caller, 'STATUS', each), 'by_status')),
    );
  };

/** What `q` asks for, where the words of issues find it, rather than a list or an index. */
const wordsIn = (filters: IssueQuery): string | undefined => {
  const { q, external_ref, is_overdue, overdue, asset_id, assignee_id, location_id, within, region_id } =
    filters;
  const others = [external_ref, is_overdue ?? overdue, asset_id, assignee_id, location_id, within, region_id];
  return others.some(Boolean) || wanted(filters).length > 0 ? undefined : q;
};

/** Issues that pass the filters, newest first, or in the order of the words that were found. */
const findIssues = async function* (
  caller: Caller,
  filters: IssueQuery,
  after: string | undefined,
): AsyncGenerator<Issue> {
  const now = new Date().toISOString();
  const { location_id, within, region_id } = filters;
  const places = await placesOf(caller, {
    location_id: location_id ? [location_id] : undefined,
    within,
    region_id,
  });
  const isWanted = filterOf(filters, places);
  const q = wordsIn(filters);
  const rows =
    q === undefined
      ? candidateRows(caller, KIND, filters, after, candidatesOf(caller, filters, places, now))
      : rowsByWord(caller, KIND, q, after, filters.limit);
  for await (const row of rows) {
    const issue = toIssue(row, now);
    if (isWanted(issue)) yield issue;
  }
};

/** As `findIssues`. @throws ApiError 422 for a cursor of another list */
export const list = async (caller: Caller, query: IssueQuery): Promise<Listing<Issue>> =>
  listing(
    caller,
    KIND,
    query,
    listWithCurrentNames(
      caller,
      findIssues(caller, query, readCursor(caller, KIND, query)),
      query.limit && query.limit + 1,
    ),
    positionBy(wordsIn(query)),
    (issue) => issue,
  );

/** How many open issues are overdue. @param most where counting ends */
export const countOverdue = (caller: Caller, most: number): Promise<number> =>
  countRows(caller, { partition: keys.issueDue.partition(caller), upTo: new Date().toISOString() }, most);
