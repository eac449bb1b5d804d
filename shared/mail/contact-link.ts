import type { Caller } from '../base/caller.ts';
import { publicUrl } from '../base/environment.ts';
import { currentRequest } from '../base/request.ts';
import { confirmedReplyTo, standingOf, takesMailByHand } from '../db/addresses/addresses.ts';
import {
  type ContactMail,
  documentsOf,
  openContactMail,
  taskDetails,
} from '../db/corrective-actions/contact.ts';
import {
  type DeliveredMail,
  deliverOnce,
  type MailIdentity,
  type MailInHand,
  noteOf,
} from '../db/notifications/mails.ts';
import * as organizations from '../db/organization/organizations.ts';
import type { StoredAction } from '../db/table/entities/inspections.ts';
import type { OutboxTask } from '../db/table/entities/machinery.ts';
import type { ContactLinkTask } from '../db/table/tasks.ts';
import { type TaskDetails, taskFacts } from '../domain/contact-task.ts';
import { sentBackNote } from '../domain/corrective-actions.ts';
import { type MailReader, readerOf } from '../domain/mail/reader.ts';
import { shortName } from '../domain/notifications/text.ts';
import type { Language } from '../i18n/languages.ts';
import { fill } from '../i18n/plural.ts';
import { PAGE_TEXTS } from '../i18n/texts/pages.ts';
import { REPORT_TEXTS } from '../i18n/texts/report.ts';
import { preparePhoto } from '../reports/presentation/images.ts';
import { documentKey } from '../storage/documents.ts';
import { getObject } from '../storage/objects.ts';
import { compose, type InlineImage, LOGO_ID } from './compose.ts';
import type { MailPage } from './page.ts';
import { notePromise } from './promises.ts';
import { sendMail, logoOf, senderOf, stopUrl } from './send.ts';

const ENDED: DeliveredMail = {
  state: 'refused',
  detail: 'the link had ended, or the action was done, before it was sent',
};
const UNWANTED: DeliveredMail = { state: 'refused', detail: 'the address takes no mails' };
const NO_SENDER: DeliveredMail = { state: 'refused', detail: 'there is no address to send from' };

/** Photos in one mail, and the most pixels on a side of each: more than a phone shows. */
const MAX_PHOTOS = 4;
const MAX_SIDE = 800;

/** The first photos of what was found, drawn anew. A mail goes out without a photo that cannot be drawn. */
const photosOf = async (caller: Caller, { found }: TaskDetails): Promise<InlineImage[]> => {
  const photos: InlineImage[] = [];
  for (const { id } of await documentsOf(caller, found)) {
    if (photos.length === MAX_PHOTOS) break;
    const bytes = await getObject(caller, documentKey(caller, id));
    const photo = bytes && (await preparePhoto(Buffer.from(bytes), MAX_SIDE).catch(() => undefined));
    if (photo) photos.push({ id: `${id}@mail`, contentType: photo.mime, content: photo.data });
  }
  return photos;
};

const descriptionOf = ({ description }: Pick<StoredAction, 'description'>, language: Language) =>
  description === '' ? [] : [[REPORT_TEXTS[language].action, description] as const];

/** The content of the mail without its links, in the organization's language. */
const contentOf = (
  { action, expires_at }: ContactMail,
  details: TaskDetails,
  photos: readonly string[],
  organization: string,
  { texts, language, date }: MailReader,
): Pick<MailPage, 'subject' | 'paragraphs' | 'blocks' | 'hints' | 'reasons'> => {
  const { contactLink } = texts;
  const title = shortName(action.title);
  const text = sentBackNote(action);
  return {
    subject: fill(texts.subject, { name: organization, what: title }),
    paragraphs: [fill(contactLink.text, { organization })],
    blocks: [
      {
        title,
        url: null,
        status: null,
        facts: [...descriptionOf(action, language), ...taskFacts(language, action, details)],
        entries: [],
        photos,
        more: null,
        note: text === '' ? null : { label: PAGE_TEXTS[language].action.returned, text },
      },
    ],
    hints: [fill(contactLink.hint, { date: date(expires_at) })],
    reasons: [fill(contactLink.reason, { organization })],
  };
};

const send = async (
  caller: Caller,
  mail: ContactMail,
  { mailId, recipient }: MailIdentity,
  place: MailInHand['place'],
): Promise<DeliveredMail> => {
  const { contact, newToken } = mail;
  const organization = await organizations.get(caller);
  const from = senderOf(organization);
  if (!from) return NO_SENDER;
  if (!takesMailByHand(await standingOf(caller, contact.email))) return UNWANTED;
  const wait = await place(organization, 'to_others');
  if (wait) return wait;
  const reader = readerOf(organization);
  const details = await taskDetails(caller, mail.action, mail.inspection, organization);
  const [logo, token, stop, photos] = await Promise.all([
    logoOf(caller, organization),
    newToken(),
    stopUrl(caller, contact.email),
    photosOf(caller, details),
  ]);
  const message = await compose({
    from,
    to: [{ name: contact.name ?? '', address: contact.email }],
    replyTo: await confirmedReplyTo(caller, organization),
    page: {
      language: reader.language,
      organization: organization.name,
      logo: logo ? LOGO_ID : null,
      ...contentOf(
        mail,
        details,
        photos.map(({ id }) => id),
        organization.name,
        reader,
      ),
      action: { label: reader.texts.contactLink.open, url: publicUrl('c', token) },
      stop: { label: reader.texts.stop, url: stop },
    },
    logo,
    images: photos,
    requestId: currentRequest()?.requestId,
  });
  return sendMail(message, [contact.email], { org_id: caller.org_id, mail_id: mailId, recipient });
};

/**
 * Mails the contact of an action the link to it, and notes on the action what became of the mail. The mail is sent
 * once, however often the task is delivered. A link that has ended meanwhile is not sent.
 * @param row names the mail
 * @throws Error when the mail could not be sent; the next attempt sends it
 */
export const sendContactLink = async (
  caller: Caller,
  row: OutboxTask<'mail'>,
  task: ContactLinkTask,
): Promise<void> => {
  const identity = { mailId: row.id, recipient: task.action_id, task: row, about: [task] };
  const outcome = await deliverOnce(caller, identity, async ({ place }) => {
    const mail = await openContactMail(caller, task);
    return mail ? send(caller, mail, identity, place) : ENDED;
  });
  if (outcome) await notePromise(caller, task, (known, now) => noteOf(outcome, known, now));
};
