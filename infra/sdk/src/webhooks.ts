/** The body is not what the service sent to this endpoint, or it is too old. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

export interface WebhookOptions {
  /** How far the time of the attempt may be from ours, in seconds (300). */
  tolerance?: number;
  /** The present time, in milliseconds. */
  now?: number;
}

/** Those of `fetch`, or those of Node's servers with their lower-case names. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const PREFIX = 'whsec_';

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.codePointAt(0)!);

const headerOf = (headers: WebhookHeaders, name: string): string =>
  [headers instanceof Headers ? headers.get(name) : headers[name]].flat().join(' ');

const isSigned = async (secret: string, text: Uint8Array<ArrayBuffer>, signatures: readonly string[]) => {
  const key = await crypto.subtle.importKey(
    'raw',
    bytesOf(secret.replace(PREFIX, '')),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  // The platform compares in constant time.
  for (const signature of signatures)
    if (await crypto.subtle.verify('HMAC', key, bytesOf(signature), text).catch(() => false)) return true;
  return false;
};

/**
 * Checks who sent a webhook (Standard Webhooks), and reads it.
 * @param body as it came, before anything parses it
 * @param secrets of the endpoint; while one is rotated, both
 * @throws WebhookError
 */
export const verifyWebhook = async <Event>(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { tolerance = 300, now = Date.now() }: WebhookOptions = {},
): Promise<Event> => {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string];
  if (!(Math.abs(now / 1_000 - Number(time || Number.NaN)) <= tolerance))
    throw new WebhookError('the time of the webhook is missing, or too far from the present');
  const signed = new TextEncoder().encode(`${id}.${time}.${text}`);
  const given = signatures.split(' ').flatMap((one) => (one.startsWith('v1,') ? [one.slice(3)] : []));
  for (const secret of [secrets].flat())
    if (await isSigned(secret, signed, given)) return JSON.parse(text) as Event;
  throw new WebhookError('the webhook was not signed with this secret');
};
