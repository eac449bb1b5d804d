import { ApiError } from '../base/api-error.ts';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { openSignatureLink, sign } from '../db/answers/signature-links.ts';
import { type BroughtPhoto, createOfVisitor } from '../db/documents/documents.ts';
import { shownState } from '../db/reports/reports.ts';
import type { StoredInspection } from '../db/table/entities/inspections.ts';
import type { LinkTargets } from '../db/table/entities/organization.ts';
import { storageUse } from '../db/table/stored-bytes.ts';
import { FIELD, type Sent, textIn } from '../domain/issue-form/fields.ts';
import { claimedNonce, newStamp, readStamp, type Stamp } from '../domain/issue-form/stamp.ts';
import { SIGNATURE_FIELD } from '../domain/signature-form.ts';
import { knownLanguage, type Language } from '../i18n/languages.ts';
import { fill } from '../i18n/plural.ts';
import { PAGE_TEXTS } from '../i18n/texts/pages.ts';
import { broughtPhoto, drawnAnew, loadPhotos } from '../issue-form/photos.ts';
import type { Page } from '../pages/page.ts';
import { signedPage } from '../pages/signature-page.ts';
import { numberText } from '../pages/texts.ts';
import { deleteDocument, documentKey } from '../storage/documents.ts';
import { senderOf } from '../storage/logo.ts';
import { putObject } from '../storage/objects.ts';
import { formPage, type OpenForm, PICTURE_SLOT, pictureIn } from './show-form.ts';
import { readSection, type ShownSection } from './section.ts';

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

/** Stores a picture as a document. @returns a function that deletes it again, for a signature that is refused */
const storePicture = async (
  caller: Caller,
  { document, bytes }: Picture,
  name: string,
): Promise<() => Promise<void>> => {
  const key = documentKey(caller, document.id);
  await putObject(caller, key, bytes, document.mime_type);
  await createOfVisitor(caller, document, name).catch((error: unknown) => {
    // An interrupted attempt with the same form has stored it.
    if (!(error instanceof ApiError && error.status === 409)) throw error;
  });
  // What another attempt has signed with is in use, and stays.
  return () => deleteDocument(caller, document.id).then(ignore, ignore);
};

const ignore = (): void => undefined;

/** What came of an attempt to sign: `changed` and the new state, where another one was shown. */
type Outcome = { isSigned: true } | { isSigned: false; section: ShownSection };

/**
 * Signs with a stored picture what the witness has seen. Answers of other sections may change meanwhile.
 * @param seen the hash of what the page has shown
 * @throws ApiError as `sign`; 503 when other answers change all the time
 */
const signSeen = async (
  { caller, opened: { link }, language }: OpenForm,
  target: LinkTargets['sign'],
  { nonce }: Stamp,
  document_id: string,
  seen: string,
): Promise<Outcome> => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const section = await readSection(caller, link, language, new Date().toISOString());
    if (section.hash !== seen) return { isSigned: false, section };
    const isAsShown = (inspection: StoredInspection) => shownState(inspection) === section.shows;
    if (await sign(caller, target, { nonce, document_id, isAsShown })) return { isSigned: true };
  }
  throw errors.unavailable('The database');
};

/** Signs, unless something stands against it. */
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
  const discard = await storePicture(caller, loaded, opened.link.name);
  try {
    const outcome = await signSeen(form, target, stamp, loaded.document.id, seen);
    if (outcome.isSigned) return signedPage(language, await senderOf(caller, opened.organization));
    await discard();
    return await formPage(form, outcome.section, picture, problems.changed);
  } catch (error) {
    // 404, unless the same form has signed after all.
    const after = await openSignatureLink(caller, target, stamp.nonce).catch(async (reason: unknown) => {
      await discard();
      throw reason;
    });
    if (after.isSigned) return signedPage(language, await senderOf(caller, after.organization));
    await discard();
    if (error instanceof ApiError && error.status < 500) return formPage(form, section, picture, refused);
    throw error;
  }
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
