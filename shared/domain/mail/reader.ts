import { zonedDay } from '../../base/i18n/days.ts';
import { type Language, languageOf } from '../../base/i18n/languages.ts';
import { localeOf } from '../../base/i18n/plural.ts';
import { MAIL_TEXTS, type MailTexts } from '../../base/i18n/texts/mail.ts';
import type { Inspection } from '../../schemas/inspections/inspection.ts';
import type { Organization } from '../../schemas/organization.ts';
import type { Placeholder } from '../../schemas/reports/placeholders.ts';

/** The conventions for one reader: the language of the texts, and how dates are written. */
export interface MailReader {
  language: Language;
  texts: MailTexts;
  /** A point in time with its day of the week, in the reader's time zone, which it names. @param instant ISO 8601 */
  dateTime: (instant: string) => string;
  /** A point in time with its day of the week, without the time of day. @param instant ISO 8601 */
  date: (instant: string) => string;
  /** The same in the time zone of a place, which it names. */
  dayIn: (timeZone: string, instant: string) => string;
}

type Conventions = Pick<Organization, 'locale' | 'timezone' | 'time_format'>;

/** The locale for dates. It has the region of the given locale if the texts are in the language of that locale. */
const formatLocale = (locale: string, language: Language): string => {
  const [tag] = locale.toLowerCase().startsWith(language) ? [locale] : [language];
  try {
    return new Intl.Locale(localeOf(tag)).toString();
  } catch {
    return localeOf(language);
  }
};

/**
 * The conventions for a reader: their own where they have set any, otherwise the organization's.
 * @param own from a member's profile, or the language that was requested
 */
export const readerOf = (
  organization: Conventions,
  own: { locale?: string | null | undefined; timezone?: string | null | undefined } = {},
): MailReader => {
  const locale = own.locale ?? organization.locale;
  const language = languageOf(locale);
  const day = {
    weekday: 'short',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  } as const;
  const dateLocale = formatLocale(locale, language);
  const conventions = { ...day, timeZone: own.timezone ?? organization.timezone };
  const format = (options: Intl.DateTimeFormatOptions) => {
    const formatter = new Intl.DateTimeFormat(dateLocale, options);
    return (instant: string) => formatter.format(new Date(instant));
  };
  const hourCycle = organization.time_format === '12h' ? 'h12' : 'h23';
  return {
    language,
    texts: MAIL_TEXTS[language],
    dateTime: format({
      ...conventions,
      hour: 'numeric',
      minute: '2-digit',
      hourCycle,
      timeZoneName: 'longGeneric',
    }),
    date: format(conventions),
    dayIn: (timeZone, instant) => zonedDay(dateLocale, { ...day, timeZone }, instant),
  };
};

/** A text with a capital first letter, as it is written outside a sentence. */
export const capitalized = (text: string, language: Language): string => {
  const [first = '', ...rest] = text;
  return first.toLocaleUpperCase(language) + rest.join('');
};

/** The facts about an inspection that a report's mail shows. */
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

/** The text for each placeholder; empty when the inspection has no such value. */
export const placeholderValues = (
  { inspection, client, location, template, organization }: MailedInspection,
  { language, texts, date }: MailReader,
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
