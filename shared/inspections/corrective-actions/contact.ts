import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { aliasOf } from '../../base/tenancy.ts';
import { fold } from '../../base/text.ts';
import { keptFrom } from '../../base/time.ts';
import type { TaskDetails } from '../../domain/contact-task.ts';
import { contactName, isActionOpen, linkObstacle } from '../../domain/corrective-actions.ts';
import type { MailNote } from '../../domain/mail/progress.ts';
import * as documents from '../../files/documents.ts';
import { type BroughtPhoto, photoWrites } from '../../files/documents.ts';
import { collectedMail } from '../../notices/waiting-mails.ts';
import { createLink } from '../../organizations/links/links.ts';
import { pathOf } from '../../places/locations/tree.ts';
import type { OutsideContact } from '../../schemas/contact.ts';
import type { CorrectiveAction } from '../../schemas/corrective-action.ts';
import type { Document } from '../../schemas/document.ts';
import { change, NOTHING, type Work } from '../../table/change.ts';
import { newResource } from '../../table/collection.ts';
import { both, type Condition, hasValues } from '../../table/conditions.ts';
import type {
  StoredAction,
  StoredAnswer,
  StoredContactLink,
  StoredFinding,
  StoredInspection,
  UnsentLink,
} from '../../table/entities/inspections.ts';
import type { LinkTargets, StoredOrganization } from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { getRow, getRows, queryRows } from '../../table/rows.ts';
import type { ContactLinkTask } from '../../table/tasks.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { contentOf } from '../../templates/content.ts';
import { actionKey, type NewActivity, newContactLink } from '../rows/corrective-action-records.ts';
import { inspectionRecords } from '../rows/inspection-records.ts';
import { editAction, expectOpen, replyWithAction, takeStep } from './edit.ts';

/**
 * Mails the contact a new link to the action. The former one ends at once.
 * @throws ApiError 404; 409 for another version, an action that is not open or in progress, a contact without an email
 *   address, or an archived inspection
 */
export const sendContactLink = (
  caller: Caller,
  id: string,
  expectedVersion?: number,
): Promise<CorrectiveAction> =>
  editAction(caller, id, expectedVersion, {
    also: [],
    decide: (current, work) => {
      const obstacle = linkObstacle(current);
      if (obstacle) throw errors.correctiveActionStatus(current.status, obstacle);
      const { link, mails } = newContactLink(work, current);
      return {
        next: { ...current, contact_link: link },
        activities: [{ kind: 'contact_link_requested', to: current.contact!.email }],
        writes: mails,
        reply: replyWithAction,
      };
    },
  });

/** What the mail with a link says. */
export interface ContactMail {
  contact: OutsideContact & { email: string };
  action: StoredAction;
  inspection: StoredInspection;
  expires_at: string;
  /** Makes the link of one attempt to send the mail. */
  newToken: () => Promise<string>;
}

/** The mail of a task; undefined when the link has ended meanwhile. One call. */
export const openContactMail = async (
  caller: Caller,
  { inspection_id, action_id, link_id }: ContactLinkTask,
): Promise<ContactMail | undefined> => {
  const [action, inspection] = await getRows(caller, [
    actionKey(caller, { inspection_id, id: action_id }),
    inspectionRecords.key(caller, inspection_id),
  ]);
  const link = action?.contact_link;
  const email = action?.contact?.email;
  if (!inspection || !email || link?.id !== link_id || linkObstacle(action)) return undefined;
  const { expires_at } = link;
  return {
    contact: { ...action.contact!, email },
    action,
    inspection,
    expires_at,
    newToken: () =>
      createLink(caller, 'action', { inspection_id, action_id, link_id }, Date.parse(expires_at)),
  };
};

/** Links in one mail. */
const MAX_LINKS_PER_MAIL = 40;

/** The recipient under which the mail of a link is known. */
export const LINK_RECIPIENT = 'contact';

/**
 * The links that the mail of a task tells of: its own, and those to the same address that nobody has taken. The writes
 * take them: their own tasks have nothing to do then.
 * @param now ISO 8601
 */
