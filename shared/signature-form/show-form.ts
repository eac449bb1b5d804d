import type { Caller } from '../base/caller.ts';
import { publicUrl } from '../base/environment.ts';
import { askerOf, openSignatureLink, type OpenedSignature } from '../db/answers/signature-links.ts';
import { pathOf } from '../db/locations/locations.ts';
import type { StoredInspection } from '../db/table/entities/inspections.ts';
import type { LinkTargets, StoredOrganization } from '../db/table/entities/organization.ts';
import { keys } from '../db/table/keys.ts';
import { getRow } from '../db/table/rows.ts';
import { FIELD, photosIn, photosText } from '../domain/issue-form/fields.ts';
import { newStamp, readStamp, type Stamp } from '../domain/issue-form/stamp.ts';
import { knownLanguage, type Language } from '../i18n/languages.ts';
import { fill } from '../i18n/plural.ts';
import { MAIL_TEXTS } from '../i18n/texts/mail.ts';
import { REPORT_TEXTS } from '../i18n/texts/report.ts';
import { photoForm } from '../issue-form/photos.ts';
import type { Page } from '../pages/page.ts';
import { signaturePage } from '../pages/signature-page.ts';
import { dayText } from '../pages/texts.ts';
import { senderOf } from '../storage/logo.ts';
import { readSection, type ShownSection } from './section.ts';

/** The place of the picture of a signature among the uploads of its form. */
export const PICTURE_SLOT = 0;

/** The page of a witness. */
export interface OpenForm {
  caller: Caller;
  token: string;
  opened: OpenedSignature;
  language: Language;
  /** Signed with the link's secret. */
  stamp: string;
}

/** The picture of a form as its field names it; empty for any other text. */
export const pictureIn = (text: string): string =>
  photosText(photosIn(text, []).filter(({ slot }) => slot === PICTURE_SLOT));

/** What is signed, where, when, and who asks: labels with their values. Calls: one for the place, and its path. */
export const signatureFacts = async (
  caller: Caller,
  language: Language,
  { number, name, location_id, started_at, scheduled_for }: StoredInspection,
  { timezone }: Pick<StoredOrganization, 'timezone'>,
  asker: string | null,
): Promise<(readonly [label: string, value: string])[]> => {
  const { labels } = MAIL_TEXTS[language];
  const { numbered, date } = REPORT_TEXTS[language];
  const location = location_id && (await getRow(caller, keys.one(caller, 'LOCATION', location_id)));
  const at = started_at ?? scheduled_for;
  const facts = [
    [labels.inspection, [fill(numbered, { n: String(number) }), name].filter(Boolean).join(' · ')],
    [labels.location, location && (await pathOf(caller, location)).join(' › ')],
    [date, at && dayText(language, (location && location.timezone) || timezone, at)],
    [labels.by, asker],
  ] as const;
  return facts.flatMap(([label, value]) => (value ? [[label, value] as const] : []));
};

/**
 * The page with what is signed.
 * @param section as it was read
 * @param picture that was added before; empty without one
 * @param problem with what was sent, in the language of the page
 */
export const formPage = async (
  { caller, token, opened, language, stamp }: OpenForm,
  { lines, hash }: ShownSection,
  picture: string,
  problem: string | null = null,
): Promise<Page> => {
  const { link, inspection, organization } = opened;
  const query = new URLSearchParams({
    [FIELD.stamp]: stamp,
    [FIELD.language]: language,
    [FIELD.photos]: photosText([{ slot: PICTURE_SLOT, questionId: null }]),
  });
  const [sender, facts, upload] = await Promise.all([
    senderOf(caller, organization),
    askerOf(caller, link).then((asker) => signatureFacts(caller, language, inspection, organization, asker)),
    photoForm(
      caller,
      readStamp(link.form_secret, stamp) as Stamp,
      PICTURE_SLOT,
      `${publicUrl('w', token)}?${query.toString()}`,
    ),
  ]);
  return signaturePage(language, {
    sender,
    name: link.name,
    facts,
    lines,
    hash,
    stamp,
    upload,
    picture,
    problem,
  });
};

/** A visit by the link of a witness: the visitor, and the query of the address. */
export interface SignatureVisit {
  caller: Caller;
  target: LinkTargets['sign'];
  token: string;
  /** By the browser's settings. */
  language: Language;
  query: { language?: string | undefined; stamp?: string | undefined; photos?: string | undefined };
}

/**
 * The page on which a witness signs. The storage leads back to it after a picture was added.
 * @throws ApiError 404 for a link that does not work
 */
export const showSignatureForm = async ({
  caller,
  target,
  token,
  language: preferred,
  query: { language: chosen = '', stamp: given = '', photos = '' },
}: SignatureVisit): Promise<Page> => {
  const opened = await openSignatureLink(caller, target);
  const language = knownLanguage(chosen) ?? preferred;
  const { form_secret } = opened.link;
  const isKnown = readStamp(form_secret, given) !== undefined;
  const now = new Date();
  const stamp = isKnown ? given : newStamp(form_secret, now.getTime());
  const section = await readSection(caller, opened.link, language, now.toISOString());
  return formPage({ caller, token, opened, language, stamp }, section, isKnown ? pictureIn(photos) : '');
};
