import type { Severity } from '../../schemas/common.ts';
import type { ReportCorrectiveAction } from '../../schemas/reports/report-payload.ts';
import type { Tone } from '../document/document.ts';

/** The colours that are the same in every report, whatever its theme. */
export const INK = {
  text: '#1d2733',
  muted: '#667085',
  faint: '#98a2b3',
  line: '#e4e7ec',
  panel: '#f7f8fa',
  white: '#ffffff',
} as const;

export const TONES = {
  good: { ink: '#067647', tint: '#dcfae6' },
  bad: { ink: '#b42318', tint: '#fee4e2' },
  warning: { ink: '#b54708', tint: '#fef0c7' },
  notice: { ink: '#175cd3', tint: '#e0efff' },
  neutral: { ink: '#475467', tint: '#eef0f3' },
} as const satisfies Record<string, Tone>;

export const SEVERITY_TONES: Record<Severity, Tone> = {
  observation: TONES.notice,
  minor: { ink: '#8a6100', tint: '#fdf6d3' },
  major: TONES.warning,
  critical: TONES.bad,
};

export const PRIORITY_TONES: Record<ReportCorrectiveAction['priority'], Tone> = {
  low: TONES.neutral,
  medium: TONES.notice,
  high: TONES.warning,
  critical: TONES.bad,
};

export const ACTION_TONES: Record<ReportCorrectiveAction['status'], Tone> = {
  open: TONES.warning,
  in_progress: TONES.notice,
  pending_verification: TONES.notice,
  verified: TONES.good,
  cancelled: TONES.neutral,
};

/** Red, green and blue, from 0 to 255. */
const channels = (color: string): [number, number, number] => {
  const value = Number.parseInt(color.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
};

/** Mixes two colours (#rrggbb). @param share how much of the second one, from 0 to 1 */
export const mix = (color: string, other: string, share: number): string => {
  const target = channels(other);
  const mixed = channels(color).map((channel, index) =>
    Math.round(channel + ((target[index] ?? 0) - channel) * share)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${mixed.join('')}`;
};

/** The relative luminance of a colour, from 0 (black) to 1 (white); WCAG 2.2. */
const luminance = (color: string): number => {
  const [red, green, blue] = channels(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** The contrast ratio of text in this colour on white, from 1 to 21; WCAG 2.2. */
const contrastOnWhite = (color: string): number => 1.05 / (luminance(color) + 0.05);

/** WCAG 2.2, level AA for text. */
const MIN_CONTRAST = 4.5;

/** The colour, darkened until its text is readable on white. */
export const readable = (color: string): string => {
  let dark = color;
  for (let share = 0.1; contrastOnWhite(dark) < MIN_CONTRAST; share += 0.1)
    dark = mix(color, INK.text, share);
  return dark;
};
