import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Caller } from './caller.ts';

/**
 * Data of one request or one worker's run that code needs without getting it as an argument: the number of DynamoDB
 * calls for the log line, the request's id and deadline, and the idempotency claim that a change completes in its own
 * transaction.
 */
export interface RequestScope {
  /**
   * The id that the client gets as `X-Request-Id`. Log lines, events, tasks and mails that a request leads to carry it.
   */
  requestId: string;
  /** DynamoDB calls sent so far. */
  tableCalls: number;
  /** The files that it has stored, and how each is deleted again. */
  stored: { caller: Caller; discard: () => Promise<void> }[];
  /** When everything that the request waits for must have ended, as a time of `performance.now()`. */
  deadline?: number;
  /** The key that was refused, if it exists, for the log: it is revoked, expired or over its limit. */
  refusedKey?: { org_id: string; key_id: string };
  /** Set while an idempotency key is claimed; `completed` after a change has stored its reply in its transaction. */
  idempotency?: {
    claim: IdempotencyClaim;
    status: number;
    completed: boolean;
    /** The text of a reply, as the client gets it. */
    textOf: (reply: unknown) => string;
  };
}

/** A request's lease on its idempotency key. */
export interface IdempotencyClaim {
  org_id: string;
  /** Of the API key, the operation and the idempotency key. It names the claim's rows. */
  hash: string;
  /** Shows on completion that the lease still belongs to this request. */
  lease: string;
}

const scopes = new AsyncLocalStorage<RequestScope>();

/** The header with the request's id, in every reply. */
export const REQUEST_ID = 'x-request-id';

/** The scope of a request or run that begins. Without an id from outside it gets a random one. */
export const newScope = (requestId?: string): RequestScope => ({
  requestId: requestId || randomUUID(),
  tableCalls: 0,
  stored: [],
});

/** Runs `work` in the scope of one request. */
export const inRequest = <Result>(work: () => Result, scope: RequestScope = newScope()): Result =>
  scopes.run(scope, work);

/** The scope of the running request; undefined outside a request, as in the operator's commands. */
export const currentRequest = (): RequestScope | undefined => scopes.getStore();
