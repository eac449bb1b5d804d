import { plain, quoted } from '../../base/text.ts';
import { type Failure, VendorError } from '../vendor.ts';

/** An error of a reply, read from any of the forms that monday.com uses. */
export interface ReplyError {
  /** monday.com's own code; empty when it gives none. */
  code: string;
  message: string;
  /** Where in the data something is missing. */
  path: readonly (string | number)[];
  /** The error's own status; replies with errors usually have the status 200. */
  status: number | undefined;
  /** After how many seconds the call may be repeated, if monday.com says so. */
  retry_in_seconds: number | undefined;
}

/** A page is too large or too complex for monday.com. A smaller one may succeed. */
export class PageTooLarge extends VendorError {
  constructor(code: string) {
    super(
      { kind: 'refused', code },
      'monday.com cannot give a page of this board: its items have too many values.',
    );
  }
}

/** Characters of a vendor's message that are passed on. */
const MAX_MESSAGE = 300;

/** The wait when monday.com tells none, in seconds. Limits count by the minute, except that of concurrent calls. */
const DEFAULT_WAIT = 60;
const CONCURRENCY_WAIT = 5;

const UNAUTHORIZED = /^(not ?authenticated|UserUnauthorizedException|UNAUTHORIZED|Unauthenticated)$/i;
const NOT_FOUND = /^(ResourceNotFoundException|Invalid(Board|Item)IdException)$/;
const CURSOR = /^Cursor(Exception|Expired\w*)$/;
const LIMITED =
  /^(ComplexityException|COMPLEXITY_BUDGET_EXHAUSTED|maxConcurrencyExceeded|\w*(RATE_)?LIMIT_EXCEEDED|RateLimitExceeded|API_TEMPORARILY_BLOCKED)$/i;
const DAILY = /^DAILY_LIMIT_EXCEEDED$/i;
const CONCURRENCY = /concurren/i;
const TOO_COMPLEX = /exceeds? max(imum)? complexity/i;
const OUTAGE = /^(InternalServerError|INTERNAL_SERVER_ERROR|TIMEOUT|SERVICE_UNAVAILABLE)$/i;
/** The wait in the text of a message: "reset in 9 seconds". */
const RESET = /reset in (\d{1,5}) seconds?/i;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string => (typeof value === 'string' ? plain(value, MAX_MESSAGE) : '');
const secondsOf = (value: unknown): number | undefined => {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
};

const errorOf = (value: unknown): ReplyError => {
  if (!isRecord(value)) {
    const message = textOf(value);
    return { code: message, message, path: [], status: undefined, retry_in_seconds: undefined };
  }
  const { extensions } = value;
  // The older form has these members on the error itself, the newer one in its extensions.
  const details = isRecord(extensions) ? extensions : value;
  const data = isRecord(details['error_data']) ? details['error_data'] : {};
  const message = textOf(value['message']) || textOf(value['error_message']);
  return {
    code: textOf(details['code']) || textOf(details['error_code']) || textOf(value['error_code']),
    message,
    path: Array.isArray(value['path']) ? (value['path'] as (string | number)[]) : [],
    status: secondsOf(details['status_code']),
    retry_in_seconds:
      secondsOf(data['retry_in_seconds']) ??
      secondsOf(details['retry_in_seconds']) ??
      secondsOf(RESET.exec(message)?.[1]),
  };
};

/** The errors of a reply: a list, one object, or the older form with members of the reply itself. Empty for none. */
export const errorsOf = (reply: Record<string, unknown>): ReplyError[] => {
  const { errors } = reply;
  if (Array.isArray(errors) && errors.length > 0) return errors.map(errorOf);
  if (isRecord(errors) || (typeof errors === 'string' && errors)) return [errorOf(errors)];
  return reply['error_code'] || reply['error_message'] ? [errorOf(reply)] : [];
};

/** Seconds until the next day in UTC, when monday.com counts a day's calls from zero. */
const untilMidnight = (): number => 86_400 - (Math.floor(Date.now() / 1_000) % 86_400);

/** The seconds of a `Retry-After` header, which gives seconds or a date (RFC 9110, section 10.2.3). */
export const retryAfterOf = (header: string | undefined): number | undefined => {
  const date = Date.parse(header ?? '');
  return (
    secondsOf(header) ??
    (Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1_000)))
  );
};

export const outage = (why: string, cause?: unknown): VendorError =>
  new VendorError({ kind: 'outage' }, `monday.com is not available: ${why}.`, { cause });

export const cursorExpired = (): VendorError =>
  new VendorError({ kind: 'cursor_expired' }, 'monday.com has forgotten the place in the list.');

export const notFound = (what: string): VendorError =>
  new VendorError(
    { kind: 'not_found' },
    `There is no such ${what} at monday.com, or the token cannot see it.`,
  );

export const unauthorized = (): VendorError =>
  new VendorError(
    { kind: 'unauthorized' },
    'monday.com refuses the API token. It is wrong, was revoked, or belongs to a user without access.',
  );

const limited = ({ code, retry_in_seconds }: ReplyError, retryAfter: number | undefined): VendorError => {
  const is_daily = DAILY.test(code);
  const told = retry_in_seconds ?? retryAfter;
  const wait = is_daily
    ? untilMidnight()
    : (told ?? (CONCURRENCY.test(code) ? CONCURRENCY_WAIT : DEFAULT_WAIT));
  const failure: Failure = { kind: 'limited', retry_in_seconds: Math.ceil(wait), is_daily };
  return new VendorError(
    failure,
    is_daily
      ? 'The monday.com account has used up its API calls of this day. They are counted anew at midnight UTC.'
      : `monday.com limits how often it can be called. It can be called again in ${failure.retry_in_seconds} seconds.`,
  );
};

/** Whether an error is about the user of the token, and not about one thing that was asked for. */
const concernsUser = ({ path }: ReplyError): boolean =>
  path.length === 0 || path[0] === 'me' || path[0] === 'account';

/**
 * The failure that an error of a reply means.
 * @param status of the reply
 * @param retryAfter the wait that the reply's header asks for, in seconds
 */
export const failureOf = (error: ReplyError, status: number, retryAfter?: number): VendorError => {
  const { code, message } = error;
  const is = (each: number) => status === each || error.status === each;
  if (TOO_COMPLEX.test(message)) return new PageTooLarge(code || 'ComplexityException');
  if (LIMITED.test(code) || is(429)) return limited(error, retryAfter);
  if (is(401) || ((UNAUTHORIZED.test(code) || is(403)) && concernsUser(error))) return unauthorized();
  if (CURSOR.test(code)) return cursorExpired();
  if (NOT_FOUND.test(code) || is(404)) return notFound('board or item');
  if (OUTAGE.test(code) || status >= 500 || (error.status ?? 0) >= 500 || is(408) || is(423))
    return outage(message ? `it says ${quoted(message)}` : `it answered with ${code || status}`);
  return new VendorError(
    { kind: 'refused', code: code || String(status) },
    `monday.com refuses this: ${quoted(message || code)}.`,
  );
};
