import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Caller } from '../base/caller.ts';
import { connection } from '../base/connection.ts';
import { currentRequest } from '../base/request.ts';
import { tenantClients } from '../base/tenancy.ts';
import { withOwnNames } from './own-names.ts';

/** Sends commands to the table. */
export type TableClient = Pick<DynamoDBDocumentClient, 'send'>;

/** The clients count their calls for the current request. */
const clients = tenantClients((confined): DynamoDBDocumentClient => {
  const client = new DynamoDBClient({ ...connection('table'), ...confined });
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
  client.middlewareStack.add((next) => (args) => next({ ...args, input: withOwnNames(args.input) }), {
    step: 'initialize',
    priority: 'high',
    name: 'withOwnNames',
  });
  return DynamoDBDocumentClient.from(client, {
    // Any JSON number is stored and returned as a double, beyond 2^53 too.
    marshallOptions: { removeUndefinedValues: true, allowImpreciseNumbers: true },
    unmarshallOptions: { wrapNumbers: Number },
  });
});

/** The client for one organization's rows. */
export const clientOf = (caller: Caller): TableClient => clients.of(caller);

/** The client for rows that belong to no organization, and for workers. */
export const systemClient = (): DynamoDBDocumentClient => clients.shared();
