import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { merge } from '../../base/fields.ts';
import type { Problem } from '../../base/problem.ts';
import { moveBetween, moveFields, needsNote, reachableFrom } from '../../domain/issues/workflow.ts';
import type { Issue, IssueActivityKind, IssueChanges } from '../../schemas/issues/issue.ts';
import { checkAssignee } from '../corrective-actions/assignee.ts';
import type { NewIssueActivity } from '../inspection-core/issue-links.ts';
import { issueRecords } from '../inspection-core/issue-record.ts';
import { clientOf } from '../inspections/setup/participants.ts';
import * as members from '../members/members.ts';
import { noneOf } from '../table/conditions.ts';
import type { StoredIssue } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { getRow } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { checkedAnswers, documentReferences } from './answers.ts';
import { categoryRecords } from './categories.ts';
import { editIssue, replyWithIssue } from './edit.ts';

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

/** What is wrong with a move, or with a duplicate, that only the issue’s state can tell. */
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
 * The check of what an issue duplicates, in the transaction that says so: no issue is a duplicate of a duplicate, so
 * duplicates never form a circle.
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
 * Edits an issue, and takes the move that leads to `status`.
 * @throws ApiError 404; 400 for a resource that does not exist, an assignee who is not active, or a location of another
 *   client account; 409 for another version, a status that cannot be reached, something that cannot be duplicated, or an
 *   external_ref in use; 422 for answers that the category does not accept, or for what the move needs and lacks
 */
export const update = (
  caller: Caller,
  id: string,
  { status, note, answers, ...fields }: IssueChanges,
  expectedVersion?: number,
): Promise<Issue> => {
  const { category_id, client_account_id, location_id, assignee_id, duplicate_of_id } = fields;
  const named = documentReferences(caller, { answers, media: fields.media });
  return editIssue(caller, id, expectedVersion, {
    also: [
      category_id ? categoryRecords.key(caller, category_id) : undefined,
      location_id ? keys.one(caller, 'LOCATION', location_id) : undefined,
      client_account_id ? keys.one(caller, 'CLIENT', client_account_id) : undefined,
      assignee_id ? members.key(caller, assignee_id) : undefined,
      duplicate_of_id ? issueRecords.key(caller, duplicate_of_id) : undefined,
      ...named.map(({ key }) => key),
    ],
    check: ([category, location, client, assignee, original, ...documents], current) => {
      const absent = [
        ...(category_id && !category ? ['category_id'] : []),
        ...(location_id && !location ? ['location_id'] : []),
        ...(client_account_id && !client ? ['client_account_id'] : []),
        ...(duplicate_of_id && !original ? ['duplicate_of_id'] : []),
        ...named.flatMap(({ field }, position) => (documents[position] ? [] : [field])),
      ];
      if (absent.length > 0) throw errors.referenceNotFound(...new Set(absent));
      if (assignee_id && assignee_id !== current.assignee_id) checkAssignee(assignee);
    },
    decide: async (current, work, [category, location, , , original, ...documents], confirm) => {
      const place = await placeAfter(work, current, { client_account_id, location_id }, location);
      confirm();
      const move = moveTo(current, status);
      if (category && category.id !== current.category_id && !category.is_active) {
        throw errors.categoryInactive(category.name);
      }
      const edited = merge(current, { ...fields, ...place });
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

/** The category whose questions the answers are checked against. One call, and none without a category. */
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
