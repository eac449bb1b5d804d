import type { ReportPayload } from '../../../schemas/reports/report-payload.ts';
import { isAnswerable } from '../../content/content-index.ts';
import { progressOf } from '../../content/progress.ts';
import { explainScore } from '../../content/scoring/explain.ts';
import { withoutAnswers } from '../../content/text-references.ts';
import { isAnswered } from '../../content/values/answer.ts';
import { isFailed } from '../../content/values/comparison.ts';
import type { EvaluatedSources } from './fields.ts';
import type { ShownField } from './shown-fields.ts';

type Summary = ReportPayload['summary'];

const countsOf = ({ index }: EvaluatedSources, shown: readonly ShownField[]): Summary['counts'] => {
  const counts = { answered: 0, failed: 0, na: 0 };
  for (const { place, answer } of shown) {
    const { field } = place;
    if (!answer || !isAnswered(answer)) continue;
    if (isAnswerable(field)) counts.answered += 1;
    if (answer.is_na) counts.na += 1;
    else if (isFailed(field, index, answer.value)) counts.failed += 1;
  }
  return counts;
};

const findingCounts = ({ findings }: EvaluatedSources): Summary['findings'] => {
  const counts = { observation: 0, minor: 0, major: 0, critical: 0 };
  for (const { severity } of findings) counts[severity] += 1;
  return counts;
};

const scoresOf = ({ index, evaluation }: EvaluatedSources): Pick<Summary, 'score' | 'section_scores'> => {
  const { score, sections } = explainScore(evaluation);
  return {
    score,
    section_scores: sections.map(({ section_id, title, percentage, points, max, passing_score, result }) => ({
      section_id,
      title: withoutAnswers(title),
      depth: index.sections.get(section_id)!.depth,
      percentage,
      points,
      max,
      passing_score,
      result,
    })),
  };
};

/** The inspection in figures. */
export const reportSummary = (sources: EvaluatedSources, shown: readonly ShownField[]): Summary => ({
  progress: progressOf(sources.evaluation),
  counts: countsOf(sources, shown),
  findings: findingCounts(sources),
  ...scoresOf(sources),
});
