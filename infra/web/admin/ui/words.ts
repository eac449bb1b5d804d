import type { Problem, ProblemType } from '../../../../shared/base/problem.ts';
import type { IntegrationProblem } from '../../../../shared/schemas/integrations/run.ts';
import type { WebhookAttempt } from '../../../../shared/schemas/webhook.ts';
import type { Failure } from '../api.ts';
import { fill, numberText } from '../formats.ts';
import { t } from '../page.ts';

/*
 * The app's own words for what the service answers in English, by the codes of its answers.
 */

const { failures: words } = t;

/** Errors with a text of their own. */
const BY_CODE: Record<string, string> = {
  already_member: words.alreadyMember,
  bulk_change_status: words.stale,
  connection_deleted: words.gone,
  connection_refused: words.credentialRefused,
  handover_pending: words.handoverPending,
  key_ended: words.keyEnded,
  member_made_many_keys: words.manyKeys,
  member_not_active: words.stale,
  member_status: words.stale,
  not_the_next_owner: words.stale,
  not_the_owner: words.ownerOnly,
  not_your_bulk_change: t.bulk.notYours,
  organization_not_chosen: words.switched,
  owner_not_admin: t.org.ownerHelp,
  owner_stays: words.ownerStays,
  owns_already: words.stale,
  replay_running: words.running,
  role_not_allowed: words.role,
  source_changed: words.stale,
  source_paused: words.stale,
  storage_full: words.storageFull,
  sync_running: words.running,
  too_many_connections: words.tooMany,
  too_many_sources: words.tooMany,
  too_many_waiting: words.waiting,
  too_many_webhooks: words.tooMany,
  value_in_use: words.inUse,
  vendor_id_unknown: words.vendorRefused,
  vendor_refused: words.vendorRefused,
  version_mismatch: `${t.conflict.title}.`,
  webhook_disabled: words.stale,
};

const BY_STATUS: Record<number, string> = {
  401: words.session,
  404: words.gone,
  422: words.problems,
  429: words.busy,
  503: words.busy,
  504: words.busy,
};

/** What happened, and what to do. */
export const failureText = ({ status, code, message, isWrite }: Failure): string => {
  if (code === 'value_in_use' && /\bemail\b/.test(message)) return words.addressInUse;
  if (status === 0) return isWrite ? words.unknown : words.connection;
  return BY_CODE[code] ?? BY_STATUS[status] ?? words.other;
};

/** What a field takes, by its name. */
const BY_FIELD: Record<string, string> = {
  email: words.email,
  reply_to_email: words.email,
  url: words.url,
  file: words.image,
};

/** What is wrong with a value. One of several is named. */
const invalidText = ({ loc, input }: Problem): string => {
  const last = loc.at(-1) ?? '';
  if (/^\d+$/.test(last) && typeof input === 'string') return `${words.invalid} (${input})`;
  return BY_FIELD[last] ?? words.invalid;
};

const limited = (text: string, limit: unknown): string => fill(text, { n: numberText(Number(limit)) });

/** What is wrong with a value, by the type of the problem. */
const BY_TYPE: Partial<Record<ProblemType, (ctx: Record<string, unknown>) => string>> = {
  missing: () => t.common.required,
  string_too_short: () => t.common.required,
  too_short: () => t.common.required,
  string_too_long: ({ max_length }) => limited(words.tooLong, max_length),
  greater_than_equal: ({ ge }) => limited(words.least, ge),
  less_than_equal: ({ le }) => limited(words.most, le),
};

/** What is wrong with a field. */
export const problemText = (problem: Problem): string =>
  BY_TYPE[problem.type]?.(problem.ctx ?? {}) ?? invalidText(problem);

/** Why a connection, a source or a sync does not work, by the code of the problem. */
const BY_PROBLEM: Record<string, string> = {
  board_not_found: words.boardGone,
  daily_limit: words.limited,
  incomplete: words.incomplete,
  items_failed: words.itemsFailed,
  limited: words.limited,
  mapping_invalid: words.mapping,
  mass_deactivation: words.massMissing,
  refused: words.vendorRefused,
  too_many_rows: words.tooManyRows,
  unauthorized: words.credentialRefused,
  unavailable: words.notCompleted,
};

export const integrationText = ({ code }: IntegrationProblem): string => BY_PROBLEM[code] ?? words.other;

/** Why an endpoint has failed. */
export const attemptText = ({ status_code: status }: Pick<WebhookAttempt, 'status_code'>): string => {
  if (status === null) return words.noReply;
  const text = status >= 300 && status < 400 ? words.redirected : words.answered;
  return fill(text, { status: String(status) });
};
