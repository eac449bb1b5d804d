import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Caller } from '../domain/caller.ts';
import { currentRequest } from '../request.ts';
import { tenantCredentials } from '../tenancy.ts';

/**
 * A client whose every call is counted for the request it serves. The SDK's own retries are off: what may be
 * sent again is decided in one place (`retry.ts`), and an authentication that was sent twice would count twice.
 */
const newClient = (credentials?: ReturnType<typeof tenantCredentials>): DynamoDBDocumentClient => {
  const client = new DynamoDBClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000 },
    ...(credentials && { credentials }),
  });
  client.middlewareStack.add(
    (next) => (args) => {
      const request = currentRequest();
      if (request) request.tableCalls += 1;
      return next(args);
    },
    { step: 'initialize', name: 'countTableCalls' },
  );
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
};

const clients = new Map<string, DynamoDBDocumentClient>();

/**
 * The client for one organization's rows. Where row-level security is deployed it signs with credentials that
 * IAM itself confines to that organization; else all organizations share one.
 */
export const clientOf = (caller: Caller): DynamoDBDocumentClient => {
  const credentials = tenantCredentials(caller);
  return cached(credentials ? caller.org_id : '', () => newClient(credentials));
};

/** The client of what stands outside any organization: keys by hash, due rows, the workers' own. */
export const systemClient = (): DynamoDBDocumentClient => cached('', () => newClient());

// A warm function serves many organizations in its life; their clients must not pile up.
const MOST_CLIENTS = 50;

const cached = (owner: string, create: () => DynamoDBDocumentClient): DynamoDBDocumentClient => {
  const existing = clients.get(owner);
  if (existing) return existing;
  for (const oldest of clients.keys()) {
    if (clients.size < MOST_CLIENTS) break;
    clients.delete(oldest);
  }
  const client = create();
  clients.set(owner, client);
  return client;
};
