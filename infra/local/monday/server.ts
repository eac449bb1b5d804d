import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  buildSchema,
  type DocumentNode,
  execute,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  parse,
  validate,
} from 'graphql';
import { guardServer } from '../door.ts';
import { demoAccount, type FakeAccount } from './account.ts';
import { type Fault, FAULTS } from './faults.ts';
import { resolversOf } from './resolvers.ts';

/** The token that the server accepts. */
export const TOKEN = 'local-monday-token-5f0c2b9e7a41';

let schema: GraphQLSchema | undefined;

/** The schema that monday.com publishes; see the head of its file for the version and the licence. */
export const mondaySchema = (): GraphQLSchema =>
  (schema ??= buildSchema(readFileSync(join(import.meta.dirname, 'schema.graphql'), 'utf8'), {
    assumeValid: true,
  }));

/** Documents by their text, and what is wrong with them. To check one takes longer than to answer it. */
const documents = new Map<string, { document: DocumentNode; errors: readonly GraphQLError[] }>();

const answerOf = async (
  source: string,
  rootValue: unknown,
  variableValues: Record<string, unknown>,
): Promise<ExecutionResult> => {
  const known = documents.get(source);
  const document = known?.document ?? parse(source);
  const errors = known?.errors ?? validate(mondaySchema(), document);
  documents.set(source, { document, errors });
  return errors.length > 0
    ? { errors }
    : execute({ schema: mondaySchema(), document, rootValue, variableValues });
};

/** A request that has arrived. */
interface Seen {
  headers: IncomingMessage['headers'];
  query: string;
  variables: Record<string, unknown>;
}

/** A server that answers as monday.com does, from an account in memory. */
export interface FakeMonday {
  url: string;
  token: string;
  /** It may be changed: the next request sees it. */
  account: FakeAccount;
  /** The requests so far. */
  seen: Seen[];
  /** Passes the time by which cursors expire. */
  wait: (milliseconds: number) => void;
  /** Does something else with the next requests, or with some after the next ones. */
  fault: (fault: Fault, options?: { times?: number; after?: number }) => void;
  /** Forgets the requests and the faults. */
  reset: () => void;
  stop: () => Promise<void>;
}

/** Starts it on the loopback interface. */
export const startMonday = async (account: FakeAccount = demoAccount()): Promise<FakeMonday> => {
  let waited = 0;
  const rootValue = resolversOf(account, () => Date.now() + waited);
  const seen: Seen[] = [];
  let faults: (Fault | undefined)[] = [];

  const fault: FakeMonday['fault'] = (fault, { times = 1, after = 0 } = {}) => {
    const end = after + times;
    faults = Array.from({ length: Math.max(end, faults.length) }, (_, position) =>
      position >= after && position < end ? fault : faults[position],
    );
  };

  const answer = async ({ query, variables }: Seen): Promise<Record<string, unknown>> => {
    const { data, errors } = await answerOf(query, rootValue, variables);
    return {
      ...(data !== undefined && { data }),
      ...(errors && { errors: errors.map((error) => error.toJSON()) }),
      account_id: Number(account.id),
      extensions: { request_id: randomUUID() },
    };
  };

  const send = (response: ServerResponse, status: number, body: unknown) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ratelimit: '"minute";r=999;t=60' })
      .end(JSON.stringify(body));

  /** Takes `{"name", "times", "seconds"}`, for whoever tries the service out. */
  const takeFault = (body: string, response: ServerResponse) => {
    const {
      name,
      times = 1,
      seconds = 1,
    } = JSON.parse(body) as { name: string; times?: number; seconds?: number };
    const make = FAULTS[name];
    if (!make) return send(response, 400, { error: `name must be one of ${Object.keys(FAULTS).join(', ')}` });
    fault(make(seconds), { times });
    return send(response, 202, {});
  };

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    if (request.method !== 'POST') return send(response, 405, { error: 'POST only' });
    if (request.url === '/faults') return takeFault(body, response);
    const { query = '', variables = {} } = JSON.parse(body) as Partial<Seen>;
    const given: Seen = { headers: request.headers, query, variables };
    seen.push(given);
    const instead = faults.shift();
    if (instead) return instead({ response, answer: () => answer(given) });
    if (request.headers.authorization !== TOKEN)
      return send(response, 401, { errors: ['Not Authenticated'] });
    return send(response, 200, await answer(given));
  };

  const server = createServer((request, response) => {
    respond(request, response).catch(() => send(response, 400, { errors: [{ message: 'Bad request' }] }));
  });
  guardServer(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`,
    token: TOKEN,
    account,
    seen,
    wait: (milliseconds) => {
      waited += milliseconds;
    },
    fault,
    reset: () => {
      seen.length = 0;
      faults = [];
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
