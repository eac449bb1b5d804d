import type { Caller } from '../../base/caller.ts';
import { publicUrl } from '../../base/environment.ts';
import { knownLanguage, type Language } from '../../base/i18n/languages.ts';
import { PAGE_TEXTS } from '../../base/i18n/texts/pages.ts';
import type { FormProblem } from '../../domain/issue-form/check.ts';
import {
  type Entered,
  FIELD,
  localized,
  MAX_PHOTOS,
  MAX_UPLOADS,
  NOTHING_ENTERED,
  photosIn,
  photosText,
  type SentPhoto,
} from '../../domain/issue-form/fields.ts';
import { newStamp, readStamp } from '../../domain/issue-form/stamp.ts';
import { senderOf } from '../../files/logo.ts';
import { uploadPage } from '../../http/pages/form.ts';
import { issuePage } from '../../http/pages/issue-page.ts';
import type { Page } from '../../http/pages/page.ts';
import { type OpenedLink, openLink, placeOf } from '../../issues/report.ts';
import type { LinkTargets } from '../../table/entities/organization.ts';
import { photoForm, uploadsOrigin } from './photos.ts';

/** The form of a link that works, as one visitor has it. */
export interface OpenForm {
  caller: Caller;
  token: string;
  opened: OpenedLink;
  language: Language;
  /** Signed with the link's secret. */
  stamp: string;
}

const stampOf = ({ opened: { link }, stamp }: OpenForm) => {
  const read = readStamp(link.form_secret, stamp);
  if (!read) throw new Error('the form was not signed by its link');
  return read;
};

/** The page of a form with what was entered so far, and what is wrong with it. */
export const formPage = async (
  form: OpenForm,
  entered: Entered,
  problems: readonly FormProblem[] = [],
): Promise<Page> => {
  const { caller, opened, language, stamp } = form;
  const { link } = opened;
  const [sender, place] = await Promise.all([senderOf(caller, opened.organization), placeOf(caller, link)]);
  return issuePage(language, {
    sender,
    // The link may be called by its place.
    place: [...new Set([place, link.label])].filter(Boolean).join(' · '),
    category: localized(opened.category, language),
    contact: link.contact,
    stamp,
    uploads: await uploadsOrigin(caller, stampOf(form)),
    entered,
    problems,
  });
};

/** The query of the page on which photos are added without a program. */
const queryOf = ({ stamp, language }: OpenForm, photos: readonly SentPhoto[], about: string | null): string =>
  new URLSearchParams({
    [FIELD.stamp]: stamp,
    [FIELD.language]: language,
    [FIELD.photos]: photosText(photos),
    ...(about !== null && { about }),
  }).toString();

/** The page on which photos are added without a program. @param about the question that the next one answers */
export const photosPage = async (
  form: OpenForm,
  photos: readonly SentPhoto[],
  about: string | null,
): Promise<Page> => {
  const { caller, token, opened, language, stamp } = form;
  const questions = localized(opened.category, language).questions.filter(({ type }) => type === 'photo');
  const questionId = questions.some(({ id }) => id === about) ? about : null;
  const slot = 1 + Math.max(-1, ...photos.map((photo) => photo.slot));
  const hasRoom = photos.length < MAX_PHOTOS && slot < MAX_UPLOADS;
  const returnTo = `${publicUrl('r', token)}?${queryOf(form, [...photos, { slot, questionId }], questionId)}`;
  return uploadPage(language, {
    sender: await senderOf(caller, opened.organization),
    stamp,
    photos: photosText(photos),
    count: photos.length,
    questions,
    about: questionId,
    form: hasRoom ? await photoForm(caller, stampOf(form), slot, returnTo) : null,
    queryAbout: (id) => queryOf(form, photos, id),
    finish: PAGE_TEXTS[language].issue.send,
  });
};

/** A visit of the form of a link: the visitor, and the query of the address. */
export interface FormVisit {
  caller: Caller;
  target: LinkTargets['issue'];
  token: string;
  /** By the browser's settings. */
  language: Language;
  query: Partial<Record<'language' | 'stamp' | 'photos' | 'about', string>>;
}

/**
 * The empty form of a link; or the page on which photos are added without a program, to which the storage leads back.
 * @throws ApiError 404 for a link that does not work
 */
export const showForm = async ({ caller, target, token, language, query }: FormVisit): Promise<Page> => {
  const opened = await openLink(caller, target);
  const { form_secret } = opened.link;
  const form = { caller, token, opened, language: knownLanguage(query[FIELD.language] ?? '') ?? language };
  const { stamp, photos, about = null } = query;
  if (stamp !== undefined && photos !== undefined && readStamp(form_secret, stamp))
    return photosPage({ ...form, stamp }, photosIn(photos, opened.category.questions), about);
  return formPage({ ...form, stamp: newStamp(form_secret, Date.now()) }, NOTHING_ENTERED);
};
