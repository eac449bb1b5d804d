import type * as z from 'zod';
import type { FileResponse } from './file.ts';
import type { Grant } from './grants.ts';
import type { Multipart, MultipartValue } from './multipart.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call: `read` any key, `write` a read-and-write key, `person` nobody with a key (the contract's AI
 * operations, which answer 403 to every API key).
 */
export type Access = 'read' | 'write' | 'person';

type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

export type BodyDeclaration = z.ZodType | Multipart;

export const isMultipart = (body: BodyDeclaration | undefined): body is Multipart =>
  body !== undefined && 'kind' in body && body.kind === 'multipart';

export const isFile = (response: Operation['response']): response is FileResponse =>
  'kind' in response && response.kind === 'file';

type ParsedBody<Body> = Body extends Multipart
  ? MultipartValue<Body>
  : Body extends z.ZodType
    ? z.output<Body>
    : undefined;

type ParsedObject<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/**
 * All that is said about an endpoint, once. Routes, functions, grants, the OpenAPI document, the local gateway
 * and the contract test are derived from it.
 */
export interface Operation {
  /** camelCase; the file's name is the same in kebab-case. */
  id: string;
  method: Method;
  /** Relative to `/v1`, with `{names}` as in the contract. */
  path: string;
  summary: string;
  /** Markdown: what a caller has to know that the schemas do not say. */
  description?: string;
  access: Access;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: BodyDeclaration;
  /** It takes a version by `If-Match`, though its body has no `expected_version`. */
  guarded?: boolean;
  success: 200 | 201 | 202 | 204;
  /** The status where what is asked for stands already: the same reply, and nothing was changed. */
  existing?: 200;
  /** What `existing` means, where it is not that. */
  existingMeans?: string;
  response: z.ZodType | FileResponse;
  /**
   * The reply is a bare array of `response`'s elements; the query has the list parameters, and without `limit`
   * the complete result is streamed (contract, "Paging rule").
   */
  list?: boolean;
  /** Statuses beyond the ones every operation of this form has: 404 of a path, 400 and 422 are derived. */
  errors?: readonly (400 | 404 | 409 | 422)[];
  /** The SDK commands its function sends, beyond those of authentication and idempotency. */
  grants: readonly Grant[];
  /** The most DynamoDB calls of one request without an idempotency key, authentication included; a list's is per megabyte. */
  calls: number;
  /** A valid request's body, and its success reply, as the reference shows them. */
  example?: { body?: unknown; response?: unknown };
  /** MB, 512 unless the work needs more. */
  memory?: number;
  /** Names of packages with native builds, which are installed beside the bundle rather than in it. */
  native?: readonly string[];
  /** Files that stand beside the bundle, by the folder they are put in. */
  assets?: Readonly<Record<string, () => string[]>>;
}

/** What a handler's logic gets: parsed values only. */
export interface Input<Op extends Operation> {
  params: ParsedObject<Op['params']>;
  query: ParsedObject<Op['query']>;
  body: ParsedBody<Op['body']>;
}

/** The path's names and the schema of its parameters must be the same. */
type Checked<Op extends Operation> = [PathNames<Op['path']>] extends [never]
  ? { params?: undefined }
  : { params: z.ZodObject<{ [Name in PathNames<Op['path']>]: z.ZodType }, z.core.$strict> };

/** Checks a declaration's types; adds nothing at run time. */
export const defineOperation = <const Op extends Operation>(operation: Op & Checked<Op>): Op => operation;
