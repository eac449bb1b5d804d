import { described, faultsIn, measured, writeLine } from '../base/log.ts';
import { currentRequest } from '../base/request.ts';
import type { HttpRequest } from './middlewares/chain.ts';
import type { AnyOperation } from './operation/operation.ts';
import type { Worker } from './worker/worker.ts';

/**
 * Writes the log line of a request. It is JSON in CloudWatch's embedded metric format, so latency, DynamoDB calls,
 * cold starts and failures become metrics without a call. It never contains headers, the query or the body, because
 * they may hold secrets or answers.
 */
export const logRequest = ({ id }: Pick<AnyOperation, 'id'>, { internal, response }: HttpRequest): void => {
  const { startedAt, scope, caller, key: apiKey, session, visit, failure } = internal;
  const status = response?.statusCode ?? 500;
  const key = apiKey ?? scope.refusedKey;
  // The id of a key's service identity adds nothing to the id of the key.
  const person = caller?.acted_via_key_id ? caller : session;
  // A streamed reply can fail after its status was sent.
  const hasFailed = status >= 500 || failure !== undefined;
  writeLine({
    level: hasFailed ? 'error' : 'info',
    operation: id,
    request_id: scope.requestId,
    status,
    // Tells a revoked key from an unknown one, or a refused right from a wrong value.
    code: response?.headers['x-error-code'],
    org_id: (key ?? session ?? visit?.caller)?.org_id ?? undefined,
    key_id: key?.key_id,
    user_id: person?.user_id ?? undefined,
    error: failure && described(failure),
    ServerError: hasFailed ? 1 : 0,
    ClientError: status >= 400 && status < 500 ? 1 : 0,
    ...faultsIn(failure),
    ...measured(startedAt, scope),
  });
};

/**
 * Writes the log line of a worker's run: a task, a batch, or a scheduled run.
 * @param fields other fields that identify the work
 */
export const logRun = (
  { id }: Worker,
  startedAt: number,
  fields: Record<string, unknown>,
  failure?: unknown,
): void =>
  writeLine({
    level: failure ? 'error' : 'info',
    operation: id,
    request_id: currentRequest()?.requestId,
    ...fields,
    error: failure && described(failure),
    ServerError: failure ? 1 : 0,
    ...faultsIn(failure),
    ...measured(startedAt, currentRequest()),
  });
