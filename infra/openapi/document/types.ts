import type { Method } from '../../../shared/http/operation/operation.ts';
import type { JsonSchema } from './json-schema.ts';

export interface Reference {
  $ref: string;
}

export interface MediaType {
  schema: JsonSchema;
  example?: unknown;
  encoding?: Record<string, { contentType: string }>;
}

/** The content of a body, by media type. */
export type BodyContent = Record<string, MediaType>;

export interface Header {
  description?: string;
  schema: JsonSchema;
}

export interface Parameter extends Header {
  name: string;
  in: 'path' | 'query' | 'header';
  style?: 'form';
  explode?: boolean;
  required?: boolean;
  deprecated?: true;
  example?: unknown;
}

export interface RequestBody {
  required: boolean;
  content: BodyContent;
}

/** OpenAPI calls it a Response Object. */
export interface Reply {
  description: string;
  headers?: Record<string, Reference>;
  content?: BodyContent;
}

export interface OperationObject {
  operationId: string;
  summary: string;
  description?: string;
  tags: [string];
  deprecated?: true;
  security?: Record<string, []>[];
  parameters?: (Parameter | Reference)[];
  requestBody?: RequestBody;
  responses: Record<string, Reply | Reference>;
  /** The values that `X-Error-Code` can have. */
  'x-error-codes'?: string[];
}

/** `servers` is there where the paths begin elsewhere than those of `/v1`. */
type PathItem = Partial<Record<Lowercase<Method>, OperationObject>> & { servers?: { url: string }[] };

export type Paths = Record<string, PathItem>;

/** A request that the service sends to endpoints of its customers. */
export interface Webhook {
  post: OperationObject;
}

export interface Components {
  securitySchemes: Record<string, object>;
  parameters: Record<string, Parameter>;
  headers: Record<string, Header>;
  responses: Record<string, Reply>;
  schemas: Record<string, JsonSchema>;
}

/** The part of OpenAPI 3.1 that the service's document uses. */
export interface OpenApiDocument {
  openapi: '3.1.1';
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string }[];
  security: Record<string, []>[];
  tags: { name: string; description?: string }[];
  paths: Paths;
  webhooks?: Record<string, Webhook>;
  components: Components;
}
