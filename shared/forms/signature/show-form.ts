import type { Caller } from '../../base/caller.ts';
import { publicUrl } from '../../base/environment.ts';
import { knownLanguage, type Language } from '../../base/i18n/languages.ts';
import { FIELD, photosIn, photosText } from '../../domain/issue-form/fields.ts';
import { newStamp, readStamp, type Stamp } from '../../domain/issue-form/stamp.ts';
import { senderOf } from '../../files/logo.ts';
import type { Page } from '../../http/pages/page.ts';
import { signaturePage } from '../../http/pages/signature-page.ts';
import { dayText } from '../../http/pages/texts.ts';
import {
  askerOf,
  openSignatureLink,
  type OpenedSignature,
} from '../../inspections/answers/signature-links.ts';
import type { LinkTargets } from '../../table/entities/organization.ts';
import { photoForm } from '../issue/photos.ts';
import { signatureDetails } from './details.ts';
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
  const dayIn = (timeZone: string, at: string) => dayText(language, timeZone, at);
  const [sender, details, upload] = await Promise.all([
    senderOf(caller, organization),
    askerOf(caller, link).then((asker) =>
      signatureDetails(caller, language, dayIn, inspection, organization, asker),
    ),
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
    details,
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
