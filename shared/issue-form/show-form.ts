import type { Caller } from '../base/caller.ts';
import { openLink } from '../db/issues/report.ts';
import type { LinkTargets } from '../db/table/entities.ts';
import { FIELD, NOTHING_ENTERED, photosIn } from '../domain/issue-form/fields.ts';
import { newStamp, readStamp } from '../domain/issue-form/stamp.ts';
import { knownLanguage, type Language } from '../i18n/languages.ts';
import type { Page } from '../pages/page.ts';
import { formPage, photosPage } from './open-form.ts';

/** Who opens the form of a link, and what its address says beside the token. */
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
