import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sessionReply } from '../support/tenants.ts';

/** A key of the table, as DynamoDB's own JSON writes it. */
type Attributes = Record<string, { S?: string }>;

interface WriteOf {
  Key?: Attributes;
  Item?: Attributes;
}

interface Call {
  TransactItems?: Record<string, WriteOf>[];
  ExpressionAttributeValues?: Attributes;
  KeyConditionExpression?: string;
  RequestItems?: Record<string, { Keys?: Attributes[] }>;
  Key?: Attributes;
  Item?: Attributes;
}

/** What DynamoDB and STS were asked. */
export interface Seen {
  /** By their name, such as `TransactWriteItems`. */
  calls: Map<string, number>;
  /** Items that were read and written, by their partition. */
  partitions: Map<string, number>;
  /** Items that were written, by their partition. */
  writes: Map<string, number>;
  conflicts: number;
  sessions: number;
  connections: number;
}

const nothing = (): Seen => ({
  calls: new Map(),
  partitions: new Map(),
  writes: new Map(),
  conflicts: 0,
  sessions: 0,
  connections: 0,
});

const add = (counts: Map<string, number>, name: string, count = 1): void =>
  void counts.set(name, (counts.get(name) ?? 0) + count);

/** How long DynamoDB holds the items of a transaction, in milliseconds: about what one takes within a region. */
export const TRANSACTION_MS = 10;

const keyOf = ({ Key, Item }: WriteOf): Attributes => Key ?? Item!;

const writesOf = ({ TransactItems = [] }: Call): Attributes[] =>
  TransactItems.flatMap((item) => Object.values(item).map(keyOf));

const idOf = ({ pk, sk }: Attributes): string => `${pk?.S} ${sk?.S}`;

/** The partitions that a call touches, once for each item. */
const partitionsOf = (call: Call): string[] => {
  if (call.TransactItems) return writesOf(call).map(({ pk }) => pk!.S!);
  if (call.RequestItems)
    return Object.values(call.RequestItems).flatMap(({ Keys = [] }) => Keys.map(({ pk }) => pk!.S!));
  if (call.KeyConditionExpression) return [Object.values(call.ExpressionAttributeValues ?? {})[0]?.S ?? '?'];
  return [keyOf(call).pk!.S!];
};

/** Calls of the table as a whole. */
const OF_NO_PARTITION = new Set(['CreateTable', 'DescribeTable', 'Scan']);

const CANCELED = 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException';
const CONFLICT = 'com.amazonaws.dynamodb.v20120810#TransactionConflictException';

/**
 * An AWS before an embedded engine of the table: it opens sessions of the tenant role, counts what passes, and refuses a
 * write of an item that a transaction under way has, as DynamoDB does and no engine.
 * @param engine the address of the engine
 */
export const openTableDoor = async (engine: string) => {
  let seen = nothing();
  const held = new Map<string, number>();
  const target = new URL(engine);
  const agent = new Agent({ keepAlive: true });

  const forward = (body: string, { headers, method }: IncomingMessage, reply: ServerResponse) =>
    new Promise<void>((resolve, reject) => {
      const { host: _host, ...passed } = headers;
      const forwarded = send(target, { method, headers: passed, agent }, (answer) => {
        reply.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(reply).on('finish', resolve).on('error', reject);
      });
      forwarded.on('error', reject).end(body);
    });

  const refuse = (reply: ServerResponse, type: string, reasons: readonly { Code: string }[]): void => {
    seen.conflicts += 1;
    const body = { __type: type, message: 'a transaction is under way', CancellationReasons: reasons };
    reply.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
  };

  /** Holds the items of a transaction while it is under way. */
  const holding = async (ids: readonly string[], work: () => Promise<void>): Promise<void> => {
    for (const id of ids) add(held, id);
    const end = sleep(TRANSACTION_MS);
    await work();
    await end;
    for (const id of ids)
      if (held.get(id) === 1) held.delete(id);
      else add(held, id, -1);
  };

  const answer = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const body = await text(request);
    if (body.includes('Action=AssumeRole')) {
      seen.sessions += 1;
      reply.writeHead(200, { 'content-type': 'text/xml' }).end(sessionReply(body));
      return;
    }
    const name = String(request.headers['x-amz-target']).split('.')[1]!;
    const call = JSON.parse(body) as Call;
    add(seen.calls, name);
    const isWrite = /^(TransactWriteItems|PutItem|UpdateItem|DeleteItem)$/.test(name);
    if (!OF_NO_PARTITION.has(name))
      for (const partition of partitionsOf(call)) add(seen.partitions, partition);
    const written = call.TransactItems ? writesOf(call) : isWrite ? [keyOf(call)] : [];
    const ids = written.map(idOf);
    if (ids.some((id) => held.has(id))) {
      const reasons = ids.map((id) => ({ Code: held.has(id) ? 'TransactionConflict' : 'None' }));
      refuse(reply, call.TransactItems ? CANCELED : CONFLICT, reasons);
      return;
    }
    for (const { pk } of written) add(seen.writes, pk!.S!);
    if (call.TransactItems) await holding(ids, () => forward(body, request, reply));
    else await forward(body, request, reply);
  };

  const server = createServer((request, reply) => {
    answer(request, reply).catch(() => reply.destroy());
  });
  // It never closes an idle connection, so a new one is the client's own doing.
  server.keepAliveTimeout = 0;
  server.on('connection', () => (seen.connections += 1));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What was seen since it was last read. */
    read: (): Seen => {
      const read = seen;
      seen = nothing();
      return read;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
};

export type TableDoor = Awaited<ReturnType<typeof openTableDoor>>;