export const takeLinks = async (
  caller: Caller,
  task: ContactLinkTask,
  now: string,
): Promise<{ about: ContactLinkTask[]; writes: Write[] }> => {
  const { inspection_id, action_id, link_id } = task;
  const action = await getRow(caller, actionKey(caller, { inspection_id, id: action_id }));
  const email = action?.contact_link?.id === link_id ? action.contact?.email : undefined;
  if (!email) return { about: [task], writes: [] };
  const unsent: UnsentLink[] = [];
  for await (const row of queryRows(caller, { partition: keys.unsentLink.partition(caller, fold(email)) })) {
    if (row.link_id !== link_id && unsent.push(row) === MAX_LINKS_PER_MAIL - 1) break;
  }
  const mails = await getRows(
    caller,
    unsent.map((row) => keys.mail(caller, row.link_id, LINK_RECIPIENT)),
  );
  const free = unsent.filter((_, position) => !mails[position]);
  const drop = (id: string) => write.drop(keys.unsentLink(caller, fold(email), id));
  return {
    about: [
      task,
      ...free.map((row) => ({
        what: 'contact_link' as const,
        inspection_id: row.inspection_id,
        action_id: row.action_id,
        link_id: row.link_id,
      })),
    ],
    writes: [
      drop(link_id),
      ...free.flatMap((row) => [
        collectedMail(keys.mail(caller, row.link_id, LINK_RECIPIENT), now),
        drop(row.link_id),
      ]),
    ],
  };
};

/** The action still has this link. */
const hasLink = (linkId: string): Condition => ({
  ConditionExpression: '#link.#id = :link_id',
  ExpressionAttributeNames: { '#link': 'contact_link', '#id': 'id' },
  ExpressionAttributeValues: { ':link_id': linkId },
});

/**
 * Notes what became of the mail with a link. It is no change of the action, whose version stays. Nobody needs to know
 * about the mail of a link that has ended.
 * @param decide the note after the one that stands there; undefined leaves it
 */
export const noteMail = (
  caller: Caller,
  { inspection_id, action_id, link_id }: LinkTargets['action'],
  decide: (known: MailNote | undefined, now: string) => MailNote | undefined,
): Promise<void> =>
  change(caller, async (work) => {
    const key = actionKey(work, { inspection_id, id: action_id });
    const action = await getRow(work, key);
    if (action?.contact_link?.id !== link_id) return NOTHING;
    const { contact_link_mailed } = action;
    const known = contact_link_mailed?.link_id === link_id ? contact_link_mailed : undefined;
    const note = decide(known, work.now);
    if (!note) return NOTHING;
    const isAsRead = both(hasLink(link_id), hasValues({ contact_link_mailed }));
    return {
      writes: [write.update(key, { set: { contact_link_mailed: { ...note, link_id } } }, isAsRead)],
      reply: undefined,
    };
  });

/**
 * Notes that the page of a link was opened. It is no change of the action either.
 * @throws ApiError 404 for a link that has ended meanwhile
 */
export const noteOpened = (
  caller: Caller,
  { inspection_id, action_id, link_id }: LinkTargets['action'],
): Promise<void> =>
  change(caller, ({ now: at }) => ({
    writes: [
      write.update(
        actionKey(caller, { inspection_id, id: action_id }),
        { set: { contact_link_opened: { link_id, at } } },
        hasLink(link_id),
        () => errors.notFound('link'),
      ),
    ],
    reply: undefined,
  }));

/** How long a form that was sent is remembered, in seconds: 30 days. */
const KEPT_SECONDS = 30 * 86_400;

/** What a contact's link opens. */
export interface OpenedAction {
  action: StoredAction;
  inspection: StoredInspection;
  organization: StoredOrganization;
  link: StoredContactLink;
  /** Whether nothing more can be done: the action is verified or cancelled, or its inspection is archived. */
  isClosed: boolean;
  /** Whether this form was sent before. */
  isSent: boolean;
}

