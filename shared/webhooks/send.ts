import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { cutTo } from '../base/text.ts';
import { OutgoingError } from '../outside/outgoing-error.ts';
import { callCustomerUrl, type CallLimits, type OutgoingReply } from '../outside/send.ts';
import type { WebhookAttempt } from '../schemas/webhook.ts';
import type { DueDelivery, SentDelivery } from './turns.ts';

/** The start of a secret, before the base64 of its key (Standard Webhooks, "Signature scheme"). */
const PREFIX = 'whsec_';

const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

/**
 * The headers that identify a message and prove its sender (Standard Webhooks, "Webhook headers").
 * @param id of the message, the same at each attempt
 * @param secrets of the endpoint; there is a signature for each
 */
export const signedHeaders = (
  id: string,
  body: string,
  secrets: readonly string[],
  now: number,
): Record<string, string> => {
  const timestamp = String(Math.floor(now / 1_000));
  const signatures = secrets.map((secret) =>
    createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64'),
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
  };
};

/** An endpoint has 10 seconds to answer. Of its reply, the first kilobyte is kept. */
const LIMITS: CallLimits = {
  connect_ms: 10_000,
  first_byte_ms: 10_000,
  total_ms: 10_000,
  max_bytes: 1_024,
};

const USER_AGENT = 'InspectionService-Webhooks/1.0';

/** Headers of a reply that are kept, and characters of each. */
const MAX_HEADERS = 30;
const MAX_HEADER_LENGTH = 200;

/** Headers of the customer's own, by their names. */
export type OwnHeaders = Readonly<Record<string, string>>;

/** What stands in place of a header's value that is not shown. */
const WITHHELD = '(not shown)';

/** Characters of the shortest value that is looked for in replies: a shorter one is no secret, and in many words. */
const MIN_SECRET_LENGTH = 8;

/**
 * A text without the values of the customer's own headers, which a receiver may repeat in its reply, and without the
 * beginning of one at the end of a text that was cut.
 */
const withoutSecrets = (text: string, secrets: readonly string[]): string => {
  let shown = text;
  for (const secret of secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH)) {
    shown = shown.replaceAll(secret, WITHHELD);
    for (let length = secret.length - 1; length >= MIN_SECRET_LENGTH; length -= 1)
      if (shown.endsWith(secret.slice(0, length))) shown = shown.slice(0, -length) + WITHHELD;
  }
  return shown;
};

const shownHeaders = (headers: IncomingHttpHeaders, secrets: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .slice(0, MAX_HEADERS)
      .map(([name, value]) => [
        cutTo(withoutSecrets(name, secrets), MAX_HEADER_LENGTH),
        cutTo(withoutSecrets([value ?? ''].flat().join(', '), secrets), MAX_HEADER_LENGTH),
      ]),
  );

/** Why a status is no success; null for a success. */
const failureOf = (status: number): string | null => {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `The endpoint redirects (${status}), which is not followed.`;
  return `The endpoint answered ${status}.`;
};

/** What came of a call. */
type CallOutcome = Pick<WebhookAttempt, 'status_code' | 'error' | 'reply_headers' | 'reply_body'>;

const answered = ({ status, headers, body }: OutgoingReply, secrets: readonly string[]): CallOutcome => ({
  status_code: status,
  error: failureOf(status),
  reply_headers: shownHeaders(headers, secrets),
  reply_body: withoutSecrets(body.toString(), secrets),
});

/** @throws errors that are not about the endpoint */
const unanswered = (error: unknown): CallOutcome => {
  if (!(error instanceof OutgoingError)) throw error;
  return { status_code: null, error: error.message, reply_headers: {}, reply_body: '' };
};

/**
 * Sends a delivery once. It does not throw when the endpoint fails.
 * @param secrets of the endpoint
 * @param own headers of the customer's own, which nobody is shown
 */
export const sendDelivery = async (
  url: string,
  secrets: readonly string[],
  own: OwnHeaders,
  { delivery, body }: DueDelivery,
): Promise<SentDelivery> => {
  const now = Date.now();
  const started = performance.now();
  const headers = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    ...signedHeaders(delivery.event_id, body, secrets, now),
  };
  const outcome = await callCustomerUrl(
    { url, method: 'POST', headers: { ...own, ...headers }, body },
    LIMITS,
  ).then((reply) => answered(reply, Object.values(own)), unanswered);
  const shownOwn = Object.fromEntries(Object.keys(own).map((name) => [name, WITHHELD]));
  return {
    delivery,
    request: { url, headers: { ...shownOwn, ...headers } },
    attempt: {
      at: new Date(now).toISOString(),
      duration_ms: Math.round(performance.now() - started),
      ...outcome,
    },
  };
};
