import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Caller } from '../../base/caller.ts';
import { connection } from '../../base/connection.ts';
import { currentRequest } from '../../base/request.ts';
import { type TenantCredentials, tenantClients } from '../../base/tenancy.ts';

/**
 * A client that counts its calls for the current request.
 */
const newClient = (credentials?: TenantCredentials): DynamoDBDocumentClient => {
  const client = new DynamoDBClient({
    ...connection('table'),
    ...(credentials && { credentials }),
  });
  // It would copy each input and output, attribute by attribute, for a log that is not kept.
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
    // Any JSON number is stored and returned as a double, beyond 2^53 too.
    marshallOptions: { removeUndefinedValues: true, allowImpreciseNumbers: true },
    unmarshallOptions: { wrapNumbers: Number },
  });
};

const clients = tenantClients(newClient);

/** The client for one organization's rows. */
export const clientOf = (caller: Caller): DynamoDBDocumentClient => clients.of(caller);

/** The client for rows that belong to no organization, and for workers. */
export const systemClient = (): DynamoDBDocumentClient => clients.shared();
