import type * as z from 'zod';
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
