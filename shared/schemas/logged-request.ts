import * as z from 'zod';
import { Count, listQuery, MAX_PAGE, Timestamp, Uuid } from './common.ts';

/** The first digit of a status says its class (RFC 9110, section 15). */
const StatusClass = z.enum(['2xx', '3xx', '4xx', '5xx']);

const LoggedProblem = z
  .strictObject({
    loc: z.array(z.string()).meta({ description: 'The path to what was refused.' }),
    msg: z.string(),
    type: z.string(),
  })
  .meta({ id: 'LoggedProblem' });

export const LoggedRequest = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the request, which the client got in `X-Request-Id`.' }),
    key_id: Uuid.meta({ description: 'The API key that sent it.' }),
    on_behalf_of: Uuid.nullable().meta({
      description: 'The member for whom the key acted; null when it acted for itself.',
    }),
    at: Timestamp.meta({ description: 'When it began.' }),
    duration_ms: Count,
    operation: z.string().meta({ description: 'The id of the operation.', examples: ['getInspection'] }),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    path: z.string().meta({
      description: 'The path, with the names of parameters in place of their values.',
      examples: ['/v1/inspections/{inspection_id}'],
    }),
    params: z
      .record(z.string(), z.string())
      .meta({ description: 'The values of the parameters in `path`. A value that was no id is left out.' }),
    query: z.record(z.string(), z.array(z.string())).meta({
      description:
        'The parameters of the query by their names, with their values. Only ids, numbers, times, `true` and `false` are kept.',
    }),
    status: z.int().meta({ description: 'The status of the reply.' }),
    code: z
      .string()
      .nullable()
      .meta({
        description: 'The code of the error, which the client got in `X-Error-Code`.',
        examples: ['not_found'],
      }),
    detail: z
      .union([z.string(), z.array(LoggedProblem)])
      .nullable()
      .meta({
        description:
          'The `detail` of the error, up to 2,000 bytes, without the values that were refused; null for a request that succeeded.',
      }),
  })
  .meta({ id: 'LoggedRequest' });
export type LoggedRequest = z.output<typeof LoggedRequest>;

const { updated_since: _, ...paging } = listQuery({}).shape;

export const RequestQuery = z.strictObject({
  ...paging,
  limit: z.int().min(1).max(MAX_PAGE).default(50).meta({ description: 'The maximum number of rows.' }),
  id: z.string().max(100).optional().meta({ description: 'Only the request with this id.' }),
  key_id: Uuid.optional().meta({ description: 'Only requests of this key.' }),
  status: z
    .array(StatusClass)
    .optional()
    .meta({ description: 'Only statuses of this class. The parameter can be repeated.' }),
  operation: z
    .array(z.string().max(100))
    .optional()
    .meta({ description: 'Only this operation, by its id. The parameter can be repeated.' }),
});
export type RequestQuery = z.output<typeof RequestQuery>;
