import { setTimeout as sleep } from 'node:timers/promises';
import { firstProblems } from '../base/api-error.ts';
import { optionalEnvironment } from '../base/environment.ts';
import { pick } from '../base/fields.ts';
import { logLine } from '../base/log.ts';
import type { Problem } from '../base/problem.ts';
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

/** A value of a query that is an id, a number, a time, or true or false. */
const PLAIN = /^([0-9a-f-]{36}|\d{1,20}|[\d:.TZ-]{10,30}|true|false)$/;

const plainIn = (query: Readonly<Record<string, string[] | undefined>> | null): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(query ?? {}).map(([name, values = []]) => [
      name,
      values.filter((value) => PLAIN.test(value)),
    ]),
  );

/** Bytes that are kept of an error. */
const MAX_DETAIL = 2_000;

/** What an error has said, without the values that were refused; null for what is no error. */
const detailOf = (reply: HttpRequest['response']): EndedRequest['detail'] => {
  if (!reply || reply.statusCode < 400 || typeof reply.body !== 'string') return null;
  const { detail } = JSON.parse(reply.body) as { detail: string | Problem[] };
  if (typeof detail === 'string') return detail.slice(0, MAX_DETAIL);
  return firstProblems(
    detail.map((problem) => pick(problem, ['loc', 'msg', 'type'])),
    MAX_DETAIL,
  );
};

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
  query: plainIn(event.multiValueQueryStringParameters),
  status: response?.statusCode ?? 500,
  code: response?.headers['x-error-code'] ?? null,
  detail: detailOf(response),
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
