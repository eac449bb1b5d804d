import type { Caller } from '../base/caller.ts';
import { publicUrl } from '../base/environment.ts';
import { locationName, type OpenedAction, photosBefore } from '../db/corrective-actions/contact.ts';
import { sentBackNote } from '../domain/corrective-actions.ts';
import {
  type Entered,
  enteredIn,
  FIELD,
  MAX_PHOTOS,
  MAX_UPLOADS,
  PHOTO_TYPES,
  photosIn,
  photosText,
  type SentPhoto,
} from '../domain/issue-form/fields.ts';
import type { Stamp } from '../domain/issue-form/stamp.ts';
import type { Language } from '../i18n/languages.ts';
import { PAGE_TEXTS } from '../i18n/texts/pages.ts';
import { readDraft } from '../issue-form/drafts.ts';
import { photoForm } from '../issue-form/photos.ts';
import { actionPage, closedPage, reportedPage } from '../pages/action-page.ts';
import { uploadPage } from '../pages/issue-upload-page.ts';
import type { Page } from '../pages/page.ts';
import { downloadUrl } from '../storage/documents.ts';
import { senderOf } from '../storage/logo.ts';

/** Photos of what was found that the page shows. */
const MAX_FOUND = 20;

/** The page of an action in the hands of its contact. */
export interface OpenForm {
  caller: Caller;
  token: string;
  opened: OpenedAction;
  language: Language;
  /** Signed with the link's secret. */
  stamp: string;
}

/** URLs of the photos that show what was found, as far as a browser can show them. */
const foundUrls = async (caller: Caller, actionId: string): Promise<string[]> => {
  const photos = await photosBefore(caller, actionId, MAX_FOUND);
  return Promise.all(
    photos
      .filter(({ mime_type }) => PHOTO_TYPES.some((type) => type === mime_type))
      .map((photo) => downloadUrl(caller, photo.id, photo)),
  );
};

/** The page with what was entered so far. @param problems what is wrong with it, in the language of the page */
export const formPage = async (
  { caller, opened, language, stamp }: OpenForm,
  entered: Entered,
  problems: readonly string[] = [],
): Promise<Page> => {
  const { action, inspection, organization } = opened;
  const [sender, location, found] = await Promise.all([
    senderOf(caller, organization),
    locationName(caller, inspection),
    foundUrls(caller, action.id),
  ]);
  return actionPage(language, {
    sender,
    timezone: organization.timezone,
    action,
    location,
    found,
    returned: sentBackNote(action),
    stamp,
    entered,
    problems,
  });
};

/** What was entered before photos were added. @param photos the list of those that were added */
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

/** The page of an action that its contact has nothing to do on now; undefined where they have. */
export const restingPage = async (
  caller: Caller,
  { action, organization, isClosed }: OpenedAction,
  language: Language,
): Promise<Page | undefined> => {
  const isReported = action.status === 'pending_verification';
  if (!isClosed && !isReported) return undefined;
  return (isClosed ? closedPage : reportedPage)(language, await senderOf(caller, organization));
};
