import { zonedDay } from '../base/i18n/days.ts';
import type { Language } from '../base/i18n/languages.ts';
import { localeOf } from '../base/i18n/plural.ts';
import { MAIL_TEXTS } from '../base/i18n/texts/mail.ts';
import { REPORT_TEXTS } from '../base/i18n/texts/report.ts';
import type { OutsideContact } from '../schemas/contact.ts';
import type { CorrectiveAction } from '../schemas/corrective-action.ts';
import type { Finding } from '../schemas/finding.ts';

/** What the contact of an action has to know beside the action itself. */
export interface TaskDetails {
  /** The names that lead to its place, from the outermost one; empty without a place. */
  place: readonly string[];
  /** Of its place; the organization's where the place has none. */
  timezone: string;
  /** The question whose answer told of it; null without one. */
  question: string | null;
  finding: Pick<Finding, 'label' | 'severity'> & { description: string };
  /** What the inspector has written beside the answer. */
  note: string;
  /** The member who asks for it; null for an API key, or one who has left. */
  asker: string | null;
  /** The ids of documents that show what was found. */
  found: readonly string[];
}

/** A day in words with the name of its time zone, as pages write it. */
export const dayWithZone = (language: Language, timeZone: string, at: string): string =>
  zonedDay(localeOf(language), { dateStyle: 'full', timeZone }, at);

/** A contact with their company. */
export const nameOf = (contact: OutsideContact | null): string =>
  [contact?.name, contact?.company].filter(Boolean).join(', ');

/**
 * What, where, when and by whom: labels with their values, in the reader's language.
 * @param dayIn writes a day in a time zone, which it names
 */
export const taskFacts = (
  language: Language,
  dayIn: (timeZone: string, at: string) => string,
  { due_at, contact }: Pick<CorrectiveAction, 'due_at' | 'contact'>,
  { place, timezone, question, finding: { label, severity, description }, note, asker }: TaskDetails,
): (readonly [label: string, value: string])[] => {
  const { labels } = MAIL_TEXTS[language];
  const report = REPORT_TEXTS[language];
  const graded = report.severities[severity];
  const facts = [
    [labels.location, place.join(' › ')],
    [labels.due, due_at && dayIn(timezone, due_at)],
    [report.question, question],
    [report.concerns, label === '' || label === question ? graded : `${label} (${graded})`],
    [report.description, description],
    [report.note, note],
    [labels.by, asker],
    [report.assignee, nameOf(contact)],
  ] as const;
  return facts.flatMap(([name, value]) => (value ? [[name, value] as const] : []));
};
