import { type Socket, connect } from 'node:net';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { MiddlewareStack } from '@aws-sdk/types';
import type { marshall as Marshall, unmarshall as Unmarshall } from '@aws-sdk/util-dynamodb';
import { expectKept } from './kept.ts';

/**
 * Stands for `@aws-sdk/lib-dynamodb` in the tests. A client of the table that is made for the embedded engine of the
 * test run speaks with it over a socket of its own: without endpoint rules, retries, signature and schemas, which are two
 * thirds of a call's time, and tests call little else. What the service or a test adds to a client or a command runs as
 * it does in the SDK, and so do the clients of every other engine and service.
 */

type Input = Record<string, unknown>;
type Attributes = Record<string, AttributeValue>;
type Stack = MiddlewareStack<object, object>;
type Context = { clientName: string; commandName: string };
type Resolve = (stack: Stack, configuration: unknown, options: unknown, context: Context) => unknown;
type Exception = new (fields: object) => Error;
interface DocumentCommand {
  input: Input;
  clientCommand: { constructor: { name: string }; resolveMiddlewareWithContext: Resolve };
}

/** The name of the package by itself leads here. */
const PACKAGE = '@aws-sdk/lib-dynamodb/dist-cjs/index.js';
const document = jest.requireActual<{
  DynamoDBDocumentClient: { from: (client: unknown, translation: Translation) => DocumentClient };
}>(`../../node_modules/${PACKAGE}`);
const sdk = jest.requireActual<Record<string, { prototype: object }>>('@aws-sdk/client-dynamodb');
const { marshall, unmarshall } = jest.requireActual<{
  marshall: typeof Marshall;
  unmarshall: typeof Unmarshall;
}>('@aws-sdk/util-dynamodb');

interface DocumentClient {
  middlewareStack: Stack;
  send: (command: DocumentCommand, ...rest: unknown[]) => Promise<unknown>;
}
interface Translation {
  marshallOptions: NonNullable<Parameters<typeof Marshall>[1]>;
  unmarshallOptions: NonNullable<Parameters<typeof Unmarshall>[1]>;
}

/** Members that hold one item, and members that hold a list of them. */
const ITEM = new Set([
  'Key',
  'Item',
  'Attributes',
  'ExpressionAttributeValues',
  'ExclusiveStartKey',
  'LastEvaluatedKey',
]);
const ITEMS = new Set(['Keys', 'Items']);

/** Converts each item of what is sent or received, wherever it stands. */
const converted = (value: unknown, convert: (item: Input) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((each) => converted(each, convert));
  if (value === null || typeof value !== 'object') return value;
  const result: Input = {};
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    if (ITEM.has(name)) result[name] = convert(member);
    else if (ITEMS.has(name)) result[name] = (member as Input[]).map(convert);
    // BatchGetItem gives the items of each table, TransactGetItems a list of replies.
    else if (name === 'Responses' && !Array.isArray(member)) {
      result[name] = Object.fromEntries(
        Object.entries(member as Record<string, Input[]>).map(([table, items]) => [
          table,
          items.map(convert),
        ]),
      );
    } else result[name] = converted(member, convert);
  }
  return result;
};

/** Changes the bytes of an item, which travel as base64, at any depth. */
const withBytes = (item: Attributes, change: (bytes: Uint8Array | string) => unknown): Attributes => {
  for (const attribute of Object.values(item)) {
    const { B, M, L } = attribute;
    if (B) Object.assign(attribute, { B: change(B) });
    else if (M ?? L) withBytes((M ?? L) as Attributes, change);
  }
  return item;
};
const encoded = (item: Attributes) => withBytes(item, (bytes) => Buffer.from(bytes).toString('base64'));
const decoded = (item: Attributes) =>
  withBytes(item, (base64) => new Uint8Array(Buffer.from(base64 as string, 'base64')));

/** Milliseconds for which a connection waits for its next call. */
const MAX_IDLE_MS = 2_000;
const HEAD_END = '\r\n\r\n';
const idle: Socket[] = [];

const opened = (engine: URL): Socket => {
  const socket = connect(Number(engine.port), engine.hostname).setNoDelay();
  const forget = () => {
    const position = idle.indexOf(socket);
    if (position !== -1) idle.splice(position, 1);
    socket.destroy();
  };
  return socket.on('timeout', forget).on('close', forget).on('error', forget);
};

