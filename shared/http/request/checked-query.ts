import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import * as errors from '../../base/errors.ts';
import { validated } from './validation.ts';

const NOTHING = z.object({});

/** The query of a page or of a step of the sign-in, by its declaration. @throws ApiError 422 */
export const checkedQuery = (schema: z.ZodObject | undefined, event: APIGatewayProxyEvent): unknown => {
  const query = validated('query', schema ?? NOTHING, event.queryStringParameters ?? {});
  if ('problems' in query) throw errors.validationFailed(query.problems);
  return query.data;
};
