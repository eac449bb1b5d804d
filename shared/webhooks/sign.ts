import { createHmac } from 'node:crypto';

/** How a secret begins (Standard Webhooks, "Signature scheme"). The base64 of the key follows. */
const PREFIX = 'whsec_';

const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

/**
 * The headers by which a receiver knows a message and who has sent it (Standard Webhooks, "Webhook headers").
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
