import type { Caller } from '../base/caller.ts';
import { publicUrl } from '../base/environment.ts';
import { fill, pluralText } from '../base/i18n/plural.ts';
import { PAGE_TEXTS } from '../base/i18n/texts/pages.ts';
import { type TaskDetails, taskFacts } from '../domain/contact-task.ts';
import { sentBackNote } from '../domain/corrective-actions.ts';
import { shortName } from '../domain/notifications/text.ts';
import { documentKey, getObject } from '../files/objects.ts';
import {
  type ContactMail,
  documentsOf,
  LINK_RECIPIENT,
  openContactMail,
  takeLinks,
  taskDetails,
} from '../inspections/corrective-actions/contact.ts';
import {
  type DeliveredMail,
  deliverOnce,
  type MailIdentity,
  type MailInHand,
  noteOf,
} from '../notices/mails.ts';
import { preparePhoto } from '../reports/presentation/images.ts';
import type { OutboxTask } from '../table/entities/machinery.ts';
import type { StoredOrganization } from '../table/entities/organization.ts';
import type { ContactLinkTask, MailSubject } from '../table/tasks.ts';
import type { InlineImage } from './compose.ts';
import { type ContactLetter, type ContactReader, descriptionOf, mailContact } from './contact-mail.ts';
import { type Block, newBlock } from './page.ts';
import { notePromise } from './promises.ts';

const ENDED: DeliveredMail = {
  state: 'refused',
  detail: 'the link had ended, or the action was done, before it was sent',
};

/** Photos in one mail and of one task, and the most pixels on a side of each: more than a phone shows. */
const MAX_PHOTOS = 8;
const MAX_PHOTOS_OF_TASK = 4;
const MAX_SIDE = 800;

/**
 * The first photos of what was found, drawn anew. A mail goes out without a photo that cannot be drawn.
 * @param before photos that the mail has already: its photos are numbered
 */
const photosOf = async (
  caller: Caller,
  { found }: TaskDetails,
  most: number,
  before: number,
): Promise<InlineImage[]> => {
  const photos: InlineImage[] = [];
  for (const { id } of most > 0 ? await documentsOf(caller, found) : []) {
    if (photos.length === most) break;
    const bytes = await getObject(caller, documentKey(caller, id));
    const photo = bytes && (await preparePhoto(Buffer.from(bytes), MAX_SIDE).catch(() => undefined));
    const name = `photo-${before + photos.length + 1}@mail`;
    if (photo) photos.push({ id: name, contentType: photo.mime, content: photo.data });
  }
  return photos;
};

/** A task as the mail shows it. */
interface ShownTask {
  block: Block;
  photos: readonly InlineImage[];
}

const shownTask = async (
  caller: Caller,
  organization: StoredOrganization,
  { action, inspection, newToken }: ContactMail,
  { language, dayIn }: ContactReader,
  photosBefore: number,
): Promise<ShownTask> => {
  const details = await taskDetails(caller, action, inspection, organization);
  const most = Math.min(MAX_PHOTOS_OF_TASK, MAX_PHOTOS - photosBefore);
  const photos = await photosOf(caller, details, most, photosBefore);
  const text = sentBackNote(action);
  return {
    photos,
    block: newBlock({
      title: shortName(action.title),
      url: publicUrl('c', await newToken()),
      facts: [...descriptionOf(language, action), ...taskFacts(language, dayIn, action, details)],
      photos: photos.map(({ id }) => id),
      note: text === '' ? null : { label: PAGE_TEXTS[language].action.returned, text },
    }),
  };
};

/**
 * What a mail with these tasks says, in the organization's language. A single task has the one link of the mail, whose
 * page leads to all.
 */
const letterOf = async (
  caller: Caller,
  organization: StoredOrganization,
  reader: ContactReader,
  mails: readonly ContactMail[],
): Promise<ContactLetter> => {
  const { texts, language, isStranger } = reader;
  const blocks: Block[] = [];
  const images: InlineImage[] = [];
  // One after the other: a photo that is drawn needs much memory.
  for (const mail of mails) {
    const { block, photos } = await shownTask(caller, organization, mail, reader, images.length);
    blocks.push(block);
    images.push(...photos);
  }
  const { contactLink, contactReminder } = texts;
  const [first] = blocks;
  const single = blocks.length === 1 ? first : undefined;
  const what = single && !isStranger ? single.title : pluralText(language, texts.actions, blocks.length);
  const [expires_at] = mails.map((mail) => mail.expires_at).toSorted();
  return {
    subject: fill(texts.subject, { name: organization.name, what }),
    paragraphs: [fill(contactLink.text, { organization: organization.name })],
    blocks: single ? [{ ...single, url: null }] : blocks,
    action: single
      ? { label: contactLink.open, url: single.url! }
      : { label: contactReminder.all, url: `${first!.url}/tasks` },
    images,
    reason: fill(contactLink.reason, { organization: organization.name }),
    expires_at: expires_at!,
  };
};

const send = (
  caller: Caller,
  mails: readonly ContactMail[],
  identity: MailIdentity,
  place: MailInHand['place'],
): Promise<DeliveredMail> =>
  mailContact(caller, mails[0]!.contact, identity, place, (organization, reader) =>
    letterOf(caller, organization, reader, mails),
  );

const noteOutcome = (caller: Caller, task: MailSubject, outcome: DeliveredMail): Promise<void> =>
  notePromise(caller, task, (known, now) => noteOf(outcome, known, now));

/**
 * Mails the contact of an action the link to it, with all other links to the same address that are not sent yet, and
 * notes on each action what became of the mail. The mail is sent once, however often the tasks are delivered. A link
 * that has ended meanwhile is not sent.
 * @param row sends the mail, if it has to wait
 * @throws Error when the mail could not be sent; the next attempt sends it
 */
export const sendContactLink = async (
  caller: Caller,
  row: OutboxTask<'mail'>,
  task: ContactLinkTask,
): Promise<void> => {
  const identity = { mailId: task.link_id, recipient: LINK_RECIPIENT, task: row };
  const outcome = await deliverOnce(
    caller,
    identity,
    async ({ about = [task], place }) => {
      const mails: ContactMail[] = [];
      const open: MailSubject[] = [];
      for (const each of about) {
        const mail = each.what === 'contact_link' ? await openContactMail(caller, each) : undefined;
        if (mail) {
          mails.push(mail);
          open.push(each);
        } else {
          await noteOutcome(caller, each, ENDED);
        }
      }
      const sent = mails.length > 0 ? await send(caller, mails, identity, place) : ENDED;
      return { ...sent, about: open };
    },
    (now) => takeLinks(caller, task, now),
  );
  for (const each of outcome?.about ?? []) await noteOutcome(caller, each, outcome!);
};