/** The link that an action names; undefined for a former one, or one that has ended. */
const currentLink = (
  action: Pick<StoredAction, 'contact_link'> | undefined,
  linkId: string,
  now: string,
): StoredContactLink | undefined => {
  const link = action?.contact_link;
  return link?.id === linkId && link.expires_at > now ? link : undefined;
};

/**
 * Reads what the page of a contact's link shows. One call.
 * @param nonce of the form that was sent
 * @throws ApiError 404 for a link that does not work, whatever the reason
 */
export const openContactLink = async (
  caller: Caller,
  { inspection_id, action_id, link_id }: LinkTargets['action'],
  nonce?: string,
): Promise<OpenedAction> => {
  const [action, inspection, organization, sent] = await getRows(caller, [
    actionKey(caller, { inspection_id, id: action_id }),
    inspectionRecords.key(caller, inspection_id),
    keys.organization(caller),
    nonce === undefined ? undefined : keys.contactForm(caller, action_id, nonce),
  ]);
  const link = currentLink(action, link_id, new Date().toISOString());
  if (!action || !inspection || !organization || !link) throw errors.notFound('link');
  const isClosed = !isActionOpen(action.status) || inspection.status === 'archived';
  return { action, inspection, organization, link, isClosed, isSent: sent !== undefined };
};

/** Photos of what was found that a contact sees. */
const MAX_FOUND = 20;

type OfFinding = Pick<StoredAction, 'id' | 'inspection_id' | 'finding_id'>;

/** What was found, with the answer that tells of it. Two calls. */
const findingOf = async (
  caller: Caller,
  { inspection_id, finding_id }: OfFinding,
): Promise<{ finding: StoredFinding | undefined; answer: StoredAnswer | undefined }> => {
  const finding = await getRow(caller, keys.child(caller, inspection_id, 'FINDING', finding_id));
  const field = finding?.field_id;
  const answer = field
    ? await getRow(caller, keys.answer(caller, inspection_id, field, finding.instance_path))
    : undefined;
  return { finding, answer };
};

/** The ids of the documents that show what was found, those that were added to the action first. */
const foundIds = async (
  caller: Caller,
  actionId: string,
  { finding, answer }: Awaited<ReturnType<typeof findingOf>>,
): Promise<string[]> => {
  const ids = new Set<string>();
  const attachments = queryRows(caller, {
    ...keys.parts(caller, 'ACTION', actionId, 'ATTACHMENT'),
    where: { stage: ['before'] },
  });
  for await (const { document_id } of attachments) {
    if (ids.add(document_id).size === MAX_FOUND) break;
  }
  for (const { document_id } of [...(finding?.content.media ?? []), ...(answer?.media ?? [])]) {
    ids.add(document_id);
  }
  return [...ids].slice(0, MAX_FOUND);
};

/** Reads what a contact sees. About eight calls. */
export const taskDetails = async (
  caller: Caller,
  action: StoredAction,
  { location_id, template_id, content_hash }: StoredInspection,
  organization: Pick<StoredOrganization, 'timezone'>,
): Promise<TaskDetails> => {
  const placeId = action.location_id ?? location_id;
  const [[location, asker], told] = await Promise.all([
    getRows(caller, [
      placeId === null ? undefined : keys.one(caller, 'LOCATION', placeId),
      keys.one(caller, 'MEMBER', action.created_by),
    ]),
    findingOf(caller, action),
  ]);
  const { finding, answer } = told;
  const then = action.names_then?.location;
  const [place, content, found] = await Promise.all([
    then ? [...then.path, then.name] : location ? pathOf(caller, location) : [],
    finding?.field_id ? contentOf(caller, template_id, content_hash) : undefined,
    foundIds(caller, action.id, told),
  ]);
  const { label = '', severity = 'minor', content: said } = finding ?? {};
  return {
    place,
    timezone: location?.timezone ?? organization.timezone,
    question: content?.fields.get(finding!.field_id!)?.field.label ?? null,
    finding: { label, severity, description: said?.description ?? '' },
    note: answer?.note ?? '',
    asker: asker && asker.role !== 'api' ? asker.name : null,
    found,
  };
};

