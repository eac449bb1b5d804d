import * as z from 'zod';
import { ExpectedVersion, listQuery, resourceFields, Timestamp, Uuid } from '../common.ts';

const MediaItem = z
  .strictObject({ document_id: Uuid, caption: z.string().max(500).default('') })
  .meta({ id: 'MediaItem', description: 'A document as a medium of an answer or a finding.' });

/** Media beside an answer or in a finding; how many a field takes is up to its content. */
export const Media = z.array(MediaItem).max(50);

export const InstancePath = z
  .string()
  .max(250)
  .regex(/^[\w[\]/-]*$/)
  .meta({
    description:
      'Where within repeat sections: `section_id[i]` segments joined by `/`, outermost first, i counted from 0; empty outside of them. An instance is there as soon as something in it is answered, and need not follow another one.',
  });

const VALUES = `By the type of the field:

- \`text\`, \`barcode\`: a text of at most 1,000 characters, \`long_text\` of 20,000, or of the field's \`max_length\`.
- \`number\`, \`slider\`, \`rating\`, \`temperature\`: a number from \`min\` to \`max\`, in steps counted from \`min\`, else from 0; never beyond ±1e15.
- \`yes_no\`, \`checkbox\`: a boolean.
- \`yes_no_na\`, \`pass_fail_na\`, \`single_select\`: the \`value\` of an option; \`multi_select\`: a list of them, each once.
- \`date\`: \`YYYY-MM-DD\`; \`time\`: \`HH:MM\` or \`HH:MM:SS\`; \`datetime\`: RFC 3339, with its offset.
- \`photo\`, \`video\`, \`audio\`, \`file\`, \`drawing\`: a list of \`{document_id, caption}\`, each document once.
- \`signature\`: \`{document_id, signed_name, signed_at}\`, or \`typed\` instead of \`document_id\`; \`signed_at\` may be left out.
- \`geo_point\`: \`{lat, lng, accuracy_m}\`, the last one optional.
- \`address\`: \`{line1, line2, city, region, postal_code, country}\`, any of them; \`country\` by ISO 3166-1 alpha-2.
- \`member\`: a \`user_id\`; \`client_account\`, \`location\`: an id; \`reference\`: \`{source_id, external_id, label}\`.
- \`calculated\` is found by its formula and \`instruction\` only shown: neither is answered.`;

export const AnswerRecord = z
  .strictObject({
    ...resourceFields,
    section_id: Uuid,
    field_id: Uuid,
    instance_index: z
      .int()
      .min(0)
      .meta({ description: 'The innermost index of `instance_path`; 0 outside repeats.' }),
    instance_path: InstancePath,
    value: z.unknown().meta({ description: "By the field's type; null once cleared or not applicable." }),
    note: z.string(),
    is_na: z.boolean(),
    media: Media,
    is_failed: z.boolean(),
    is_active: z
      .boolean()
      .meta({ description: 'False while conditions hide the field; its answer is kept.' }),
    score: z.number().nullable().meta({ description: 'Null unless the answer is scored.' }),
    max_score: z.number().nullable(),
    answered_by: Uuid.nullable().meta({ description: 'Who last changed the answer; null once cleared.' }),
    answered_at: Timestamp.nullable(),
    version: z.int().min(1),
  })
  .meta({
    id: 'AnswerRecord',
    description: 'The answer to one field, in one instance of the sections it stands in.',
  });
export type AnswerRecord = z.output<typeof AnswerRecord>;

const newAnswer = {
  section_id: Uuid.meta({ description: 'The section that the field stands in.' }),
  field_id: Uuid,
  instance_index: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'Enough by itself, 0 when left out, where repeats are not nested.' }),
  instance_path: InstancePath.optional(),
  value: z
    .unknown()
    .default(null)
    .meta({ description: `${VALUES}\n\nNull clears the answer and keeps its record.` }),
  note: z
    .string()
    .max(10_000)
    .nullish()
    .transform((text) => text ?? ''),
  is_na: z.boolean().default(false),
  media: Media.default([]).meta({
    description: 'Beside the value, where the field is not one of media itself.',
  }),
  expected_version: ExpectedVersion.optional(),
};

export const NewAnswer = z
  .strictObject(newAnswer)
  .meta({ id: 'NewAnswer', description: 'An answer as it shall be: what is left out is empty.' });
export type NewAnswer = Omit<z.output<typeof NewAnswer>, 'expected_version'>;

export const BatchedAnswer = z
  .strictObject({ ...newAnswer, client_mutation_id: z.string().min(1).max(100).optional() })
  .meta({
    id: 'BatchedAnswer',
    description:
      'An answer as it shall be. One with a `client_mutation_id` is saved once, however often it is sent.',
  });
export type BatchedAnswer = z.output<typeof BatchedAnswer>;

export const AnswerBatch = z
  .strictObject({ responses: z.array(BatchedAnswer).max(500) })
  .meta({ id: 'AnswerBatch' });

const Problem = z.strictObject({
  loc: z.array(z.string()),
  msg: z.string(),
  type: z.string(),
  input: z.unknown().optional(),
  ctx: z.record(z.string(), z.unknown()).optional(),
});

export const AnswerResult = z
  .strictObject({
    index: z.int().min(0).meta({ description: "The row's position in the request." }),
    status: z.enum(['saved', 'unchanged', 'conflict', 'invalid']),
    response: AnswerRecord.optional().meta({
      description: 'The record as it stands; with a conflict, the other one.',
    }),
    detail: z
      .union([z.string(), z.array(Problem)])
      .optional()
      .meta({
        description:
          'What a PUT of this row alone would answer with its 409 (conflict), 400 or 422 (invalid).',
      }),
  })
  .meta({ id: 'AnswerResult' });
export type AnswerResult = z.output<typeof AnswerResult>;

export const AnswerBatchResults = z
  .strictObject({ results: z.array(AnswerResult) })
  .meta({ id: 'AnswerBatchResults', description: 'What became of each row, in their order.' });

export const answerQuery = listQuery({ section_id: Uuid.optional() });
export type AnswerQuery = z.output<typeof answerQuery>;
