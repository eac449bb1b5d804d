import * as z from 'zod';
import { Uuid } from '../common.ts';
import { Scoring } from '../templates/content.ts';
import { InstancePath } from './answer.ts';
import { Score } from './inspection.ts';

const { method, unanswered, passing_score, decimals } = Scoring.shape;

const Percentage = z.number().min(0).max(100);
const Figure = z.number().min(0);

const share = Percentage.meta({ description: 'The percentage points that it contributes to the total.' });
const share_max = Percentage.meta({ description: 'The percentage points that it could contribute.' });

export const SectionScore = z
  .strictObject({
    section_id: Uuid,
    title: z.string(),
    percentage: Percentage.nullable().meta({ description: 'Null where nothing in it could be scored.' }),
    points: Figure,
    max: Figure,
    weight: z.number(),
    passing_score: passing_score.unwrap(),
    result: z.enum(['pass', 'fail']).nullable().meta({ description: 'Null without a passing score.' }),
    share,
    share_max,
  })
  .meta({
    id: 'SectionScore',
    description: 'A section in all its instances, with the sections within it.',
  });
export type SectionScore = z.output<typeof SectionScore>;

const FieldScore = z
  .strictObject({
    section_id: Uuid,
    field_id: Uuid,
    instance_path: InstancePath,
    label: z.string(),
    status: z.enum(['counted', 'unanswered', 'not_applicable', 'hidden', 'excluded']).meta({
      description:
        'An `unanswered` field counts with 0. What is `not_applicable`, `hidden` or `excluded` counts neither way: excluded is what is unanswered where such fields are, and a critical field that failed without having a part in the score.',
    }),
    is_failed: z.boolean(),
    critical: z.boolean(),
    score: Figure.nullable().meta({ description: 'Null where the field does not count.' }),
    max_score: Figure.nullable(),
    weight: z.number(),
    share,
    share_max,
  })
  .meta({ id: 'FieldScore', description: 'A field in one of its instances.' });
export type FieldScore = z.output<typeof FieldScore>;

export const ScoreExplanation = z
  .strictObject({
    inspection_id: Uuid,
    is_final: z
      .boolean()
      .meta({ description: 'Whether `score` is frozen; else it moves on with each answer.' }),
    score: Score.nullable().meta({ description: 'Null where the template does not score.' }),
    method: method.unwrap(),
    unanswered: unanswered.unwrap(),
    passing_score: passing_score.unwrap(),
    decimals: decimals.unwrap(),
    sections: z.array(SectionScore),
    fields: z.array(FieldScore),
  })
  .meta({
    id: 'ScoreExplanation',
    description:
      'How a score comes about. Shares of all fields, and of all outermost sections, add up to the percentage, and what they could contribute to 100. Percentages have the `decimals` of the template, all other figures six.',
  });
export type ScoreExplanation = z.output<typeof ScoreExplanation>;
