import type { Caller } from '../../base/caller.ts';
import { publicUrl } from '../../base/environment.ts';
import { knownLanguage, type Language } from '../../base/i18n/languages.ts';
import { PAGE_TEXTS } from '../../base/i18n/texts/pages.ts';
import { aliasOf } from '../../base/tenancy.ts';
import { sentBackNote } from '../../domain/corrective-actions.ts';
import {
  type Entered,
  enteredIn,
  FIELD,
  MAX_PHOTOS,
  MAX_UPLOADS,
  NOTHING_ENTERED,
  PHOTO_TYPES,
  photosIn,
  photosText,
  type SentPhoto,
} from '../../domain/issue-form/fields.ts';
import { newStamp, readStamp, type Stamp } from '../../domain/issue-form/stamp.ts';
import { senderOf } from '../../files/logo.ts';
import { actionPage, closedPage, reportedPage } from '../../http/pages/action-page.ts';
import { uploadPage } from '../../http/pages/form.ts';
import type { Page } from '../../http/pages/page.ts';
import {
  documentsOf,
  noteOpened,
  openContactLink,
  type OpenedAction,
  taskDetails,
} from '../../inspections/corrective-actions/contact.ts';
import type { LinkTargets } from '../../table/entities/organization.ts';
import { photoForm, readDraft, uploadsOrigin } from '../issue/photos.ts';

/** The page of an action in the hands of its contact. */
export interface OpenForm {
  caller: Caller;
  token: string;
  opened: OpenedAction;
  language: Language;
  /** Signed with the link's secret. */
  stamp: string;
}

/** Addresses of the photos that show what was found, as far as they can be drawn. */
const foundUrls = async (caller: Caller, token: string, ids: readonly string[]): Promise<string[]> =>
  (await documentsOf(caller, ids))
    .filter(({ mime_type }) => PHOTO_TYPES.some((type) => type === mime_type))
    .map(({ id }) => `${token}/photo?id=${aliasOf(caller, id)}`);

/** The address of the list of all tasks, relative to the page of one of them. */
export const tasksAddress = (token: string): string => `${token}/tasks`;

/** The page with the entries so far. @param problems with the entries, in the language of the page */
export const formPage = async (
  { caller, token, opened, language, stamp }: OpenForm,
  entered: Entered,
  problems: readonly string[] = [],
): Promise<Page> => {
  const { action, inspection, organization } = opened;
  const [sender, details, uploads] = await Promise.all([
    senderOf(caller, organization),
    taskDetails(caller, action, inspection, organization),
    uploadsOrigin(caller, readStamp(opened.link.form_secret, stamp)!),
  ]);
  return actionPage(language, {
    sender,
    tasks: tasksAddress(token),
    action,
    details,
    found: await foundUrls(caller, token, details.found),
    returned: sentBackNote(action),
    stamp,
    uploads,
    entered,
    problems,
  });
};

/** The entries from before photos were added. @param photos the list of the added photos */
export const enteredBefore = async (caller: Caller, stamp: Stamp, photos: string): Promise<Entered> => ({
  ...enteredIn(await readDraft(caller, stamp), []),
  photos: photosIn(photos, []),
});

/** The page on which a photo is added. The storage leads back to the form after it. */
export const photosPage = async (
  { caller, token, opened, language, stamp }: OpenForm,
  read: Stamp,
  photos: readonly SentPhoto[],
): Promise<Page> => {
  const slot = 1 + Math.max(-1, ...photos.map((photo) => photo.slot));
  const hasRoom = photos.length < MAX_PHOTOS && slot < MAX_UPLOADS;
  const query = new URLSearchParams({
    [FIELD.stamp]: stamp,
    [FIELD.language]: language,
    [FIELD.photos]: photosText([...photos, { slot, questionId: null }]),
  });
  return uploadPage(language, {
    sender: await senderOf(caller, opened.organization),
    stamp,
    photos: photosText(photos),
    count: photos.length,
    questions: [],
    about: null,
    form: hasRoom
      ? await photoForm(caller, read, slot, `${publicUrl('c', token)}?${query.toString()}`)
      : null,
    queryAbout: () => '',
    finish: PAGE_TEXTS[language].action.finish,
  });
};

/** The page of an action on which the contact has nothing to do now; undefined if there is something to do. */
export const restingPage = async (
  caller: Caller,
  token: string,
  { action, organization, isClosed }: OpenedAction,
  language: Language,
): Promise<Page | undefined> => {
  const isReported = action.status === 'pending_verification';
  if (!isClosed && !isReported) return undefined;
  return (isClosed ? closedPage : reportedPage)(
    language,
    await senderOf(caller, organization),
    tasksAddress(token),
  );
};

/** A visit by the link of a contact: the visitor, and the query of the address. */
export interface ActionVisit {
  caller: Caller;
  target: LinkTargets['action'];
  token: string;
  /** By the browser's settings. */
  language: Language;
  query: { language?: string | undefined; stamp?: string | undefined; photos?: string | undefined };
}

/**
 * The page of a corrective action for its contact. The storage leads back to it after each photo, and the earlier
 * entries are shown again.
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
  const resting = await restingPage(caller, token, opened, language);
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
