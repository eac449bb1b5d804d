import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { keptFrom } from '../../base/time.ts';
import { contactName, isActionOpen } from '../../domain/corrective-actions.ts';
import type { Document } from '../../schemas/document.ts';
import * as documents from '../documents/documents.ts';
import { type BroughtPhoto, photoWrites } from '../documents/documents.ts';
import { actionKey, type NewActivity } from '../inspection-core/corrective-action-record.ts';
import { inspectionRecords } from '../inspection-core/record.ts';
import type { Work } from '../table/change.ts';
import { newResource } from '../table/collection.ts';
import type {
  LinkTargets,
  StoredAction,
  StoredContactLink,
  StoredInspection,
  StoredOrganization,
} from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { getRows, queryRows } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { editAction, expectOpen, takeStep } from './edit.ts';

/** How long a form that was sent is remembered, in seconds: 30 days. */
const KEPT_SECONDS = 30 * 86_400;

/** What the link of a contact leads to. */
export interface OpenedAction {
  action: StoredAction;
  inspection: StoredInspection;
  organization: StoredOrganization;
  link: StoredContactLink;
  /** Whether there is nothing more to do: it is verified or cancelled, or its inspection is archived. */
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
 * What the page of a contact's link shows. One call.
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

/** The photos that show what was found, in the order in which they were added. Two calls for each page of attachments. */
export const photosBefore = async (caller: Caller, actionId: string, most: number): Promise<Document[]> => {
  const ids: string[] = [];
  const attachments = queryRows(caller, {
    ...keys.parts(caller, 'ACTION', actionId, 'ATTACHMENT'),
    where: { stage: ['before'] },
  });
  for await (const { document_id } of attachments) {
    if (ids.push(document_id) === most) break;
  }
  const found = ids.length > 0 ? await documents.getMany(caller, ids) : [];
  return found.filter((document) => document !== undefined);
};

/** A form of a contact's page. */
export interface ContactSubmission {
  /** Identifies the form. What is sent twice is taken once. */
  nonce: string;
  note: string;
  /** Whether the contact says that the action is done. */
  isDone: boolean;
  /** Evidence, whose files are stored already. */
  photos: readonly BroughtPhoto[];
}

/** The contact says that the work is done, which starts an action that nobody has started. */
const completion = (work: Work, current: StoredAction, note: string) => {
  if (current.status !== 'open') return takeStep(work, 'complete', current, note);
  const started = takeStep(work, 'start', current, '');
  const completed = takeStep(work, 'complete', started.next, note);
  return { next: completed.next, activities: [...started.activities, ...completed.activities] };
};

/**
 * Takes what the contact of an action sends: photos as evidence, a note, and that it is done. It is one transaction,
 * and a form counts once, however often and however concurrently it is sent. The history names the contact, who is no
 * user.
 * @param caller the link's visitor
 * @throws ApiError 404 for a link that does not work (any more); 409 for evidence that is missing, a closed action, a
 *   completed one that is to be completed, or an archived inspection
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
