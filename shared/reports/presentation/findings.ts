import { humanize } from './format.ts';
import type { ReportCorrectiveAction, ReportFinding } from './former-payload.ts';
import { ACTION_TONES, type Chip, PRIORITY_TONES, SEVERITY_TONES, TONES } from './theme.ts';

/** The section and the question where a finding was made; empty where neither is known. */
export const placeOf = ({ section_title, field_label }: ReportFinding): string =>
  [section_title, field_label].filter(Boolean).join(' › ').replaceAll('\n', ' ');

/** The labels of a finding: its severity, its status and, where it began as an issue, its origin. */
export const findingChips = ({ severity, status, origin }: ReportFinding): Chip[] => [
  { text: severity, tone: SEVERITY_TONES[severity] },
  { text: status, tone: status === 'resolved' ? TONES.good : TONES.neutral },
  ...(origin === 'issue' ? [{ text: 'From an issue', tone: TONES.neutral }] : []),
];

/** The texts of a finding with their headings, in the order of a report; a text may be blank. */
export const findingTexts = ({
  description,
  root_cause,
  recommendation,
}: ReportFinding): [heading: string, text: string][] => [
  ['Description', description],
  ['Root cause', root_cause],
  ['Recommendation', recommendation],
];

/** The labels of a corrective action: its priority, its status and the number of its finding. */
export const actionChips = ({ priority, status, finding_number }: ReportCorrectiveAction): Chip[] => [
  { text: `${priority} priority`, tone: PRIORITY_TONES[priority] },
  { text: humanize(status), tone: ACTION_TONES[status] },
  { text: `Finding ${finding_number}`, tone: TONES.neutral },
];
