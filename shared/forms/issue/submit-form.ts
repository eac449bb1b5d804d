import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { knownLanguage, type Language } from '../../base/i18n/languages.ts';
import { fill } from '../../base/i18n/plural.ts';
import { PAGE_TEXTS } from '../../base/i18n/texts/pages.ts';
import { checkEntered, type FormProblem, type GivenAnswer } from '../../domain/issue-form/check.ts';
import {
  type Entered,
  enteredIn,
  FIELD,
  localized,
  photosIn,
  type Sent,
  textIn,
} from '../../domain/issue-form/fields.ts';
import { claimedNonce, newStamp, readStamp, type Stamp } from '../../domain/issue-form/stamp.ts';
import { senderOf } from '../../files/logo.ts';
import { thanksPage } from '../../http/pages/issue-page.ts';
import type { Page } from '../../http/pages/page.ts';
import { isSent, openLink, report } from '../../issues/report.ts';
import { countReport } from '../../organizations/links/visits.ts';
import { DEFAULT_SUBMISSIONS_PER_HOUR } from '../../schemas/organization.ts';
import type { LinkTargets } from '../../table/entities/organization.ts';
import { keepDraft, type LoadedPhoto, loadForStorage, readDraft, storePhotos } from './photos.ts';
import { formPage, type OpenForm, photosPage } from './show-form.ts';

/** The least time that a person needs for the form, in milliseconds. */
const MIN_AGE_MS = 2_000;

/** How long a form can be sent, in milliseconds: 14 days, for a draft that waited for a connection. */
const MAX_AGE_MS = 14 * 86_400_000;

/** A form that was sent. */
export interface SentForm {
  caller: Caller;
  target: LinkTargets['issue'];
  token: string;
  /** The visitor's IP address. */
  address: string;
  /** By the browser's settings. */
  language: Language;
  sent: Sent;
}

/** Whether a form was filled in by something that fills in every field at once. */
const isRobot = (sent: Sent, stamp: Stamp | undefined): boolean => {
  const age = stamp ? Date.now() - stamp.issuedAt : 0;
  return age < MIN_AGE_MS || textIn(sent, FIELD.trap) !== '';
};

const isUsable = (stamp: Stamp): boolean => Date.now() - stamp.issuedAt <= MAX_AGE_MS;

/** The media of an issue and the answers that are photos. */
const shownPhotos = (photos: readonly LoadedPhoto[]) => {
  const media = (of: readonly LoadedPhoto[]) =>
    of.map(({ photo }) => ({ document_id: photo.id, caption: '' }));
  const { '': general = [], ...answering } = Object.groupBy(photos, ({ questionId }) => questionId ?? '');
  return {
    media: media(general),
    answers: Object.entries(answering).map(([question_id, of = []]) => ({ question_id, value: media(of) })),
  };
};

/** Makes the issue. The files are stored first, and deleted again if the issue is not made. */
const makeIssue = async (
  { caller, target }: SentForm,
  { nonce }: Stamp,
  { description, name, email, phone }: Entered,
  answers: readonly GivenAnswer[],
  photos: readonly LoadedPhoto[],
): Promise<number> => {
  const shown = shownPhotos(photos);
  const discard = await storePhotos(caller, photos);
  try {
    const { number } = await report(caller, target, {
      nonce,
      description,
      answers: [...answers, ...shown.answers],
      media: shown.media,
      occurred_at: null,
      reporter: { name: name || null, email: email || null, phone: phone || null },
      photos: photos.map(({ photo }) => photo),
    });
    return number;
  } catch (error) {
    const mayBeSent = await isSent(caller, target, nonce).catch(() => true);
    if (!mayBeSent) await discard();
    throw error;
  }
};

/** The photos of a form with their problems, and the list of the photos that can be used. */
const photosOf = async (
  { caller, language }: OpenForm,
  stamp: Stamp,
  { photos }: Entered,
): Promise<{ loaded: LoadedPhoto[]; problems: FormProblem[]; left: Entered['photos'] }> => {
  if (photos.length === 0) return { loaded: [], problems: [], left: [] };
  const title = PAGE_TEXTS[language].issue.script.photo;
  const {
    photos: loaded,
    left,
    unusable,
    isFull,
  } = await loadForStorage(caller, stamp, photos, (n) => fill(title, { n: String(n) }));
  return {
    loaded,
    left,
    problems: [
      ...unusable.map((position) => ({ field: FIELD.photos, fault: 'photo' as const, n: position + 1 })),
      ...(isFull ? [{ field: FIELD.photos, fault: 'storage' as const }] : []),
    ],
  };
};

