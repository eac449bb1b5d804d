import { localeOf } from '../../i18n/plural.ts';
import type { Inspection } from '../../schemas/inspections/inspection.ts';
import type { Placeholder } from '../../schemas/reports/placeholders.ts';
import type { Reader } from './reader.ts';

/** What a report's mail says about its inspection. */
export interface MailedInspection {
  inspection: Pick<
    Inspection,
    | 'number'
    | 'name'
    | 'score'
    | 'completed_at'
    | 'submitted_at'
    | 'started_at'
    | 'scheduled_for'
    | 'created_at'
  >;
  /** Null where the inspection has none. */
  client: string | null;
  location: string | null;
  template: string;
  organization: string;
}

/** A percentage as a reader writes it; empty without one. */
export const percentage = (value: number | null | undefined, language: string): string =>
  value === null || value === undefined
    ? ''
    : new Intl.NumberFormat(localeOf(language), { style: 'percent', maximumFractionDigits: 2 }).format(
        value / 100,
      );

/** What each placeholder stands for; nothing where the inspection has no such thing. */
export const placeholderValues = (
  { inspection, client, location, template, organization }: MailedInspection,
  { language, texts, date }: Reader,
): Record<Placeholder, string> => {
  const { number, name, score, completed_at, submitted_at, started_at, scheduled_for, created_at } =
    inspection;
  return {
    'inspection.number': String(number),
    'inspection.name': name,
    'client.name': client ?? '',
    'location.name': location ?? '',
    'template.name': template,
    'organization.name': organization,
    score: percentage(score?.percentage, language),
    result: score?.result ? texts.results[score.result] : '',
    date: date(completed_at ?? submitted_at ?? started_at ?? scheduled_for ?? created_at),
  };
};
