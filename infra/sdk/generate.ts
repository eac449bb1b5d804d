import { type Catalogue, keyOperations } from '../catalogue.ts';
import { openApiDocument } from '../openapi/document.ts';
import type { OpenApiDocument, OperationObject } from '../openapi/document/types.ts';

interface Listed {
  method: string;
  path: string;
  operation: OperationObject;
}

/** The operations of a path, by method. Beside them it may say where it begins. */
const methodsOf = ({ servers: _servers, ...methods }: OpenApiDocument['paths'][string]) =>
  Object.entries(methods);

const operationsOf = ({ paths }: OpenApiDocument): Listed[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    methodsOf(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** Without error replies: the client throws them. */
const withoutErrors = (operation: OperationObject): OperationObject => ({
  ...operation,
  responses: Object.fromEntries(
    Object.entries(operation.responses).filter(([status]) => status.startsWith('2')),
  ),
});

const typeName = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const names = ({ operation }: Listed): string[] =>
  (operation.parameters ?? []).map((parameter) =>
    '$ref' in parameter ? parameter.$ref.split('/').at(-1)! : parameter.name,
  );

/** The operation as `POST /locations i`. */
const entryOf = (listed: Listed): string => {
  const flags = names(listed).includes('IdempotencyKey')
    ? ' i'
    : names(listed).includes('offset')
      ? ' o'
      : '';
  return `${listed.method} ${listed.path}${flags}`;
};

const comment = ({ summary, description }: OperationObject): string =>
  `  /**\n${[summary, ...(description ? ['', ...description.split('\n')] : [])]
    .map((line) => `   * ${line}`.trimEnd().replaceAll('*/', '*\\/'))
    .join('\n')}\n   */`;

/** Whether the operation can be called without saying anything. */
const isBare = ({ path, operation }: Listed): boolean =>
  !path.includes('{') &&
  !operation.requestBody?.required &&
  !(operation.parameters ?? []).some((parameter) => 'required' in parameter && parameter.required);

const argsOf = (listed: Listed): string =>
  `args${isBare(listed) ? '?' : ''}: Args<types.${typeName(listed.operation.operationId)}Data>`;

const method = (listed: Listed): string =>
  `${comment(listed.operation)}\n  ${listed.operation.operationId}(${argsOf(listed)}): Promise<types.${typeName(listed.operation.operationId)}Response>;`;

const list = (listed: Listed): string =>
  `  ${listed.operation.operationId}(${argsOf(listed)}): AsyncGenerator<Row<types.${typeName(listed.operation.operationId)}Response>>;`;

const union = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(' | ');

/**
 * The sources of the client that follow from the document.
 * @returns the document of the operations that a key may call, for the generator of types; and the client's own module
 */
export const generate = (catalogue: Catalogue): { document: OpenApiDocument; index: string } => {
  const operations = keyOperations(catalogue.operations).filter(
    ({ operation }) => operation.access !== 'person',
  );
  const document = openApiDocument({ ...catalogue, operations });
  // An operation of a key may be called at a path of the app as well.
  const whole = {
    ...document,
    paths: Object.fromEntries(Object.entries(document.paths).filter(([path]) => !path.startsWith('/app/'))),
  };
  const listed = operationsOf(whole);
  const codes = [...new Set(listed.flatMap(({ operation }) => operation['x-error-codes'] ?? []))].toSorted();
  const table = listed.map((one) => `  ${one.operation.operationId}: '${entryOf(one)}',`);
  const paths = Object.fromEntries(
    Object.entries(whole.paths).map(([path, item]) => [
      path,
      Object.fromEntries(methodsOf(item).map(([name, operation]) => [name, withoutErrors(operation)])),
    ]),
  );
  const index = `import { type Helpers, makeClient, type NewFile } from '../src/client.ts';
import type { CallOptions, ClientOptions } from '../src/send.ts';
import { verifyWebhook as verify, type WebhookHeaders, type WebhookOptions } from '../src/webhooks.ts';
import type * as types from './types/types.gen.ts';

export type * from './types/types.gen.ts';
export { ApiError, ConnectionError, FailedError, isApiError, type InvalidValue } from '../src/errors.ts';
export { WebhookError, type WebhookHeaders, type WebhookOptions } from '../src/webhooks.ts';
export type { WaitOptions, NewFile } from '../src/client.ts';
export type { CallOptions, ClientOptions };

/** What an operation is called with: \`path\`, \`query\`, \`body\`, \`headers\`, and how it is sent. */
export type Args<Data> = Omit<Data, 'url'> & CallOptions;

type Row<Reply> = Reply extends readonly (infer One)[] ? One : Reply extends { items: readonly (infer One)[] } ? One : never;

export interface Operations {
${listed.map(method).join('\n')}
}

/** Reads all pages of a list, one after the other. */
export interface Lists {
${listed
  .filter(({ operation }) => operation.operationId.startsWith('list'))
  .map(list)
  .join('\n')}
}

/** The codes that the errors of each operation have. New ones may be added. */
export interface ErrorCodes {
${listed.map(({ operation }) => `  ${operation.operationId}: ${union(operation['x-error-codes'] ?? [])};`).join('\n')}
}

/** Every code that an error can have. */
export type ErrorCode = ${union(codes)};

/** A client of the service. */
export interface Client extends Operations, Helpers<Client> {
  each: Lists;
  /** Uploads a file of up to 100 MB as a document: asks for an upload, sends the file, and completes it. */
  upload(file: NewFile & types.CompleteUploadData['body'], options?: CallOptions): Promise<types.CompleteUploadResponse>;
}

const TABLE = {
${table.join('\n')}
};

/** Makes a client. It sends nothing until one of its methods is called. */
export const newClient = (options: ClientOptions): Client => makeClient(TABLE, options);

/**
 * Checks who sent a webhook (Standard Webhooks), and reads it.
 * @param body as it came, before anything parses it
 * @param secrets of the endpoint; while one is rotated, both
 * @throws WebhookError
 */
export const verifyWebhook = (
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options?: WebhookOptions,
): Promise<types.Event> => verify(body, headers, secrets, options);
`;
  return { document: { ...whole, paths }, index };
};
