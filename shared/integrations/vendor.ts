import { plain } from '../base/text.ts';
import type {
  Board,
  Capability,
  Column,
  Credential,
  FieldType,
  Item,
  ItemValue,
  Level,
  Person,
  VendorAccount,
  VendorAuth,
  VendorId,
} from '../schemas/integrations/vendor.ts';

/**
 * Why a call of a vendor failed.
 * - `unauthorized`: the credential is wrong, revoked, or lacks the right.
 * - `not_found`: there is no such board, item or page for this credential.
 * - `limited`: the vendor asks for a pause that is longer than the caller waits. It may be called again in
 *   `retry_in_seconds`. `is_daily`: all calls of the day are used up.
 * - `outage`: the vendor did not answer in time, or its reply makes no sense. A later attempt may succeed.
 * - `cursor_expired`: the vendor does not know the cursor any more. The list must be read from its first page.
 * - `refused`: the vendor will never do it. `code` is the vendor's own.
 */
export type Failure =
  | { kind: 'unauthorized' }
  | { kind: 'not_found' }
  | { kind: 'limited'; retry_in_seconds: number; is_daily: boolean }
  | { kind: 'outage' }
  | { kind: 'cursor_expired' }
  | { kind: 'refused'; code: string };

/** Characters of the message of a failure. */
const MAX_MESSAGE = 500;

/**
 * The only error that calls of a vendor throw. Its message is plain English for the organization's people. It names the
 * vendor, and contains no secret.
 */
export class VendorError extends Error {
  override name = 'VendorError';
  readonly failure: Failure;

  constructor(failure: Failure, message: string, options?: ErrorOptions) {
    // The message may contain text of the vendor.
    super(plain(message, MAX_MESSAGE), options);
    this.failure = failure;
  }
}

/** Characters of a vendor's name of an account or a board, as it is stored. */
const MAX_NAME = 200;

/** The name of an account or a board as it is stored. */
export const storedName = (name: string): string => plain(name, MAX_NAME);

/** Something that is missing in a page because the vendor could not give it. */
export interface Gap {
  /** The item that it belongs to; null when the vendor does not say. */
  item_id: string | null;
  /** The vendor's own. */
  code: string;
  message: string;
}

/** A part of a list, in the vendor's order. */
export interface Page<Row> {
  rows: Row[];
  /**
   * Where the next page begins: the same list, begun with this cursor, gives the rest. Null after the last page. It is
   * at most `MAX_VENDOR_CURSOR` characters of printable ASCII. The vendor may forget it (`cursor_expired`).
   */
  next: string | null;
  /** Not empty when the vendor answered only in part: then an absent row or value may still exist. */
  gaps: Gap[];
}

/** Where a list begins, and how large its pages are. */
export interface Paging {
  /** The `next` of an earlier page of the same list; the first page without it. */
  cursor?: string | undefined;
  /**
   * How many of the vendor's rows a page has at most, from 1 to `MAX_VENDOR_PAGE`. The vendor chooses where it is left
   * out. A page can have fewer rows, even none, and not be the last.
   */
  limit?: number | undefined;
}

export interface BoardsQuery {
  workspace_id?: string | undefined;
  /** Part of the name; case is ignored. */
  q?: string | undefined;
}

export interface ItemsQuery {
  board_id: string;
  /** The default is `item`. Subitems come with the page of their parents, so there may be more of them than `limit`. */
  level?: Level | undefined;
  /** Only items of these groups; of all groups when empty. Subitems belong to the group of their parent. */
  group_ids?: readonly string[] | undefined;
  /** Part of the item's name; case is ignored. Of the parent's for subitems. */
  q?: string | undefined;
  /** The columns whose values are read; all columns without it. Fewer columns cost less of the vendor's limits. */
  column_ids?: readonly string[] | undefined;
}

/** A connection to one account of a vendor. All its methods throw `VendorError`. */
export interface VendorSession {
  /** Requests that were sent to the vendor so far; repeated ones count each time. */
  readonly calls: number;
  /** Whose credential it is. @throws VendorError `unauthorized` for a bad one */
  verify(): Promise<VendorAccount>;
  /** The boards that people work on: no documents, and no boards that only hold the subitems of another. */
  boards(query: BoardsQuery, paging?: Paging): AsyncIterable<Page<Board>>;
  /** A board, for its name. */
  board(board_id: string): Promise<Board>;
  /** An item's name is one of the columns, and one of the values. */
  columns(board_id: string): Promise<Column[]>;
  /** The columns of the board's subitems; empty where it has none. */
  subitemColumns(board_id: string): Promise<Column[]>;
  /**
   * The active items of a board, page by page. The next page is requested only when it is asked for. An item that
   * vanishes or moves meanwhile may be absent or come twice.
   */
  items(query: ItemsQuery, paging?: Paging): AsyncIterable<Page<Item>>;
  item(item_id: string): Promise<Item>;
  /** The subitems of an item. */
  children(item_id: string): Promise<Item[]>;
  /** Everybody with access to the account, those who have left included. */
  people(paging?: Paging): AsyncIterable<Page<Person>>;
}

export interface SessionOptions {
  /**
   * How long a call waits when the vendor asks for a pause, in seconds. For a longer pause it fails at once
   * (`limited`). The default is 10, which fits into a request.
   */
  max_wait_seconds?: number | undefined;
}

/** The value of a field that is filled from a column. */
export type FieldValue = string | number | boolean | null;

/** A vendor. Each folder of `shared/integrations/` exports one, and nothing else of it is used elsewhere. */
export interface Vendor {
  readonly id: VendorId;
  readonly name: string;
  readonly auth: VendorAuth;
  readonly capabilities: readonly Capability[];
  readonly levels: readonly Level[];
  /** The version of the vendor's API that is called. */
  readonly api_version: string;
  /** How many calls a day a small plan allows; null for no limit. A source's schedule is compared with it. */
  readonly calls_per_day: number | null;
  /** Opens a session. This sends nothing yet. @param credential a secret for each of the required fields of `auth` */
  open(credential: Credential, options?: SessionOptions): VendorSession;
  /**
   * A value as a field of this type takes it. Null when the value is empty, or when it cannot be read as such.
   * @param type one of the `target_field_types` of the value's column; null is returned for any other
   */
  fieldValue(value: ItemValue, type: FieldType): FieldValue;
}
