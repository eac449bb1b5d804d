import type { Caller } from '../../base/caller.ts';
import { knownLanguage, type Language } from '../../base/i18n/languages.ts';
import { fill } from '../../base/i18n/plural.ts';
import { PAGE_TEXTS } from '../../base/i18n/texts/pages.ts';
import { isBlank } from '../../base/text.ts';
import { lacksEvidence } from '../../domain/corrective-actions.ts';
import { MAX_LENGTH } from '../../domain/issue-form/check.ts';
import {
  type Entered,
  enteredIn,
  FIELD,
  MAX_PHOTOS,
  type Sent,
  textIn,
} from '../../domain/issue-form/fields.ts';
import { claimedNonce, newStamp, readStamp, type Stamp } from '../../domain/issue-form/stamp.ts';
import { senderOf } from '../../files/logo.ts';
import { receivedPage, reportedPage } from '../../http/pages/action-page.ts';
import type { Page } from '../../http/pages/page.ts';
import { numberText } from '../../http/pages/texts.ts';
import {
  openContactLink,
  type OpenedAction,
  takeContactForm,
} from '../../inspections/corrective-actions/contact.ts';
import type { LinkTargets } from '../../table/entities/organization.ts';
import { keepDraft, loadForStorage, storePhotos } from '../issue/photos.ts';
import {
  enteredBefore,
  formPage,
  type OpenForm,
  photosPage,
  restingPage,
  tasksAddress,
} from './show-form.ts';

/** How long a form can be sent, in milliseconds: 14 days, for a draft that waited for a connection. */
export const MAX_AGE_MS = 14 * 86_400_000;

/** A form that a contact has sent. */
export interface SentActionForm {
  caller: Caller;
  target: LinkTargets['action'];
  token: string;
  /** By the browser's settings. */
  language: Language;
  sent: Sent;
}

/** The problems of the entries, in words. @param isDone whether the contact says that the action is done */
const problemsOf = (
  { opened: { action }, language }: OpenForm,
  { description, photos }: Entered,
  isDone: boolean,
): string[] => {
  const { action: texts, issue } = PAGE_TEXTS[language];
  const many = (text: string, n: number) => fill(text, { n: numberText(language, n) });
  const done = {
    ...action,
    status: 'pending_verification' as const,
    evidence_count: action.evidence_count + photos.length,
  };
  return [
    ...(description.length > MAX_LENGTH.long_text ? [many(issue.problems.long, MAX_LENGTH.long_text)] : []),
    ...(photos.length > MAX_PHOTOS ? [many(issue.problems.photos, MAX_PHOTOS)] : []),
    ...(isDone && lacksEvidence(done) ? [texts.problems.evidence] : []),
    ...(!isDone && isBlank(description) && photos.length === 0 ? [texts.problems.empty] : []),
  ];
};

/** Loads the photos of a form. Their problems are in words. */
const loadEvidence = async ({ caller, language }: OpenForm, stamp: Stamp, { photos }: Entered) => {
  const { script, problems } = PAGE_TEXTS[language].issue;
  const numbered = (text: string, n: number) => fill(text, { n: numberText(language, n) });
  const {
    photos: loaded,
    left,
    unusable,
    isFull,
  } = await loadForStorage(caller, stamp, photos, (n) => numbered(script.photo, n));
  return {
    loaded,
    left,
    problems: [
      ...unusable.map((position) => numbered(problems.photo, position + 1)),
      ...(isFull ? [problems.storage] : []),
    ],
  };
};

/** The page for a form that was sent before, or whose action needs nothing any more; undefined for a form to take. */
const answeredPage = async (
  caller: Caller,
  token: string,
  opened: OpenedAction,
  language: Language,
): Promise<Page | undefined> => {
  const resting = await restingPage(caller, token, opened, language);
  if (resting || !opened.isSent) return resting;
  return receivedPage(language, await senderOf(caller, opened.organization), tasksAddress(token));
};

/** Takes a form that is complete. The files are stored first, and deleted again if the action does not get them. */
const take = async (
  { target }: SentActionForm,
  form: OpenForm,
  stamp: Stamp,
  entered: Entered,
  isDone: boolean,
): Promise<Page> => {
  const { caller, token, language, opened } = form;
  const { loaded, left, problems } = await loadEvidence(form, stamp, entered);
  if (problems.length > 0) return formPage(form, { ...entered, photos: left }, problems);
  const { nonce } = stamp;
  const discard = await storePhotos(caller, loaded);
  try {
    const photos = loaded.map(({ photo }) => photo);
    await takeContactForm(caller, target, { nonce, note: entered.description.trim(), isDone, photos });
  } catch (error) {
    const now = await openContactLink(caller, target, nonce).catch(() => undefined);
    if (now?.isSent === false) await discard();
    // The form was taken after all, or somebody else has completed or closed the action meanwhile.
    const answered = now && (await answeredPage(caller, token, now, language));
    if (answered) return answered;
    throw error;
  }
  return (isDone ? reportedPage : receivedPage)(
    language,
    await senderOf(caller, opened.organization),
    tasksAddress(token),
  );
};

/**
 * Takes a form that a contact has sent. The page says thanks, or shows the form again with its problems. A form that
 * is sent twice is taken once.
 * @throws ApiError 404 for a link that does not work
 */
export const submitActionForm = async (visit: SentActionForm): Promise<Page> => {
  const { caller, target, token, sent } = visit;
  const language = knownLanguage(textIn(sent, FIELD.language)) ?? visit.language;
  const text = textIn(sent, FIELD.stamp);
  const opened = await openContactLink(caller, target, claimedNonce(text));
  const answered = await answeredPage(caller, token, opened, language);
  if (answered) return answered;
  const { form_secret } = opened.link;
  const stamp = readStamp(form_secret, text);
  const next = textIn(sent, FIELD.next);
  if (!stamp || Date.now() - stamp.issuedAt > MAX_AGE_MS) {
    const form = { caller, token, opened, language, stamp: newStamp(form_secret, Date.now()) };
    // The photos belong to the form that has ended.
    const entered = { ...enteredIn(sent, []), photos: [] };
    return formPage(form, entered, [PAGE_TEXTS[language].issue.problems.again]);
  }
  const form: OpenForm = { caller, token, opened, language, stamp: text };
  if (next === 'finish') {
    return formPage(form, await enteredBefore(caller, stamp, textIn(sent, FIELD.photos)));
  }
  const entered = enteredIn(sent, []);
  if (next === 'language') return formPage(form, entered);
  if (next === 'photos') {
    await keepDraft(caller, stamp, sent);
    return photosPage(form, stamp, entered.photos);
  }
  const isDone = next === 'done';
  const problems = problemsOf(form, entered, isDone);
  if (problems.length > 0) return formPage(form, entered, problems);
  return take(visit, form, stamp, entered, isDone);
};
