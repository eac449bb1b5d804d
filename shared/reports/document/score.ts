import { titleOf } from './anchors.ts';
import type { Context } from './context.ts';
import type { ScoreBlock } from './document.ts';
import { inWords } from './spans.ts';
import { resultTone } from './summary.ts';

/** The total and the score of each section; null for a template without scoring. */
export const scoreBlock = (context: Context): Omit<ScoreBlock, 'heading'> | null => {
  const { payload, texts, formats, anchors } = context;
  const { score, section_scores, verdict } = payload.summary;
  if (!score) return null;
  const points = (value: number, max: number) =>
    inWords(texts.of, { value: formats.number(value), max: formats.number(max) });
  const percentage = (value: number | null) => (value === null ? '–' : formats.percentage(value));
  const rows: ScoreBlock['rows'] = section_scores.map(
    ({ section_id, depth, title, passing_score, result, ...each }) => ({
      to: anchors.section(section_id),
      depth,
      title: titleOf({ title }).label,
      points: points(each.points, each.max),
      percentage: percentage(each.percentage),
      value: each.percentage,
      passing: passing_score === null ? '' : percentage(passing_score),
      result: result && { text: texts.results[result], tone: resultTone(result) },
    }),
  );
  const has = (cell: 'passing' | 'result') => rows.some((row) => Boolean(row[cell]));
  return {
    kind: 'score',
    total: {
      to: null,
      title: texts.total,
      text: `${percentage(score.percentage)} (${points(score.points, score.max)})`,
      value: score.percentage,
      tone: resultTone(verdict?.result),
    },
    columns: [
      texts.section,
      texts.points,
      texts.score,
      has('passing') ? texts.required : '',
      has('result') ? texts.result : '',
    ],
    rows,
  };
};
