import * as z from 'zod';
import { Count, Problem } from './common.ts';

/** Rows of one batch. */
const MAX_ROWS = 200;

const ClientMutationId = z.string().min(1).max(100).optional().meta({
  description:
    'Your own id for this row. A row with the same id and content is carried out once, however often it is sent within 24 hours.',
});

/**
 * The schemas of an operation that creates many resources, each as the operation for a single one does.
 * @param name of the resource
 * @param row the body of the operation for a single one
 * @param shown its reply
 */
export const batchOf = <Row extends z.ZodObject, Shown extends z.ZodType>(
  name: string,
  row: Row,
  shown: Shown,
) => ({
  body: z
    .strictObject({
      rows: z
        // The extended object has the fields of its row, which the compiler does not follow through a type parameter.
        .array(
          row
            .safeExtend({ client_mutation_id: ClientMutationId })
            .meta({ id: `${name}BatchRow` }) as z.ZodType as z.ZodType<
            z.output<Row> & { client_mutation_id?: string | undefined }
          >,
        )
        .max(MAX_ROWS)
        .meta({
          description: `At most ${MAX_ROWS} rows. Each is carried out or fails alone, in their order.`,
        }),
    })
    .meta({ id: `${name}Batch` }),
  response: z
    .strictObject({
      results: z
        .array(
          z
            .strictObject({
              index: Count.meta({ description: 'The position of the row in the request, from 0.' }),
              status: z.enum(['created', 'unchanged', 'conflict', 'invalid']),
              response: shown.optional().meta({
                description: 'What was created, or exists already. Left out where the row has failed.',
              }),
              detail: z
                .union([z.string(), z.array(Problem)])
                .optional()
                .meta({
                  description:
                    'The `detail` that a POST of this row alone would return, with 409 (`conflict`), or with 400, 404 or 422 (`invalid`).',
                }),
            })
            .meta({ id: `${name}BatchResult` }),
        )
        .meta({ description: 'One result for each row of the request, in its order.' }),
    })
    .meta({ id: `${name}BatchResults` }),
});

/** What such an operation says of its rows. */
export const ROWS_FAIL_ALONE =
  'Each row has the form of the body of the operation for a single one. A row that fails does not affect the others. The result of a row is `created`; `unchanged` when a row with this `client_mutation_id`, or a resource with this `external_ref`, exists already; `conflict` for what would be a `409`; `invalid` for any other problem. The request is refused as a whole, with `422`, only when `rows` is no list or has too many rows. After a failure, send the same request again: rows with a `client_mutation_id` or an `external_ref` are not carried out twice.';
