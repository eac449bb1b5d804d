import * as z from 'zod';
import { Count, Uuid } from '../common.ts';
import { AnswerRecord, InstancePath } from './answer.ts';
import { SectionScore } from './score.ts';

/** How many questions are answered, must be, and are asked. */
const progress = { answered: Count, required: Count, total: Count };

const QuestionId = z.string().meta({
  description: 'The id of the field; in the entry of the start answers, the key of the start field.',
});

const SectionInstance = z
  .strictObject({
    instance_path: InstancePath,
    label_value: AnswerRecord.shape.value.meta({
      description: 'The answer to the `label_field_id` of the repeat section; null without one.',
    }),
    ...progress,
    is_hidden: z
      .boolean()
      .meta({ description: 'Whether conditions hide all of it, with the sections in it.' }),
    hidden: z
      .array(QuestionId)
      .meta({ description: 'The fields of the section itself that conditions hide in the instance.' }),
    labels: z.array(z.strictObject({ field_id: QuestionId, label: z.string() })).meta({
      description:
        'The labels that refer to answers, of fields of the section itself, with these answers in their place.',
    }),
  })
  .meta({
    id: 'SectionInstance',
    description: 'What a section asks in one instance, counted with the sections in it.',
  });
export type SectionInstance = z.output<typeof SectionInstance>;

export const InspectionSection = z
  .strictObject({
    section_id: Uuid.nullable().meta({
      description:
        'Null for the start answers, which the `progress` of the inspection does not count. Their entry is the first.',
    }),
    parent_id: Uuid.nullable().meta({
      description: 'The section in which it is; null for an outermost one.',
    }),
    title: z.string().meta({
      description: 'The title, with the answers that it refers to; empty for the start answers.',
    }),
    ...progress,
    score: SectionScore.pick({ percentage: true, points: true, max: true, result: true })
      .nullable()
      .meta({ description: 'Null when the section is not scored.' }),
    instances: z.array(SectionInstance).meta({
      description: 'One with an empty path where neither the section nor one around it repeats.',
    }),
  })
  .meta({
    id: 'InspectionSection',
    description:
      'A section of an inspection, counted and scored over all its instances, and with the sections in it.',
  });
export type InspectionSection = z.output<typeof InspectionSection>;
