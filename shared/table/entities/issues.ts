import type { IssueCategory } from '../../schemas/issues/category.ts';
import type { Issue, IssueActivity } from '../../schemas/issues/issue.ts';
import type { PublicLink } from '../../schemas/issues/public-link.ts';
import type { Recorded } from './common.ts';

/** The name is reserved, folded, as a unique value. */
export type StoredIssueCategory = IssueCategory;

/**
 * A public link of a category. The link's own row has its token's hash and leads here. Reports change
 * `submissions_count` in place, so the row is never replaced.
 */
export type StoredPublicLink = Omit<
  PublicLink,
  'token' | 'url' | 'qr_url' | 'qr_svg_url' | 'status' | 'asset_id'
> & {
  /** Absent, as null, for a link of no asset. */
  asset_id?: string | null;
  /** The first characters of the token, to tell links apart. */
  token_start: string;
  /** Signs the forms of its page. */
  form_secret: string;
};

/** Whether an issue is overdue is computed when it is read. */
export type StoredIssue = Omit<Issue, 'is_overdue'>;

/** An entry of an issue's history. */
export type StoredIssueActivity = Recorded<IssueActivity> & { updated_at: string };

/** What was started or created from an issue. A deletion of the issue finds it by this row. */
export interface IssueLink {
  inspection_id: string;
  corrective_action_id: string | null;
}

/** A due date of an issue that is not resolved. A worker finds the row by `by_due` until the reminder is sent. */
export interface IssueDeadline {
  org_id: string;
  issue_id: string;
  due_at: string;
  version: number;
  /** How often its notifications failed for a reason that lasts. Absent before the first time. */
  attempts?: number;
  by_due?: string;
  by_due_at?: string;
}

/** A form of a public link that was sent: the issue that it became, so that the same form makes no second one. */
export interface Submission {
  issue_id: string;
  number: number;
  /** Epoch seconds. */
  ttl: number;
}
