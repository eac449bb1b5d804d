import { ApiError } from '../../base/api-error.ts';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { knownLanguage, type Language } from '../../base/i18n/languages.ts';
import { fill } from '../../base/i18n/plural.ts';
import { PAGE_TEXTS } from '../../base/i18n/texts/pages.ts';
import { FIELD, type Sent, textIn } from '../../domain/issue-form/fields.ts';
import { claimedNonce, newStamp, readStamp, type Stamp } from '../../domain/issue-form/stamp.ts';
import { SIGNATURE_FIELD } from '../../domain/signature-form.ts';
import type { BroughtPhoto } from '../../files/documents.ts';
import { senderOf } from '../../files/logo.ts';
import { discardObject, documentKey, putObject } from '../../files/objects.ts';
import type { Page } from '../../http/pages/page.ts';
import { signedPage } from '../../http/pages/signature-page.ts';
import { numberText } from '../../http/pages/texts.ts';
import { openSignatureLink, sign } from '../../inspections/answers/signature-links.ts';
import { shownState } from '../../reports/rows/reports.ts';
import type { StoredInspection } from '../../table/entities/inspections.ts';
import type { LinkTargets } from '../../table/entities/organization.ts';
import { storageUse } from '../../table/stored-bytes.ts';
import { broughtPhoto, drawnAnew, loadPhotos } from '../issue/photos.ts';
import { readSection, type ShownSection } from './section.ts';
import { formPage, type OpenForm, PICTURE_SLOT, pictureIn } from './show-form.ts';

/** How often a signature is tried again because an answer of another section was saved at the same moment. */
const MAX_ATTEMPTS = 5;

/** A form that a witness has sent. */
export interface SentSignatureForm {
  caller: Caller;
  target: LinkTargets['sign'];
  token: string;
  /** By the browser's settings. */
  language: Language;
  sent: Sent;
}

/** The picture of a signature, drawn anew. */
interface Picture {
  document: BroughtPhoto;
  bytes: Uint8Array;
}

/** The signature of a form: drawn on the page, or as a picture. Undefined when it cannot be read. */
const loadPicture = async (
  { caller, opened, language }: OpenForm,
  stamp: Stamp,
  drawing: string,
): Promise<Picture | undefined> => {
  const texts = { title: `${PAGE_TEXTS[language].signature.sign}: ${opened.link.name}`, name: 'signature' };
  if (drawing === '') {
    const slots = [{ slot: PICTURE_SLOT, questionId: null }];
    const { photos } = await loadPhotos(caller, stamp, slots, () => texts.title);
    return photos[0] && { document: photos[0].photo, bytes: photos[0].bytes };
  }
  const bytes = await drawnAnew(Buffer.from(drawing, 'base64'));
  return bytes && { document: broughtPhoto(stamp, PICTURE_SLOT, bytes, texts), bytes };
};

/**
 * Signs with a stored picture what the witness has seen. Answers of other sections may change meanwhile.
 * @param shown what the witness has seen, as it was read
 * @returns the new state, where that has changed
 * @throws ApiError as `sign`; 503 when other answers change all the time
 */
const signSeen = async (
  { caller, opened: { link }, language }: OpenForm,
  target: LinkTargets['sign'],
  { nonce }: Stamp,
  picture: BroughtPhoto,
  shown: ShownSection,
): Promise<ShownSection | 'signed'> => {
  let section = shown;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const { shows } = section;
    const isAsShown = (inspection: StoredInspection) => shownState(inspection) === shows;
    if (await sign(caller, target, { nonce, picture, isAsShown })) return 'signed';
    section = await readSection(caller, link, language, new Date().toISOString());
    if (section.hash !== shown.hash) return section;
  }
  throw errors.unavailable('The database');
};

/** Whether another attempt with the same form has signed. */
const hasSigned = async (
  { caller }: OpenForm,
  target: LinkTargets['sign'],
  { nonce }: Stamp,
): Promise<boolean> => {
  const after = await openSignatureLink(caller, target, nonce).catch(() => undefined);
  return after?.isSigned ?? false;
};

/** Signs, unless something stands against it. The file is stored first, and deleted again if nothing is signed. */
const take = async (form: OpenForm, { target, sent }: SentSignatureForm, stamp: Stamp): Promise<Page> => {
  const { caller, language, opened } = form;
  const { problems } = PAGE_TEXTS[language].signature;
  const { issue } = PAGE_TEXTS[language];
  const [seen, drawing] = [textIn(sent, SIGNATURE_FIELD.hash), textIn(sent, SIGNATURE_FIELD.drawing)];
  const picture = pictureIn(textIn(sent, FIELD.photos));
  const section = await readSection(caller, opened.link, language, new Date().toISOString());
  if (section.hash !== seen) return formPage(form, section, picture, problems.changed);
  if (drawing === '' && picture === '') return formPage(form, section, '', problems.missing);
  const loaded = await loadPicture(form, stamp, drawing);
  const unreadable = fill(issue.problems.photo, { n: numberText(language, 1) });
  if (!loaded) return formPage(form, section, '', unreadable);
  const { used_bytes, max_bytes } = await storageUse(caller);
  const refused = fill(problems.refused, { organization: opened.organization.name });
  if (used_bytes + loaded.bytes.length > max_bytes) return formPage(form, section, picture, refused);
  const { document, bytes } = loaded;
  const key = documentKey(caller, document.id);
  await putObject(caller, key, bytes, document.mime_type);
  const outcome = await signSeen(form, target, stamp, document, section).catch((error: unknown) => {
    if (error instanceof ApiError && error.status < 500) return error;
    throw error;
  });
  if (outcome !== 'signed' && !(await hasSigned(form, target, stamp))) {
    await discardObject(caller, key);
    if (!(outcome instanceof ApiError)) return formPage(form, outcome, picture, problems.changed);
    if (outcome.status === 404) throw outcome;
    return formPage(form, section, picture, refused);
  }
  return signedPage(language, await senderOf(caller, opened.organization));
};

/**
 * Takes a form that a witness has sent. The page says thanks, or shows what is signed again with what is wrong. A form
 * that is sent twice signs once.
 * @throws ApiError 404 for a link that does not work
 */
export const submitSignatureForm = async (visit: SentSignatureForm): Promise<Page> => {
  const { caller, target, token, sent } = visit;
  const language = knownLanguage(textIn(sent, FIELD.language)) ?? visit.language;
  const text = textIn(sent, FIELD.stamp);
  const opened = await openSignatureLink(caller, target, claimedNonce(text));
  if (opened.isSigned) return signedPage(language, await senderOf(caller, opened.organization));
  const { form_secret } = opened.link;
  const now = new Date();
  const read = readStamp(form_secret, text);
  const stamp = read ? text : newStamp(form_secret, now.getTime());
  const form = { caller, token, opened, language, stamp };
  if (read && textIn(sent, FIELD.next) !== 'language') return take(form, visit, read);
  const section = await readSection(caller, opened.link, language, now.toISOString());
  return formPage(form, section, read ? pictureIn(textIn(sent, FIELD.photos)) : '');
};
