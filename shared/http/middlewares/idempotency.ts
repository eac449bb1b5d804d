import type { APIGatewayProxyEvent } from 'aws-lambda';
import { sha256 } from '../../base/encoding.ts';
import * as errors from '../../base/errors.ts';
import type { Problem } from '../../base/problem.ts';
import { currentRequest } from '../../base/request.ts';
import { claimKey, completeKey, releaseKey } from '../../table/idempotency.ts';
import { fitted } from '../lambda.ts';
import { isFile, type Operation } from '../operation/operation.ts';
import { isRepeatable } from '../operation/surface.ts';
import { json, locationHeader, type Reply, textOf } from '../reply/reply.ts';
import { header } from '../request/event.ts';
import { entityTagOf } from '../versions.ts';
import type { HttpRequest, Middleware } from './chain.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;
const REPLAYED = { 'idempotent-replayed': 'true' };

const problem = (msg: string): Problem => ({
  loc: ['header', 'idempotency-key'],
  type: 'value_error',
  msg: `Value error, ${msg}`,
});

/**
 * Carries out a POST with an `Idempotency-Key` only once: a repeated one gets the stored reply. A change stores its
 * reply in its own transaction (`change.ts`). This middleware stores the reply of a request that changed nothing, and
 * releases the key of one that failed. Every other request refuses the header.
 */
export const idempotency = (operation: Operation): Middleware =>
  isRepeatable(operation)
    ? { before: claim(operation), after: complete(operation), onError: release }
    : { before: ({ event }) => refuse(event) };

/** The key that the client has sent. */
const keyOf = (event: APIGatewayProxyEvent): string | undefined => header(event, 'idempotency-key');

/** @throws ApiError 400 */
const refuse = (event: APIGatewayProxyEvent): void => {
  if (keyOf(event) !== undefined) throw errors.idempotencyKeyNotTaken();
};

/** A key that acts for two people makes two different requests, even with the same content. */
const fingerprintOf = ({ parsed, caller }: HttpRequest['internal']): string =>
  caller!.acted_via_key_id === undefined
    ? parsed!.fingerprint
    : sha256(`${parsed!.fingerprint} ${caller!.user_id}`);

const claim =
  (operation: Operation) =>
  async ({ event, internal }: HttpRequest) => {
    const { key: apiKey } = internal;
    // A signed-in person sees what a request did before repeating it.
    if (!apiKey) return refuse(event);
    const key = keyOf(event);
    if (key === undefined) return undefined;
    if (!KEY.test(key))
      throw errors.idempotencyKeyInvalid([problem('should be 1 to 255 printable ASCII characters')]);
    const claimed = await claimKey(apiKey, operation.id, key, fingerprintOf(internal));
    switch (claimed.outcome) {
      case 'claimed':
        currentRequest()!.idempotency = {
          claim: claimed.claim,
          status: operation.success,
          completed: false,
          textOf: (reply) => textOf(operation, reply),
        };
        return undefined;
      case 'completed':
        // When a middleware returns a reply, the later ones do not run.
        return fitted(event, replayed(operation, { event, internal }, claimed));
      case 'running':
        throw errors.idempotentRequestRunning();
      case 'other_body':
        throw errors.idempotencyKeyReused([problem('this key was used with another request')]);
    }
  };

/** A file is stored as the whole reply, any other reply as the text of its body. */
const replayed = (
  operation: Operation,
  request: Pick<HttpRequest, 'event' | 'internal'>,
  stored: { status: number; body: string },
): Reply => {
  const value = JSON.parse(stored.body) as unknown;
  if (!isFile(operation.response)) {
    const tag = entityTagOf(operation, value);
    return json(stored.status, stored.body, {
      ...(tag && { etag: `"${tag}"` }),
      ...(stored.status === operation.success && locationHeader(operation, request, value)),
      ...REPLAYED,
    });
  }
  const reply = value as Reply;
  return { ...reply, headers: { ...reply.headers, ...REPLAYED } };
};

const complete =
  (operation: Operation) =>
  async ({ response, internal }: HttpRequest) => {
    const { idempotency: held } = currentRequest()!;
    if (!held || held.completed) return;
    held.status = response!.statusCode;
    const stored = isFile(operation.response) ? response : JSON.parse(response!.body as string);
    await completeKey(internal.caller!, stored);
  };

const release = async ({ internal }: HttpRequest) => {
  const { idempotency: held } = currentRequest() ?? {};
  if (held && !held.completed) await releaseKey(internal.caller!, held.claim);
};
