import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { type Issue, IssueActivity } from '../../schemas/issues/issue.ts';
import {
  issueActivity,
  issueRecords,
  type NewIssueActivity,
  toIssue,
} from '../inspection-core/issue-record.ts';
import { notify } from '../notifications/notify.ts';
import { change, type Work } from '../table/change.ts';
import { expectVersion, nextVersion } from '../table/collection.ts';
import type { StoredIssue } from '../table/entities.ts';
import type { Key } from '../table/keys.ts';
import { shownEntry } from '../table/listing.ts';
import { emit } from '../table/outbox/outbox.ts';
import * as resource from '../table/resource.ts';
import { getRows, type RowsAt, withoutKeys } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';

/** The decided change of an issue. */
export interface Edit<Reply> {
  next: StoredIssue;
  /** The new entries of its history. */
  activities: NewIssueActivity[];
  writes?: Write[];
  reply: (outcome: { issue: Issue; entries: IssueActivity[] }) => Reply;
}

/** The reply of an edit that is answered with the issue. */
export const replyWithIssue = ({ issue }: { issue: Issue }): Issue => issue;

/**
 * One change of an issue. Each increases its version, also one that only writes an entry of its history. A change that
 * changes nothing is not written.
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
    check?: (others: RowsAt<Others>, current: StoredIssue) => void;
    /**
     * @param confirm checks the version. Call it after the checks of what else the request names, and before any other
     */
    decide: (
      current: StoredIssue,
      work: Work,
      others: RowsAt<Others>,
      confirm: () => void,
    ) => Promise<Edit<Reply>> | Edit<Reply>;
  },
): Promise<Reply> =>
  change(caller, async (work) => {
    const [row, ...others] = await getRows(work, [issueRecords.key(work, id), ...also]);
    if (!row) throw errors.notFound(issueRecords.noun);
    const current = withoutKeys(row);
    check(others, current);
    const confirm = () => expectVersion(issueRecords.noun, current, expectedVersion);
    const { next, activities, writes = [], reply } = await decide(current, work, others, confirm);
    confirm();
    if (isDeepStrictEqual(next, current) && activities.length === 0) {
      return { writes: [], reply: reply({ issue: toIssue(current, work.now), entries: [] }) };
    }
    const updated = nextVersion(work, current, next);
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
        emit(work, 'issue.updated', issue),
        ...writes,
      ],
      reply: reply({ issue, entries: history.map(({ entry }) => shownEntry(IssueActivity, entry)) }),
    };
  });
