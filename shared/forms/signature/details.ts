import type { Caller } from '../../base/caller.ts';
import type { Language } from '../../base/i18n/languages.ts';
import { fill } from '../../base/i18n/plural.ts';
import { MAIL_TEXTS } from '../../base/i18n/texts/mail.ts';
import { REPORT_TEXTS } from '../../base/i18n/texts/report.ts';
import { pathOf } from '../../places/locations/tree.ts';
import type { StoredInspection } from '../../table/entities/inspections.ts';
import type { StoredOrganization } from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { getRow } from '../../table/rows.ts';

/**
 * What is signed, where, when, and who asks: labels with their values. Calls: one for the place, and its path.
 * @param dayIn writes a day in a time zone
 */
export const signatureDetails = async (
  caller: Caller,
  language: Language,
  dayIn: (timeZone: string, at: string) => string,
  { number, name, location_id, started_at, scheduled_for }: StoredInspection,
  { timezone }: Pick<StoredOrganization, 'timezone'>,
  asker: string | null,
): Promise<(readonly [label: string, value: string])[]> => {
  const { labels } = MAIL_TEXTS[language];
  const { numbered, date } = REPORT_TEXTS[language];
  const location = location_id && (await getRow(caller, keys.one(caller, 'LOCATION', location_id)));
  const at = started_at ?? scheduled_for;
  const details = [
    [labels.inspection, [fill(numbered, { n: String(number) }), name].filter(Boolean).join(' · ')],
    [labels.location, location && (await pathOf(caller, location)).join(' › ')],
    [date, at && dayIn((location && location.timezone) || timezone, at)],
    [labels.by, asker],
  ] as const;
  return details.flatMap(([label, value]) => (value ? [[label, value] as const] : []));
};
