import * as z from 'zod';
import { Cursor, Instant, Timestamp, Title, Uuid } from '../common.ts';
import { NumberedInspection, surroundingFields } from '../surroundings.ts';
import { FieldType } from '../templates/content.ts';
import { AnswerRecord, InstancePath } from './answer.ts';
import { Inspection } from './inspection.ts';

/** Rows of a page. */
export const MAX_FED = 1_000;

const RecordedAt = Timestamp.meta({
  description:
    'When the change was recorded. It never goes back, whatever the clocks do. Keep the greatest one, and send it as `updated_since` next time.',
});

const AnsweredInspection = NumberedInspection.extend({
  ...Inspection.pick({ status: true, template_id: true, scheduled_for: true, completed_at: true }).shape,
}).meta({ id: 'AnsweredInspection', description: 'The inspection to which an answer belongs.' });

export const FedAnswer = AnswerRecord.extend({
  kind: z.literal('answer'),
  inspection_id: Uuid,
  ...surroundingFields,
  location: surroundingFields.location.meta({ description: 'The location of the inspection.' }),
  inspection: AnsweredInspection,
  section_title: Title.meta({ description: 'The title of the section, as the template has it.' }),
  field_label: Title.meta({ description: 'The text of the question, as the template has it.' }),
  field_type: FieldType,
  unit: z.string().nullable().meta({ description: 'The unit of a number.' }),
  label: z.string().nullable().meta({
    description:
      'The value as people read it, in the language of the content: the labels of options, the name of a member, client account or location, a number with its unit. Null without a value, and for files.',
  }),
  labels: z
    .array(z.string())
    .nullable()
    .meta({ description: 'The label of each chosen option; null where none was chosen.' }),
  recorded_at: RecordedAt,
}).meta({
  id: 'FedAnswer',
  description:
    'An answer with what it belongs to. One with the value null was cleared, or is not applicable.',
});

const DeletedAnswers = z
  .strictObject({
    kind: z.literal('deleted'),
    inspection_id: Uuid,
    id: Uuid.nullable().meta({
      description: 'The record that the inspection has no longer; null when the inspection was deleted.',
    }),
    section_id: Uuid.nullable(),
    field_id: Uuid.nullable(),
    instance_path: InstancePath.nullable(),
    recorded_at: RecordedAt,
  })
  .meta({
    id: 'DeletedAnswers',
    description: 'Delete this answer; with `id` null, all answers of the inspection.',
  });

export type FedAnswer = z.output<typeof FedAnswer>;

export const AnswerFeedRow = z.discriminatedUnion('kind', [FedAnswer, DeletedAnswers]).meta({
  id: 'AnswerFeedRow',
  description: 'An answer, or that one was deleted.',
});
export type AnswerFeedRow = z.output<typeof AnswerFeedRow>;

export const answerFeedQuery = z.strictObject({
  template_family_id: Uuid.meta({ description: 'The answers of the inspections of this template family.' }),
  updated_since: Instant.optional().meta({
    description:
      'Only answers of inspections that changed at or after this time: the greatest `recorded_at` that you have. When left out, all.',
  }),
  limit: z
    .int()
    .min(1)
    .max(MAX_FED)
    .default(MAX_FED)
    .meta({ description: 'The maximum number of rows. A page of long texts has fewer.' }),
  cursor: Cursor.optional(),
});
export type AnswerFeedQuery = z.output<typeof answerFeedQuery>;
