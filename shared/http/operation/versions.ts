import * as z from 'zod';
import { isResourceVersion } from '../../schemas/common.ts';
import { isFile, isMultipart, type Operation } from './operation.ts';

/** The object schema inside wrappers such as `optional` and `pipe`. Undefined when there is none. */
const objectIn = (schema: z.core.$ZodType): z.ZodObject | undefined => {
  if (schema instanceof z.ZodObject) return schema;
  const {
    innerType,
    out,
    in: from,
  } = schema._zod.def as {
    innerType?: z.core.$ZodType;
    out?: z.core.$ZodType;
    in?: z.core.$ZodType;
  };
  return [innerType, out, from].map((inner) => inner && objectIn(inner)).find((found) => found !== undefined);
};

/** The schema of a field; undefined where the schema is no object, or has no such field. */
export const fieldIn = (schema: z.core.$ZodType | undefined, name: string): z.core.$ZodType | undefined =>
  schema && objectIn(schema)?.shape[name];

/** Whether the reply is a resource with a version, and so has an ETag. */
export const repliesVersion = ({ response }: Pick<Operation, 'response'>): boolean => {
  const version = isFile(response) ? undefined : fieldIn(response, 'version');
  return version !== undefined && isResourceVersion(version);
};

/** Whether a request may name the version that it changes, by `If-Match` or `expected_version`. */
export const takesVersion = ({ body, guarded = false }: Pick<Operation, 'body' | 'guarded'>): boolean =>
  guarded || fieldIn(isMultipart(body) ? body.fields : body, 'expected_version') !== undefined;

/** Whether a request may name the replies that the client has, by `If-None-Match`. */
export const takesKnownReplies = (operation: Pick<Operation, 'method' | 'response'>): boolean =>
  operation.method === 'GET' && repliesVersion(operation);
