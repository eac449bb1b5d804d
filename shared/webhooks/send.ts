import type { IncomingHttpHeaders } from 'node:http';
import { cutTo } from '../base/text.ts';
import type { DueDelivery, SentDelivery } from '../db/webhooks/turns.ts';
import { OutgoingError } from '../outgoing/outgoing-error.ts';
import { callCustomerUrl, type CallLimits, type OutgoingReply } from '../outgoing/send.ts';
import type { WebhookAttempt } from '../schemas/webhook.ts';
import { signedHeaders } from './sign.ts';

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

const shownHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .slice(0, MAX_HEADERS)
      .map(([name, value]) => [
        cutTo(name, MAX_HEADER_LENGTH),
        cutTo([value ?? ''].flat().join(', '), MAX_HEADER_LENGTH),
      ]),
  );

/** Why a reply is no success; null when it is one. */
const failureOf = (status: number): string | null => {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `The endpoint redirects (${status}), which is not followed.`;
  return `The endpoint answered ${status}.`;
};

/** What a call led to. */
type Outcome = Pick<WebhookAttempt, 'status_code' | 'error' | 'reply_headers' | 'reply_body'>;

const answered = ({ status, headers, body }: OutgoingReply): Outcome => ({
  status_code: status,
  error: failureOf(status),
  reply_headers: shownHeaders(headers),
  reply_body: body.toString(),
});

/** @throws any error that is not about the endpoint */
const unanswered = (error: unknown): Outcome => {
  if (!(error instanceof OutgoingError)) throw error;
  return { status_code: null, error: error.message, reply_headers: {}, reply_body: '' };
};

/**
 * Sends a delivery once. It does not throw for what the endpoint does.
 * @param secrets of the endpoint
 */
export const sendDelivery = async (
  url: string,
  secrets: readonly string[],
  { delivery, body }: DueDelivery,
): Promise<SentDelivery> => {
  const now = Date.now();
  const started = performance.now();
  const headers = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    ...signedHeaders(delivery.event_id, body, secrets, now),
  };
  const outcome = await callCustomerUrl({ url, method: 'POST', headers, body }, LIMITS).then(
    answered,
    unanswered,
  );
  return {
    delivery,
    request: { url, headers },
    attempt: {
      at: new Date(now).toISOString(),
      duration_ms: Math.round(performance.now() - started),
      ...outcome,
    },
  };
};