/** One call and its reply, whose length the engine says. */
const exchanged = (engine: URL, target: string, body: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const socket = (idle.pop() ?? opened(engine)).setTimeout(0).ref();
    let received: Buffer = Buffer.alloc(0);
    let end = Infinity;
    const settle = (error?: Error) => {
      socket.off('data', read).off('error', settle).off('close', closed);
      if (error) reject(error);
    };
    const closed = () => settle(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
    const read = (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const head = received.indexOf(HEAD_END);
      if (head === -1) return;
      const lines = received.toString('latin1', 0, head);
      if (end === Infinity)
        end = head + HEAD_END.length + Number(/^content-length: *(\d+)/im.exec(lines)![1]);
      if (received.length < end) return;
      settle();
      idle.push(socket.setTimeout(MAX_IDLE_MS).unref());
      resolve({
        status: Number(lines.slice(9, 12)),
        text: received.toString('utf8', head + HEAD_END.length, end),
      });
    };
    socket.on('data', read).on('error', settle).on('close', closed);
    const head = [
      'POST / HTTP/1.1',
      `host: ${engine.host}`,
      'content-type: application/x-amz-json-1.0',
      `x-amz-target: DynamoDB_20120810.${target}`,
      `authorization: AWS4-HMAC-SHA256 Credential=${process.env['AWS_ACCESS_KEY_ID']}/20260101/${process.env['AWS_REGION']}/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0`,
      'x-amz-date: 20260101T000000Z',
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    socket.write(`${head.join('\r\n')}${HEAD_END}${body}`);
  });

/** A reply with an error. DynamoDB writes its message in two ways. */
interface Refusal {
  __type: string;
  message?: string;
  Message?: string;
}

/** The error of a reply, as the SDK throws it. */
const thrown = (status: number, { __type, message, Message, ...fields }: Refusal): Error => {
  const name = __type.split('#').at(-1)!;
  const known = sdk[name] as Exception | undefined;
  const details = {
    ...fields,
    name,
    message: message ?? Message ?? name,
    $fault: status < 500 ? 'client' : 'server',
    $metadata: { httpStatusCode: status, attempts: 1, totalRetryDelay: 0 },
  };
  return known ? new known(details) : Object.assign(new Error(details.message), details);
};

/** In place of the configuration of a client, it has a command sent to the engine. */
class Engine {
  readonly url: URL;
  readonly translation: Translation;

  constructor(url: URL, translation: Translation) {
    this.url = url;
    this.translation = translation;
  }

  async call(commandName: string, input: Input): Promise<object> {
    expectKept(input);
    const { marshallOptions, unmarshallOptions } = this.translation;
    const sent = converted(input, (item) => encoded(marshall(item, marshallOptions)));
    const { status, text } = await exchanged(
      this.url,
      commandName.replace(/Command$/, ''),
      JSON.stringify(sent),
    );
    const reply = JSON.parse(text) as Input;
    if (status !== 200)
      throw thrown(status, converted(reply, (item) => decoded(item as Attributes)) as Refusal);
    const output = converted(reply, (item) => unmarshall(decoded(item as Attributes), unmarshallOptions));
    return { $metadata: { httpStatusCode: status, attempts: 1, totalRetryDelay: 0 }, ...(output as object) };
  }
}

const base = Object.getPrototypeOf(Object.getPrototypeOf(sdk['GetItemCommand']!.prototype)) as {
  resolveMiddlewareWithContext: Resolve;
};
const { resolveMiddlewareWithContext } = base;
// Interceptors of the tests replace this method as well, and call the one before them.
base.resolveMiddlewareWithContext = function resolved(stack, configuration, options, context) {
  if (!(configuration instanceof Engine)) {
    return resolveMiddlewareWithContext.call(this, stack, configuration, options, context);
  }
  const core = async ({ input }: { input: Input }) => ({
    response: {},
    output: await configuration.call(context.commandName, input),
  });
  return stack.resolve(core as never, context);
};

const { from } = document.DynamoDBDocumentClient;
document.DynamoDBDocumentClient.from = function engineClient(client, translation) {
  const made = from.call(this, client, translation);
  const { TEST_ENGINE_URL, AWS_ENDPOINT_URL_DYNAMODB, TENANT_ROLE_ARN } = process.env;
  if (!TEST_ENGINE_URL || AWS_ENDPOINT_URL_DYNAMODB !== TEST_ENGINE_URL || TENANT_ROLE_ARN) return made;
  const engine = new Engine(new URL(TEST_ENGINE_URL), translation);
  const added = made.middlewareStack.clone();
  // It stands beside a middleware that only a command adds, so it is not among the others.
  added.remove('httpAuthSchemeMiddleware');
  for (const entry of added.identify()) {
    const [name = '', step] = entry.split(' - ');
    if (step !== 'initialize') added.remove(name.split(' (')[0]!);
  }
  made.send = async ({ input, clientCommand }) => {
    const context = { clientName: 'DynamoDBClient', commandName: clientCommand.constructor.name };
    const handler = clientCommand.resolveMiddlewareWithContext(added, engine, undefined, context) as (args: {
      input: Input;
    }) => Promise<{ output: object }>;
    const { output } = await handler({ input });
    return output;
  };
  return made;
};

module.exports = document;
