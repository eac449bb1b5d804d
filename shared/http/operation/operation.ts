import type * as z from 'zod';
import type { PersonRole } from '../../base/caller.ts';
import type { MalformedRow } from '../../base/problem.ts';
import type { VisitLimits } from '../../organizations/links/visits.ts';
import type { LinkPurpose } from '../../table/entities/organization.ts';
import type { Deprecation } from './deprecation.ts';
import type { Multipart, MultipartValue, WebForm } from './forms.ts';
import type {
  AssetResponse,
  FileResponse,
  PageResponse,
  RedirectResponse,
  VisitResponse,
} from './responses.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call: `read` allows any key, `write` only a read-and-write key, and `person` no key at all (the contract's
 * AI operations, which reply 403 to every API key).
 */
export type Access = 'read' | 'write' | 'person';

type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

export type BodyDeclaration = z.ZodType | Multipart;

export const isMultipart = (body: BodyDeclaration | undefined): body is Multipart =>
  body !== undefined && 'kind' in body;

export const isFile = (response: Operation['response']): response is FileResponse => 'kind' in response;

/** What an operation's logic gets as the body. */
export type ParsedBody<Body> = Body extends Multipart
  ? MultipartValue<Body>
  : Body extends WebForm<infer Fields>
    ? z.output<Fields>
    : Body extends z.ZodType
      ? z.output<Body>
      : undefined;

type ParsedObject<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** What every declaration says, whatever its surface. */
interface Declaration {
  /** camelCase; the file's name is the same in kebab-case. */
  id: string;
  method: Method;
  /** Relative to where the paths of its surface begin (`routeOf`), with `{names}` as in the contract. */
  path: string;
  summary: string;
  /** Markdown: what a caller must know and the schemas do not say. */
  description?: string;
  params?: z.ZodObject;
  body?: BodyDeclaration | WebForm;
  /**
   * The reply is an array. The query has the list parameters, and without `limit` the complete list is streamed
   * (contract, "Paging rule").
   */
  list?: boolean;
  /** The function's memory in MB; 512 by default. */
  memory?: number;
  /** It calls the identity provider. */
  callsProvider?: true;
  /** Its work can need seconds of computing. The local service runs it in a thread of its own. */
  heavy?: true;
  /** Packages with native builds, which are installed beside the bundle instead of in it. */
  native?: readonly string[];
  /** Modules that it runs as processes of their own, by their paths in this repository. Each is bundled beside it. */
  programs?: readonly string[];
  /** Files that are copied beside the bundle, by the name of their folder there. */
  assets?: Readonly<Record<string, () => string[]>>;
}

/**
 * Who of the signed-in people may call: members with one of these roles in the organization that they have chosen, or
 * `any`: everybody with a session, also before they have chosen one.
 */
export type AppRoles = readonly PersonRole[] | 'any';

/**
 * The one declaration of an endpoint of `/v1`. Routes, functions, the OpenAPI document, the local gateway and the
 * contract test are derived from it. The declaration does not say what it uses, such as the table and queues: `npm run
 * record` observes that.
 */
export interface Operation extends Declaration {
  access: Access;
  /**
   * Signed-in people with one of these roles can call it too, at this path below `/app`. The path has the same names.
   */
  app?: { path: string; roles: readonly PersonRole[] };
  /**
   * Signed-in people with one of these roles can read it too, at the same path below `/app`: `/app/v1/…`. Only what is
   * narrowed to the caller names other roles than `admin`.
   */
  people?: readonly PersonRole[];
  surface?: 'app';
  /**
   * It takes `On-Behalf-Of`: a key that may act for members sends it for a person with one of these roles, who is then
   * the caller. Every other operation refuses the header.
   */
  actsFor?: readonly PersonRole[];
  body?: BodyDeclaration;
  query?: z.ZodObject;
  /** The list in the body whose rows fail alone. A row that is not valid reaches the logic as a `MalformedRow`. */
  rows?: string;
  /** The operation accepts `If-Match`, although its body has no `expected_version`. */
  guarded?: boolean;
  success: 200 | 201 | 202 | 204;
  /** The status when what was asked for exists already: the reply is the same, and nothing was created. */
  existing?: 200;
  /** The description of the `existing` reply, if the usual one does not fit. */
  existingMeans?: string;
  response: z.ZodType | FileResponse;
  /**
   * Where a 201 or 202 says that its reply can be read again: the path of a GET, of the resource or of the list that has
   * it. A name at the end is the `id` of the reply. The others are those of this operation's path, or fields of the
   * reply.
   */
  location?: `/${string}`;
  /** Another format of a list or summary, which a query parameter chooses. */
  alsoAs?: FileResponse;
  /**
   * Additional statuses. The others are derived from the declaration: 404 for a path, 409 for a request that can be
   * repeated or that names a version.
   */
  errors?: readonly (404 | 409)[];
  /** Clients are to stop calling it. */
  deprecated?: Deprecation;
  /** The body of a valid request and its success reply, as the API reference shows them. */
  example?: { body?: unknown; response?: unknown };
}

