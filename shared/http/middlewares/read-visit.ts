import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import * as errors from '../../base/errors.ts';
import type { PublicOperation } from '../operation/operation.ts';
import type { WebForm } from '../operation/web-form.ts';
import { bytesOf } from '../request/bytes.ts';
import { header } from '../request/headers.ts';
import { unstorable } from '../request/storable.ts';
import { type Validated, validated } from '../request/validation.ts';
import type { Middleware } from './chain.ts';

const NOTHING = z.object({});

/** @throws ApiError 400 when the form cannot be read */
const formOf = (form: WebForm | undefined, event: APIGatewayProxyEvent): Validated<unknown> => {
  if (!form) return { data: undefined };
  const bytes = bytesOf(event);
  if (bytes.length > form.maxBytes) throw errors.bodyTooLarge(form.maxBytes);
  const { fields, problems } = form.read(header(event, 'content-type') ?? '', bytes);
  const found = [...problems, ...unstorable(fields)];
  return found.length > 0 ? { problems: found } : validated('body', form.fields, fields, true);
};

/**
 * Checks what was sent to a page against its declaration. A query may have more than the page declares: programs that
 * forward a link add to it.
 * @throws ApiError 400 or 422
 */
export const readVisit = ({ body, query = NOTHING }: PublicOperation): Middleware => ({
  before: ({ event, internal }) => {
    const parts = [
      validated('query', query, event.queryStringParameters ?? {}),
      formOf(body, event),
    ] as const;
    const problems = parts.flatMap((part) => ('problems' in part ? part.problems : []));
    if (problems.length > 0) throw errors.validationFailed(problems);
    const [asked, form] = parts.map((part) => ('data' in part ? part.data : undefined));
    internal.visited = { query: asked, form };
  },
});
