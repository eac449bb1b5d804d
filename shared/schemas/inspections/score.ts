import * as z from 'zod';
import { Uuid } from '../common.ts';
import { Scoring } from '../templates/content.ts';
import { InstancePath } from './answer.ts';
import { Score, ScoreResult } from './inspection.ts';

const { method, unanswered, passing_score, decimals } = Scoring.shape;

const Percentage = z.number().min(0).max(100);
const Figure = z.number().min(0);

const share = Percentage.meta({
  description: 'The percentage points that this part contributes to the total.',
});
const share_max = Percentage.meta({
  description: 'The percentage points that this part could contribute at most.',
});

export const SectionScore = z
  .strictObject({
    section_id: Uuid,
    title: z.string(),
    percentage: Percentage.nullable().meta({
      description: 'Null when nothing in the section could be scored.',
    }),
    points: Figure,
    max: Figure,
    weight: z.number(),
    passing_score: passing_score.unwrap(),
    result: ScoreResult.nullable().meta({ description: 'Null without a passing score.' }),
    share,
    share_max,
  })
  .meta({
    id: 'SectionScore',
    description: 'The score of a section: all its instances, and the sections in it.',
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
        'An `unanswered` field counts with 0 points. Fields that are `not_applicable`, `hidden` or `excluded` do not count. `excluded` are unanswered fields if the template excludes these, and critical fields that failed but are not scored.',
    }),
    is_failed: z.boolean(),
    critical: z.boolean(),
    score: Figure.nullable().meta({
      description:
        'Null when the field does not count. It and `max_score` are multiplied with `repeat_factor`.',
    }),
    max_score: Figure.nullable(),
    weight: z.number(),
    repeat_factor: z.number().optional().meta({
      description:
        'How often the failed field counts, because its finding repeats an earlier one (`repeat_factor` of the template family). Absent where it counts once.',
    }),
    share,
    share_max,
  })
  .meta({ id: 'FieldScore', description: 'The score of a field in one of its instances.' });
export type FieldScore = z.output<typeof FieldScore>;

export const ScoreExplanation = z
  .strictObject({
    inspection_id: Uuid,
    is_final: z
      .boolean()
      .meta({ description: 'Whether `score` is frozen. Before that it changes with every answer.' }),
    score: Score.nullable().meta({ description: 'The score; null when the template has no scoring.' }),
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
      'How the score is computed. `share` of all fields, and of all outermost sections, adds up to the percentage; `share_max` adds up to 100. Percentages have the `decimals` of the template, all other figures six decimals.',
  });
export type ScoreExplanation = z.output<typeof ScoreExplanation>;
