import type { Caller } from '../base/caller.ts';
import { noteOpened, openContactLink } from '../db/corrective-actions/contact.ts';
import type { LinkTargets } from '../db/table/entities.ts';
import { FIELD, NOTHING_ENTERED } from '../domain/issue-form/fields.ts';
import { newStamp, readStamp } from '../domain/issue-form/stamp.ts';
import { knownLanguage, type Language } from '../i18n/languages.ts';
import type { Page } from '../pages/page.ts';
import { enteredBefore, formPage, restingPage } from './open-form.ts';

/** Who opens the link of a contact, and what its address says beside the token. */
export interface ActionVisit {
  caller: Caller;
  target: LinkTargets['action'];
  token: string;
  /** By the browser's settings. */
  language: Language;
  query: { language?: string | undefined; stamp?: string | undefined; photos?: string | undefined };
}

/**
 * The page of a corrective action for its contact. The storage leads back to it after each photo; what was entered before
 * is there again.
 * @throws ApiError 404 for a link that does not work
 */
export const showActionForm = async ({
  caller,
  target,
  token,
  language: preferred,
  query,
}: ActionVisit): Promise<Page> => {
  const opened = await openContactLink(caller, target);
  await noteOpened(caller, target);
  const language = knownLanguage(query[FIELD.language] ?? '') ?? preferred;
  const resting = await restingPage(caller, opened, language);
  if (resting) return resting;
  const { form_secret } = opened.link;
  const { stamp = '', photos } = query;
  const read = readStamp(form_secret, stamp);
  const form = { caller, token, opened, language };
  if (read && photos !== undefined) {
    return formPage({ ...form, stamp }, await enteredBefore(caller, read, photos));
  }
  return formPage({ ...form, stamp: newStamp(form_secret, Date.now()) }, NOTHING_ENTERED);
};
