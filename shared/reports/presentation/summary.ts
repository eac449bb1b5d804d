import type { Score } from '../../schemas/inspections/inspection.ts';
import type { Formats } from './format.ts';
import type { ReportPayload, ReportSectionScore } from './former-payload.ts';
import { type Chip, INK, SEVERITY_TONES, type Tone, TONES } from './theme.ts';

/** The most severe first. */
const SEVERITIES = ['critical', 'major', 'minor', 'observation'] as const;

/** A number of the summary with its name; the colour is hexadecimal (#rrggbb). */
export interface Figure {
  name: string;
  value: string;
  color: string;
}

/** The numbers that begin the summary. What needs attention has the colour of a warning. */
export const summaryFigures = ({ summary: { progress, counts, findings } }: ReportPayload): Figure[] => {
  const found = SEVERITIES.reduce((sum, severity) => sum + findings[severity], 0);
  return [
    { name: 'Answered', value: `${progress.answered} / ${progress.total}`, color: INK.text },
    { name: 'Failed', value: String(counts.failed), color: counts.failed > 0 ? TONES.bad.ink : INK.text },
    { name: 'Not applicable', value: String(counts.na), color: INK.text },
    { name: 'Findings', value: String(found), color: found > 0 ? TONES.warning.ink : INK.text },
  ];
};

/** How many findings there are of each severity; a severity without findings is left out. */
export const severityChips = ({ summary: { findings } }: ReportPayload): Chip[] =>
  SEVERITIES.filter((severity) => findings[severity] > 0).map((severity) => ({
    text: `${findings[severity]} ${severity}`,
    tone: SEVERITY_TONES[severity],
  }));

/** The colours of a result: neutral where there is none, because nothing set a passing score. */
export const resultTone = ({ result }: Pick<Score, 'result'>): Tone =>
  result === null ? TONES.neutral : result === 'pass' ? TONES.good : TONES.bad;

/** A score in percent; a dash where no question could be scored. */
export const percentageText = ({ percentage }: Pick<Score, 'percentage'>, formats: Formats): string =>
  percentage === null ? '—' : formats.percentage(percentage);

/** The points of a score: "80 of 100 points". */
export const pointsText = ({ points, max }: Pick<Score, 'points' | 'max'>, formats: Formats): string =>
  `${formats.number(points)} of ${formats.number(max)} points`;

/** The passing score of a section: "needs 90%"; empty where it has none. */
export const passingScoreText = (
  { passing_score }: Pick<ReportSectionScore, 'passing_score'>,
  formats: Formats,
): string => (passing_score === null ? '' : `needs ${formats.percentage(passing_score)}`);
