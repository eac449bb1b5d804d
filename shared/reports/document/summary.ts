import { pluralText } from '../../base/i18n/plural.ts';
import type { ReportFinding, ReportReason } from '../../schemas/reports/report-payload.ts';
import { ACTION_TONES, SEVERITY_TONES, TONES } from '../presentation/theme.ts';
import type { Context } from './context.ts';
import type {
  Bar,
  BriefFinding,
  Chip,
  Figure,
  Paragraph,
  SummaryBlock,
  Tone,
  ScoreBlock,
} from './document.ts';
import { mendedChips, severityChip } from './findings.ts';
import { titleOf } from './layout.ts';
import { filled, inWords, linkTo } from './spans.ts';
import { findingTitle, placeLink, placeWords, questionOf } from './words.ts';

/** The most severe first. */
const SEVERITIES = ['critical', 'major', 'minor', 'observation'] as const;

/** Findings that the summary shows. */
const MAX_WORST = 3;

const STATUSES = ['open', 'in_progress', 'pending_verification', 'verified', 'cancelled'] as const;

export const resultTone = (result: 'pass' | 'fail' | null | undefined): Tone =>
  result ? TONES[result === 'pass' ? 'good' : 'bad'] : TONES.neutral;

/** "Passed" or "Failed"; null for a draft, or where nothing was to pass. */
export const verdictChip = ({ payload, texts }: Context): Chip | null => {
  const { verdict } = payload.summary;
  return verdict && { text: texts.results[verdict.result], tone: resultTone(verdict.result) };
};

const reasonText = (context: Context, reason: ReportReason): Paragraph => {
  const { texts, formats, anchors } = context;
  const text = texts.reasons[reason.kind];
  if (reason.kind === 'critical_item') return filled(text, { place: placeLink(context, reason) });
  const figures = {
    percentage: formats.exactPercentage(reason.percentage),
    passing: formats.exactPercentage(reason.passing_score),
  };
  if (reason.kind === 'total') return filled(text, figures);
  const { label } = titleOf({ title: reason.section_title });
  return filled(text, { ...figures, place: linkTo(anchors.section(reason.section_id), label) });
};

const changeText = ({ payload, texts, formats }: Context): string | null => {
  const { score, previous_score } = payload.summary;
  if (!previous_score || score?.percentage === null || score === null) return null;
  const date = formats.date(previous_score.completed_at);
  const change = Math.round((score.percentage - previous_score.percentage) * 100) / 100;
  if (change === 0) return inWords(texts.unchanged, { date });
  const size = Math.abs(change);
  const forms = change > 0 ? texts.pointsUp : texts.pointsDown;
  return inWords(pluralText(payload.report.language, forms, size), { shown: formats.number(size), date });
};

const scoreOf = (context: Context): SummaryBlock['score'] => {
  const { payload, texts, formats } = context;
  const { score, verdict } = payload.summary;
  if (!score) return null;
  const passing = verdict?.passing_score ?? null;
  return {
    text: score.percentage === null ? '–' : formats.percentage(score.percentage),
    value: score.percentage,
    passing,
    passingText:
      passing === null ? null : inWords(texts.passingScore, { passing: formats.percentage(passing) }),
    tone: resultTone(verdict?.result),
    change: changeText(context),
  };
};

const figuresOf = ({ payload, texts, formats }: Context): Figure[] => {
  const { progress, counts, findings } = payload.summary;
  const found = SEVERITIES.reduce((sum, severity) => sum + findings[severity], 0);
  return [
    {
      name: texts.answered,
      value: inWords(texts.of, {
        value: formats.number(progress.answered),
        max: formats.number(progress.total),
      }),
      tone: null,
    },
    {
      name: texts.failedItems,
      value: formats.number(counts.failed),
      tone: counts.failed > 0 ? TONES.bad : null,
    },
    { name: texts.notApplicable, value: formats.number(counts.na), tone: null },
    { name: texts.findings, value: formats.number(found), tone: found > 0 ? TONES.warning : null },
  ];
};

const briefOf = (context: Context, finding: ReportFinding): BriefFinding => {
  const { photos, payload, anchors } = context;
  const anchor = anchors.finding(finding.position) ?? '';
  return {
    to: anchor,
    number: String(finding.position),
    title: findingTitle(finding),
    chips: [severityChip(context, finding), ...mendedChips(context, finding)],
    place: placeWords(context, finding),
    photo: payload.layout.include.media
      ? photos.teaserOf(finding.media, anchor || 'summary', questionOf(finding) || finding.label)
      : null,
  };
};

const worstOf = (context: Context): SummaryBlock['worst'] => {
  // Findings that were resolved come last, however severe they were.
  const rank = ({ status, trigger_cleared, severity }: ReportFinding): number =>
    SEVERITIES.indexOf(severity) + (status === 'resolved' || trigger_cleared ? SEVERITIES.length : 0);
  const worst = context.payload.findings
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, MAX_WORST);
  if (worst.length === 0) return null;
  return {
    heading: context.texts.mostSevere,
    findings: worst.map((finding) => briefOf(context, finding)),
  };
};

const actionsOf = ({ payload, texts, formats }: Context): SummaryBlock['actions'] => {
  const { overdue, ...counts } = payload.summary.corrective_actions;
  const figures = STATUSES.filter((status) => counts[status] > 0).map((status): Figure => ({
    name: texts.actionStatuses[status],
    value: formats.number(counts[status]),
    tone: ACTION_TONES[status],
  }));
  if (figures.length === 0) return null;
  const late = overdue > 0 ? [{ name: texts.overdue, value: formats.number(overdue), tone: TONES.bad }] : [];
  return { heading: texts.actions, figures: [...figures, ...late] };
};

/** The outermost sections that are scored. */
const barsOf = (context: Context): SummaryBlock['sections'] => {
  const { payload, texts, formats, anchors } = context;
  const scores = payload.summary.section_scores.filter(({ depth }) => depth === 1);
  if (scores.length === 0) return null;
  const bars = scores.map(({ section_id, title, percentage, result }): Bar => ({
    to: anchors.section(section_id),
    title: titleOf({ title }).label,
    text: percentage === null ? '–' : formats.percentage(percentage),
    value: percentage,
    tone: resultTone(result),
  }));
  return { heading: texts.sections, bars };
};

export const summaryBlock = (context: Context): Omit<SummaryBlock, 'heading'> => {
  const { payload, texts } = context;
  const { summary, report } = payload;
  const chip = verdictChip(context);
  return {
    kind: 'summary',
    notice: report.is_draft ? texts.draftNotice : null,
    verdict: chip && {
      chip,
      reasons: summary.verdict!.reasons.map((reason) => reasonText(context, reason)),
    },
    score: scoreOf(context),
    figures: figuresOf(context),
    severities: SEVERITIES.filter((severity) => summary.findings[severity] > 0).map((severity) => ({
      text: `${texts.severities[severity]}: ${summary.findings[severity]}`,
      tone: SEVERITY_TONES[severity],
    })),
    worst: worstOf(context),
    actions: actionsOf(context),
    sections: barsOf(context),
  };
};

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
