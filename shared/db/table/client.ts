import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Caller } from '../../base/caller.ts';
import { currentRequest } from '../../base/request.ts';
import { type TenantCredentials, tenantClients } from '../../base/tenancy.ts';

/**
 * A client whose every call is counted for the request it serves. The SDK's own retries are off: what may be
 * sent again is decided in one place (`retry.ts`), and an authentication that was sent twice would count twice.
 */
const newClient = (credentials?: TenantCredentials): DynamoDBDocumentClient => {
  const client = new DynamoDBClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000 },
    ...(credentials && { credentials }),
  });
  // It copies every input and output, attribute by attribute, for a log that nobody keeps.
  client.middlewareStack.remove('loggerMiddleware');
  client.middlewareStack.add(
    (next) => (args) => {
      const request = currentRequest();
      if (request) request.tableCalls += 1;
      return next(args);
    },
    { step: 'initialize', name: 'countTableCalls' },
  );
  return DynamoDBDocumentClient.from(client, {
    // Any JSON number is stored and given back as the double it is, beyond 2^53 too.
    marshallOptions: { removeUndefinedValues: true, allowImpreciseNumbers: true },
    unmarshallOptions: { wrapNumbers: Number },
  });
};

const clients = tenantClients(newClient);

/** The client for one organization's rows, which counts its calls. */
export const clientOf = (caller: Caller): DynamoDBDocumentClient => clients.of(caller);

/** The client of what stands outside any organization: keys by hash, due rows, the workers' own. */
export const systemClient = (): DynamoDBDocumentClient => clients.shared();