/**
 * The declaration of an endpoint that signed-in people alone call, with the cookie of their session. Its path is
 * relative to `/app`. It takes no idempotency key, because its reply would be stored, and may be a secret that is
 * shown only once.
 */
export interface AppOperation extends Operation {
  surface: 'app';
  roles: AppRoles;
  app?: never;
  people?: never;
  actsFor?: never;
}

/**
 * The declaration of a step of the sign-in, which a browser takes before there is a session. The OpenAPI document
 * leaves it out, like a page: no client calls it.
 */
export interface BrowserOperation extends Declaration {
  surface: 'browser';
  /** Lenient: what it does not name is not looked at. */
  query?: z.ZodObject;
  body?: never;
  success: 302;
  response: RedirectResponse;
  list?: never;
}

/**
 * The declaration of the page of the admin app. Without a session it leads to the sign-in, and back. The OpenAPI
 * document leaves it out as well.
 */
export interface AdminOperation extends Declaration {
  surface: 'admin';
  method: 'GET';
  /** The paths of its tabs and of what they show, which lead to the same page. */
  alsoAt: readonly string[];
  body?: never;
  success: 200;
  response: PageResponse;
  list?: never;
}

/**
 * The declaration of a page that anybody with a link can open, without a key. The OpenAPI document leaves it out,
 * because no client builds its URLs: they come from replies and mails.
 */
export interface PublicOperation extends Declaration {
  /** The purpose of the links that open it. Their token is in the path, as `{token}`. */
  link: LinkPurpose;
  /** How often it may be requested. */
  visits: VisitLimits;
  /** Lenient: what it does not name is not looked at. */
  query?: z.ZodObject;
  body?: WebForm;
  success: 200 | 302;
  response: VisitResponse;
  /** The page contains its own address, such as in a QR code. */
  namesItself?: true;
  list?: never;
}

/** The declaration of a file that pages load. It is the same for everyone and contains no data. */
export interface AssetOperation extends Declaration {
  method: 'GET';
  loadedBy: 'pages';
  body?: never;
  success: 200;
  response: AssetResponse;
  list?: never;
}

/** The declaration of an endpoint that tells a monitor whether the service runs. It contains no data. */
export interface ProbeOperation extends Declaration {
  surface: 'probe';
  method: 'GET';
  body?: never;
  success: 200;
  response: z.ZodType;
  list?: never;
}

/** The declaration of an endpoint of any surface. */
export type AnyOperation =
  | Operation
  | PublicOperation
  | AssetOperation
  | BrowserOperation
  | AdminOperation
  | ProbeOperation;

/** A body whose rows fail alone. */
type WithRows<Body, Name> = {
  [Field in keyof Body]: Field extends Name
    ? Body[Field] extends readonly (infer Row)[]
      ? (Row | MalformedRow)[]
      : never
    : Body[Field];
};

/** The parsed values that an operation's logic gets. */
export interface Input<Op extends Operation> {
  params: ParsedObject<Op['params']>;
  query: ParsedObject<Op['query']>;
  body: Op extends { rows: infer Name extends string }
    ? WithRows<ParsedBody<Op['body']>, Name>
    : ParsedBody<Op['body']>;
}

/**
 * The paths and `params` must have the same names. An operation for the app alone must name its roles. Only a GET is
 * read at the same path by people, and has no other path for them.
 */
type Consistent<Op extends AnyOperation> = ([PathNames<Op['path']>] extends [never]
  ? { params?: undefined }
  : { params: z.ZodObject<{ [Name in PathNames<Op['path']>]: z.ZodType }, z.core.$strict> }) &
  (Op extends { surface: 'app' } ? { roles: AppRoles } : unknown) &
  (Op extends { people: readonly PersonRole[] } ? { method: 'GET'; app?: never } : unknown) &
  (Op extends { app: { path: infer Second extends string } }
    ? { app: { path: PathNames<Second> extends PathNames<Op['path']> ? Second : never } }
    : unknown);

/** Checks a declaration's types; does nothing at run time. */
export const defineOperation = <const Op extends AnyOperation>(operation: Op & Consistent<Op>): Op =>
  operation;
