import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * What belongs to one request or one worker's run and must reach places that are not handed it: the count of
 * DynamoDB calls for the log line, and the idempotency claim that a change completes in its own transaction.
 */
export interface RequestScope {
  /** DynamoDB calls sent so far. */
  tableCalls: number;
  /** Set while an idempotency key is claimed; `completed` once a change has stored its reply with itself. */
  idempotency?: {
    claim: IdempotencyClaim;
    status: number;
    completed: boolean;
    /** A reply as the client gets it. */
    textOf: (reply: unknown) => string;
  };
}

/** The lease that a request holds on its idempotency key. */
export interface IdempotencyClaim {
  /** The claim row's partition. */
  pk: string;
  /** Proves on completion that the lease is still this request's. */
  lease: string;
}

const scopes = new AsyncLocalStorage<RequestScope>();

/** Runs `work` as one request. */
export const inRequest = <Result>(work: () => Result, scope: RequestScope = { tableCalls: 0 }): Result =>
  scopes.run(scope, work);

/** The running request, or undefined outside of one (the operator's command line, tests' preparations). */
export const currentRequest = (): RequestScope | undefined => scopes.getStore();
