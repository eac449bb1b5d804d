import { closeSync, openSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { v7 as uuidv7 } from 'uuid';
import type * as z from 'zod';
import * as createClientAccount from '../../functions/client-accounts/create-client-account.ts';
import * as getClientAccount from '../../functions/client-accounts/get-client-account.ts';
import * as updateClientAccount from '../../functions/client-accounts/update-client-account.ts';
import * as listMembers from '../../functions/members/list-members.ts';
import { contextOf } from '../../infra/local/lambda.ts';
import { SAFE_HEADERS } from '../../shared/base/headers.ts';
import { REQUEST_ID } from '../../shared/base/request.ts';
import { newApiKey } from '../../shared/organizations/api-keys.ts';
import type { Member } from '../../shared/schemas/member.ts';
import { systemClient } from '../../shared/table/client.ts';
import type { KeyRow } from '../../shared/table/entities/organization.ts';
import { keys } from '../../shared/table/keys.ts';
import { call, type Endpoint, type Request } from '../support/call.ts';
import { median, print, RATIO, ratio, rounded } from './table.ts';

const ROUNDS = 7;
const CALLS = 200;
const WARM_UP = 500;
const MEMBERS = 50;

type Run = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** A request to measure, and the reply of DynamoDB to each of its actions. */
interface Case {
  what: string;
  endpoint: Endpoint;
  request: Omit<Request, 'as'>;
  answers: Record<string, unknown>;
}

const now = new Date().toISOString();
const resource = { id: uuidv7(), created_at: now, updated_at: now };
const org = { org_id: uuidv7() };

const keyRow: KeyRow = {
  ...org,
  key_id: uuidv7(),
  user_id: uuidv7(),
  name: 'Bench',
  access: 'read_write',
  scopes: null,
  networks: null,
  cursor_secret: 'a secret',
  minute: 0,
  count: 1,
  last_used_at: now,
};

const account = {
  ...resource,
  name: 'Acme Cranes',
  brand_primary: '210 80% 40%',
  logo_url: 'https://example.com/logo.png',
  contact: { name: 'Ada', email: 'ada@example.com', phone: null },
  notes: 'Calls first.',
  external_ref: null,
  is_active: true,
  version: 1,
};

const member: Member = {
  ...resource,
  user_id: uuidv7(),
  name: 'Ada',
  email: 'ada@example.com',
  role: 'inspector',
  position: 'Lead',
  phone: null,
  status: 'active',
  last_active_at: null,
  invitation_expires_at: null,
  acting_consented_at: null,
  mail: null,
};

const { brand_primary, logo_url, contact, notes, name } = account;
const params = { ca_id: account.id };
const accountRow = marshall({ ...account, ...keys.one(org, 'CLIENT', account.id) });
const memberRow = marshall({ ...member, version: 1, ...keys.one(org, 'MEMBER', member.user_id) });

const STAMP = { UpdateItem: { Attributes: marshall({ ...keyRow, ...keys.apiKey('') }) } };
const NO_ROWS = { Query: { Count: 0, Items: [], ScannedCount: 0 } };

const CASES: Case[] = [
  {
    what: 'get a client account',
    endpoint: getClientAccount,
    request: { params },
    answers: { ...STAMP, ...NO_ROWS, GetItem: { Item: accountRow } },
  },
  {
    what: 'create a client account',
    endpoint: createClientAccount,
    request: { body: { name, brand_primary, logo_url, contact, notes } },
    answers: { ...STAMP, TransactWriteItems: {} },
  },
  {
    what: 'update a client account',
    endpoint: updateClientAccount,
    request: { params, body: { name: 'Acme Hoists', contact: { phone: '1' } } },
    answers: { ...STAMP, ...NO_ROWS, GetItem: { Item: accountRow }, TransactWriteItems: {} },
  },
  {
    what: `list ${MEMBERS} members`,
    endpoint: listMembers,
    request: {},
    answers: {
      ...STAMP,
      Query: {
        Count: MEMBERS,
        Items: Array.from({ length: MEMBERS }, () => memberRow),
        ScannedCount: MEMBERS,
      },
    },
  },
];

/** A request handler for the SDK that replies from memory, so that only this process is measured. */
const fakeDynamoDb = (answers: Record<string, unknown>) => {
  const bodies = new Map(
    Object.entries(answers).map(([action, answer]) => [action, Buffer.from(JSON.stringify(answer))]),
  );
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    handle: async ({ headers }: { headers: Record<string, string> }) => {
      const body = bodies.get(headers['x-amz-target']!.split('.')[1]!)!;
      return {
        response: {
          statusCode: 200,
          headers: { 'content-type': 'application/x-amz-json-1.0', 'content-length': String(body.length) },
          body,
        },
      };
    },
  };
};