/**
 * A photo that the page of a contact's link shows.
 * @param alias of its document
 * @throws ApiError 404 for a link that does not work, an action on which nothing is to be done, or another document
 */
export const foundPhoto = async (
  caller: Caller,
  target: LinkTargets['action'],
  alias: string,
): Promise<Document> => {
  const { action, isClosed } = await openContactLink(caller, target);
  const shown = isClosed ? [] : await foundIds(caller, action.id, await findingOf(caller, action));
  const id = shown.find((each) => aliasOf(caller, each) === alias);
  const [photo] = id === undefined ? [] : await documents.getMany(caller, [id]);
  if (!photo) throw errors.notFound('photo');
  return photo;
};

/** These documents, in their order, as far as they exist. */
export const documentsOf = async (caller: Caller, ids: readonly string[]): Promise<Document[]> =>
  ids.length === 0 ? [] : (await documents.getMany(caller, ids)).filter((document) => document !== undefined);

/** A form of a contact's page. */
interface ContactSubmission {
  /** Identifies the form, so that a form that is sent twice counts once. */
  nonce: string;
  note: string;
  /** Whether the contact says that the action is done. */
  isDone: boolean;
  /** Evidence, whose files are stored already. */
  photos: readonly BroughtPhoto[];
}

/** Completes an action whose contact says that it is done. One that nobody has started is started as well. */
const completion = (work: Work, current: StoredAction, note: string) => {
  if (current.status !== 'open') return takeStep(work, 'complete', current, note);
  const started = takeStep(work, 'start', current, '');
  const completed = takeStep(work, 'complete', started.next, note);
  return { next: completed.next, activities: [...started.activities, ...completed.activities] };
};

/**
 * Takes the form of an action's contact: photos as evidence, a note, and whether the action is done. It is one
 * transaction. A form counts once, however often it is sent. The history names the contact, who is no user.
 * @param caller the link's visitor
 * @throws ApiError 404 for a link that does not work (any more); 409 for missing evidence, a closed action, the
 *   completion of a completed one, or an archived inspection
 */
export const takeContactForm = (
  caller: Caller,
  { action_id, link_id }: LinkTargets['action'],
  { nonce, note, isDone, photos }: ContactSubmission,
): Promise<void> => {
  const sentKey = keys.contactForm(caller, action_id, nonce);
  return editAction(caller, action_id, undefined, {
    also: [sentKey],
    decide: (action, work, [sent]) => {
      if (sent) return { next: action, activities: [], reply: () => undefined };
      if (!currentLink(action, link_id, work.now)) throw errors.notFound('link');
      expectOpen(action);
      const contact_name = contactName(action.contact) ?? '';
      const contact = { ...work, name: contact_name };
      const current = { ...action, evidence_count: action.evidence_count + photos.length };
      const told: NewActivity[] = note === '' ? [] : [{ kind: 'commented', note }];
      const { next, activities } = isDone
        ? completion(work, current, note)
        : { next: current, activities: told };
      const attachments = photos.map(({ id: document_id }) => {
        const { version: _, ...attachment } = newResource(work, {
          document_id,
          stage: 'after' as const,
          caption: '',
          added_by: null,
        });
        return attachment;
      });
      return {
        next,
        activities: [
          ...attachments.map(({ document_id }) => ({ kind: 'attachment_added' as const, to: document_id })),
          ...activities,
        ].map((each) => ({ ...each, contact_name })),
        writes: [
          ...attachments.map((attachment) =>
            write.create({ ...keys.attachment(work, action_id, attachment.id), ...attachment }),
          ),
          ...photoWrites(contact, photos),
          write.create({ ...sentKey, ttl: keptFrom(work.now, KEPT_SECONDS) }),
        ],
        reply: () => undefined,
      };
    },
  });
};