/** The entries, from the form itself or from its draft, which was kept while photos were added. */
const readEntered = async (
  { caller, sent }: SentForm,
  { opened }: Pick<OpenForm, 'opened'>,
  stamp: Stamp | undefined,
): Promise<Entered> => {
  const { questions } = opened.category;
  if (textIn(sent, FIELD.next) !== 'finish' || !stamp) return enteredIn(sent, questions);
  const entered = enteredIn(await readDraft(caller, stamp), questions);
  return { ...entered, photos: photosIn(textIn(sent, FIELD.photos), questions) };
};

/** Thanks for a report, also for one that was sent before: whoever sends it again gets the same page. */
const thanksFor = async (
  { caller, opened, language }: Pick<OpenForm, 'caller' | 'opened' | 'language'>,
  entered: Entered,
  number: number,
): Promise<Page> =>
  thanksPage(language, await senderOf(caller, opened.organization), number, {
    questions: localized(opened.category, language).questions,
    entered,
  });

/** Sends a form that is complete. @throws ApiError 429 beyond the reports of the link */
const send = async (
  visit: SentForm,
  form: OpenForm,
  stamp: Stamp,
  entered: Entered,
  answers: readonly GivenAnswer[],
): Promise<Page> => {
  const { link, organization } = form.opened;
  const perHour =
    link.max_submissions_per_hour ?? organization.max_submissions_per_hour ?? DEFAULT_SUBMISSIONS_PER_HOUR;
  const counted = await countReport(visit, perHour, Date.now());
  if (counted === 'full') throw errors.tooManyVisits();
  if (counted === 'wait') return formPage(form, entered, [{ fault: 'wait' }]);
  const { loaded, problems, left } = await photosOf(form, stamp, entered);
  if (problems.length > 0) return formPage(form, { ...entered, photos: left }, problems);
  const number = await makeIssue(visit, stamp, entered, answers, loaded);
  return thanksFor(form, entered, number);
};

/**
 * Takes a form that was sent. The page thanks for the new issue, or shows the form again with its problems. A form
 * that is sent twice is one issue.
 * @throws ApiError 404 for a link that does not work; 429
 */
export const submitForm = async (visit: SentForm): Promise<Page> => {
  const { caller, target, token, sent } = visit;
  const language = knownLanguage(textIn(sent, FIELD.language)) ?? visit.language;
  const text = textIn(sent, FIELD.stamp);
  const opened = await openLink(caller, target, claimedNonce(text));
  const stamp = readStamp(opened.link.form_secret, text);
  if (opened.sentAs !== null) {
    // The link may have ended since. Only somebody who has the form may still see the issue's number.
    if (!stamp) throw errors.notFound('link');
    return thanksFor(
      { caller, opened, language },
      await readEntered(visit, { opened }, stamp),
      opened.sentAs,
    );
  }
  const isCurrent = stamp !== undefined && isUsable(stamp);
  const form: OpenForm = {
    caller,
    token,
    opened,
    language,
    stamp: isCurrent ? text : newStamp(opened.link.form_secret, Date.now()),
  };
  const entered = await readEntered(visit, form, stamp);
  const next = textIn(sent, FIELD.next);
  if (next === 'language') return formPage(form, entered);
  const isForPhotos = next === 'photos';
  const { questions } = opened.category;
  const { answers, problems } = checkEntered(questions, opened.link.contact, entered, !isForPhotos);
  if (problems.length > 0) return formPage(form, entered, problems);
  if (!isCurrent || isRobot(sent, stamp)) return formPage(form, entered, [{ fault: 'again' }]);
  if (!isForPhotos) return send(visit, form, stamp, entered, answers);
  await keepDraft(caller, stamp, sent);
  return photosPage(form, entered.photos, null);
};
