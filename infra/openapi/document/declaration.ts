import * as z from 'zod';
import type { FileResponse } from '../../../shared/http/operation/file.ts';
import { isFile, isMultipart, type Operation } from '../../../shared/http/operation/operation.ts';

export const isOptional = (schema: z.ZodType): boolean => schema.safeParse(undefined).success;

/** The schemas of everything that requests of an operation may carry. */
export const inputSchemas = ({ params, query, body }: Operation): z.ZodType[] => [
  ...Object.values(params?.shape ?? {}),
  ...Object.values(query?.shape ?? {}),
  ...(!body
    ? []
    : isMultipart(body)
      ? [...Object.values(body.fields.shape), body.json ?? []].flat()
      : [body]),
];

/** The schemas of everything that an operation may answer, apart from files. */
export const outputSchemas = ({ response }: Operation): z.ZodType[] => (isFile(response) ? [] : [response]);

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

export const hasField = (schema: z.ZodType | FileResponse | undefined, name: string): boolean =>
  schema !== undefined && !isFile(schema) && name in (objectIn(schema)?.shape ?? {});

/** Whether a request may name the version that it changes. */
export const takesVersion = ({ body, guarded = false }: Operation): boolean =>
  guarded || (body !== undefined && hasField(isMultipart(body) ? body.fields : body, 'expected_version'));
