import type { Method } from '../../shared/http/operation/operation.ts';
import { COMPONENT, type JsonSchema } from './document/json-schema.ts';
import type { OpenApiDocument, OperationObject, Parameter, Reference } from './document/types.ts';

/** The request of an operation that its example shows. */
export interface ShownRequest {
  operation: OperationObject;
  method: Method;
  /** With `{names}`, behind the address of the service: `/v1/locations/{location_id}`. */
  path: string;
  /** Whether signed-in people send it, and not keys. */
  isOfApp: boolean;
  pathValues: Readonly<Record<string, string>>;
  /** Those parameters of the query that are required. */
  query: Readonly<Record<string, string>>;
  json?: unknown;
  /** The texts of a form, and the names of its files. */
  form?: { texts: Readonly<Record<string, string>>; files: readonly string[] };
  /** What comes back: JSON, a file, or nothing. */
  reply: 'json' | 'file' | 'nothing';
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const isReference = (value: Parameter | Reference): value is Reference => '$ref' in value;

/** What a schema refers to, or the schema itself. */
export const resolved = (schema: JsonSchema, { components }: OpenApiDocument): JsonSchema =>
  schema.$ref ? components.schemas[schema.$ref.slice(COMPONENT.length)]! : schema;

const valueOf = ({ example, schema }: Parameter, document: OpenApiDocument): string => {
  const { examples = [], enum: values = [] } = resolved(schema, document);
  const value: unknown = example ?? examples[0] ?? values[0] ?? '';
  return Array.isArray(value) ? value.join(',') : `${value as string | number | boolean}`;
};

const valuesIn = (place: 'path' | 'query', { parameters = [] }: OperationObject, document: OpenApiDocument) =>
  Object.fromEntries(
    parameters
      .filter((one): one is Parameter => !isReference(one))
      .filter(({ in: where, required }) => where === place && required)
      .map((one) => [one.name, valueOf(one, document)]),
  );

const isFile = (schema: JsonSchema): boolean =>
  schema.format === 'binary' || (typeof schema.items === 'object' && isFile(schema.items as JsonSchema));

const bodyOf = (
  { requestBody }: OperationObject,
  document: OpenApiDocument,
): Pick<ShownRequest, 'json' | 'form'> => {
  const { 'application/json': json, 'multipart/form-data': form } = requestBody?.content ?? {};
  if (json) return { json: json.example };
  if (!form) return {};
  const properties = resolved(form.schema, document).properties as Record<string, JsonSchema>;
  const files = Object.keys(properties).filter((name) => isFile(properties[name]!));
  const texts = Object.entries((form.example ?? {}) as Record<string, unknown>)
    .filter(([name]) => !files.includes(name))
    .map(([name, value]) => [name, String(value)]);
  return { form: { texts: Object.fromEntries(texts) as Record<string, string>, files } };
};

const replyOf = ({ responses }: OperationObject): ShownRequest['reply'] => {
  const [, reply] = Object.entries(responses).find(([status]) => status.startsWith('2'))!;
  if (!('content' in reply) || !reply.content) return 'nothing';
  return 'application/json' in reply.content ? 'json' : 'file';
};

/** The requests of all operations, as their examples show them, in the order of the document. */
export const shownRequests = (document: OpenApiDocument): ShownRequest[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => {
      const operation = item[method]!;
      return {
        operation,
        method: method.toUpperCase() as Method,
        path: item.servers ? path : `/v1${path}`,
        isOfApp: item.servers !== undefined,
        pathValues: valuesIn('path', operation, document),
        query: valuesIn('query', operation, document),
        ...bodyOf(operation, document),
        reply: replyOf(operation),
      };
    }),
  );
