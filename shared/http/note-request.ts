import { setTimeout as sleep } from 'node:timers/promises';
import { optionalEnvironment } from '../base/environment.ts';
import { logLine } from '../base/log.ts';
import { type EndedRequest, note } from '../organizations/request-log.ts';
import type { HttpRequest } from './middlewares/chain.ts';
import type { Operation } from './operation/operation.ts';

/** How long a reply may wait for its request to be noted, in milliseconds. */
const MAX_WAIT = 250;

/** A value of a path that is an id or a word of ours. Anything else may be text that nobody meant to be kept. */
const ID = /^[\w-]{1,64}$/;

const idsIn = (params: Readonly<Record<string, string | undefined>> | null): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params ?? {}).flatMap(([name, value = '']) => (ID.test(value) ? [[name, value]] : [])),
  );

const entryOf = (
  { id, method }: Pick<Operation, 'id' | 'method'>,
  { event, response, internal: { caller, scope, startedAt } }: HttpRequest,
): EndedRequest => ({
  id: scope.requestId,
  on_behalf_of: caller?.acted_via_key_id === undefined ? null : caller.user_id,
  at: new Date(event.requestContext.requestTimeEpoch).toISOString(),
  duration: performance.now() - startedAt,
  operation: id,
  method,
  path: event.resource,
  params: idsIn(event.pathParameters),
  status: response?.statusCode ?? 500,
  code: response?.headers['x-error-code'] ?? null,
});

/**
 * Notes a request of a key for the admins of its organization (`GET /app/requests`), where the deployment keeps such a
 * log. A request that cannot be noted in time is left out: no reply fails by it.
 */
export const noteRequest = async (
  operation: Pick<Operation, 'id' | 'method'>,
  request: HttpRequest,
): Promise<void> => {
  const { key } = request.internal;
  if (!key || optionalEnvironment('REQUEST_LOG') !== 'on') return;
  const waited = new AbortController();
  const noted = note(key, entryOf(operation, request))
    .catch((error: unknown) => {
      const { name, message } = error as Error;
      logLine('error', { message: 'a request was not noted', error: { name, message } });
    })
    .finally(() => waited.abort());
  await Promise.race([
    noted,
    sleep(MAX_WAIT, undefined, { signal: waited.signal, ref: false }).catch(() => undefined),
  ]);
};
