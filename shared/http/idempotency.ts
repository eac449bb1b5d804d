import { conflict, unprocessable } from '../base/errors.ts';
import { currentRequest } from '../base/request.ts';
import { claimKey, completeKey, releaseKey } from '../db/table/idempotency.ts';
import type { HttpRequest, Middleware } from './chain.ts';
import { isFile, type Operation } from './operation.ts';
import { header } from './parse.ts';
import { json, type Reply, textOf } from './respond.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;
const REPLAYED = { 'idempotent-replayed': 'true' };

const refused = (msg: string) =>
  unprocessable([{ loc: ['header', 'idempotency-key'], type: 'value_error', msg: `Value error, ${msg}` }]);

/**
 * A POST that carries an `Idempotency-Key` is carried out once: a repeated one gets the stored reply. The
 * reply is stored by the change itself, in its transaction (`change.ts`); here only what changed nothing is
 * completed, and what failed is given back.
 */
export const idempotency = (operation: Operation): Middleware =>
  operation.method === 'POST'
    ? { before: claim(operation), after: complete(operation), onError: release }
    : { before: () => {} };

const claim =
  (operation: Operation) =>
  async ({ event, internal }: HttpRequest) => {
    const key = header(event, 'idempotency-key');
    if (key === undefined) return undefined;
    if (!KEY.test(key)) throw refused('should be 1 to 255 printable ASCII characters');
    const claimed = await claimKey(internal.caller!, operation.id, key, internal.parsed!.fingerprint);
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
        return replayed(operation, claimed);
      case 'running':
        throw conflict('a request with this idempotency key is still running');
      case 'other_body':
        throw refused('this key was used with another request');
    }
  };

/** A file is stored as its whole reply, anything else as the text of its body. */
const replayed = (operation: Operation, stored: { status: number; body: string }): Reply => {
  if (!isFile(operation.response)) return json(stored.status, stored.body, REPLAYED);
  const reply = JSON.parse(stored.body) as Reply;
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