/** The event of a request, as API Gateway makes it. */
const eventOf = async ({ operation }: Endpoint, request: Request): Promise<APIGatewayProxyEvent> => {
  let made: APIGatewayProxyEvent | undefined;
  const handler: Run = async (event) => {
    made = event;
    return {
      statusCode: operation.success,
      headers: { ...SAFE_HEADERS, [REQUEST_ID]: event.requestContext.requestId },
      body: '',
    };
  };
  await call({ operation, handler }, request);
  return made!;
};

interface Command {
  input: unknown;
  constructor: new (input: unknown) => Command;
}

/** The commands that a request sends through a client. */
const commandsOf = async (
  client: DynamoDBDocumentClient,
  request: () => Promise<unknown>,
): Promise<Command[]> => {
  const commands: Command[] = [];
  const send = client.send.bind(client);
  const recording = (command: Command, ...rest: unknown[]): unknown => {
    commands.push(command);
    return Reflect.apply(send, undefined, [command, ...rest]);
  };
  Object.assign(client, { send: recording });
  await request();
  // This brings the method of the class back.
  Reflect.deleteProperty(client, 'send');
  return commands;
};

/**
 * The smallest possible handler, for comparison: it parses and validates with the operation's schemas, sends the same
 * commands with ready inputs, and replies with a ready value.
 */
const bare =
  ({ operation }: Endpoint, client: DynamoDBDocumentClient, commands: Command[], value: unknown): Run =>
  async (event) => {
    operation.params?.parse(event.pathParameters);
    operation.query?.parse(event.queryStringParameters ?? {});
    if (operation.body && event.body) {
      (operation.body as z.ZodType).parse(JSON.parse(Buffer.from(event.body, 'base64').toString()));
    }
    for (const { constructor: Again, input } of commands) await client.send(new Again(input) as never);
    return {
      statusCode: operation.success,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(value),
    };
  };

/** Microseconds of processor time per call. Other processes do not affect it. */
const cost = async (calls: number, run: () => Promise<APIGatewayProxyResult>): Promise<number> => {
  const start = process.cpuUsage();
  for (let made = 0; made < calls; made += 1) {
    const { statusCode, body } = await run();
    if (statusCode >= 300) throw new Error(`answered ${statusCode}: ${body}`);
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / calls;
};

/** Runs `work` with logging, and discards the log lines. */
const logged = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const sink = openSync(devNull, 'w');
  const { stdout, env } = process;
  env['LOG_LEVEL'] = 'info';
  stdout.write = (line: Uint8Array | string) => writeSync(sink, String(line)) > 0;
  try {
    return await work();
  } finally {
    Reflect.deleteProperty(stdout, 'write');
    closeSync(sink);
    env['LOG_LEVEL'] = 'silent';
  }
};

const measureCase = async ({ what, endpoint, request, answers }: Case, as: string) => {
  const client = systemClient();
  Object.assign(client.config, { requestHandler: fakeDynamoDb(answers) });
  const event = await eventOf(endpoint, { as, ...request });
  const context = contextOf(endpoint.operation.id, 512, Date.now() + 3_600_000);
  const whole = () => (endpoint.handler as Run)(event, context);
  let value: unknown;
  const commands = await commandsOf(client, async () => {
    value = JSON.parse((await whole()).body);
  });
  const bareHandler = bare(endpoint, client, commands, value);
  const floor = () => bareHandler(event, context);

  const variants = {
    floor: (calls: number) => cost(calls, floor),
    silent: (calls: number) => cost(calls, whole),
    logging: (calls: number) => logged(() => cost(calls, whole)),
  };
  for (const run of Object.values(variants)) await run(WARM_UP);
  const costs: Record<keyof typeof variants, number[]> = { floor: [], silent: [], logging: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, run] of Object.entries(variants))
      costs[name as keyof typeof costs].push(await run(CALLS));
  }
  const [bareCost, silent, logging] = [median(costs.floor), median(costs.silent), median(costs.logging)];
  return [
    [what, String(commands.length), rounded(bareCost), rounded(silent), ...ratio(silent, bareCost, 1.6)],
    ['  with its log line', '', '', rounded(logging), ...ratio(logging, bareCost, 2)],
  ];
};

export const measure = async (): Promise<void> => {
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    TABLE_NAME: 'bench',
    LOG_LEVEL: 'silent',
  });
  const { key } = newApiKey();
  const lines = [];
  for (const each of CASES) lines.push(...(await measureCase(each, key)));
  print(
    'handler: a warm handler with all middlewares compared with one that only parses, validates, sends and replies',
    ['µs of processor per request', 'calls', 'bare', 'whole', ...RATIO],
    lines,
    'Both use the same SDK client, which gets its replies from memory.',
  );
};
