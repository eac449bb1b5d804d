import { ApiError } from '../../base/api-error.ts';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { linkObstacle } from '../../domain/corrective-actions.ts';
import type { OutsideContact } from '../../schemas/contact.ts';
import type { CorrectiveAction } from '../../schemas/corrective-action.ts';
import { actionKey, newContactLink, withContact } from '../inspection-core/corrective-action-record.ts';
import { inspectionRecords } from '../inspection-core/inspection-record.ts';
import { createLink } from '../links/links.ts';
import { change } from '../table/change.ts';
import type { Condition } from '../table/conditions.ts';
import type { LinkTargets, StoredAction, StoredInspection } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { getRows } from '../table/rows.ts';
import type { ContactLinkTask } from '../table/tasks.ts';
import * as write from '../table/writes.ts';
import { editAction, replyWithAction } from './edit.ts';

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
      const obstacle = linkObstacle(withContact(current));
      if (obstacle) throw errors.correctiveActionStatus(current.status, obstacle);
      const { link, mail } = newContactLink(work, current);
      return {
        next: { ...current, contact_link: link },
        activities: [{ kind: 'contact_link_requested', to: current.contact!.email }],
        writes: [mail],
        reply: replyWithAction,
      };
    },
  });

/** What the mail with a link says. */
export interface ContactMail {
  contact: OutsideContact & { email: string };
  action: StoredAction;
  location: string | null;
  expires_at: string;
  /** Makes the link of one attempt to send the mail. */
  newToken: () => Promise<string>;
}

/** The name of an inspection's location; null without one. One call, if it has one. */
export const locationName = async (
  caller: Caller,
  { location_id }: Pick<StoredInspection, 'location_id'>,
): Promise<string | null> => {
  const [location] = location_id ? await getRows(caller, [keys.one(caller, 'LOCATION', location_id)]) : [];
  return location?.name ?? null;
};

/** What a task mails; undefined when the link has ended meanwhile. Two calls. */
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
  if (!inspection || !email || link?.id !== link_id || linkObstacle(withContact(action))) return undefined;
  const { expires_at } = link;
  return {
    contact: { ...action.contact!, email },
    action,
    location: await locationName(caller, inspection),
    expires_at,
    newToken: () =>
      createLink(caller, 'action', { inspection_id, action_id, link_id }, Date.parse(expires_at)),
  };
};

/** The action still has this link. */
const hasLink = (linkId: string): Condition => ({
  ConditionExpression: '#link.#id = :link_id',
  ExpressionAttributeNames: { '#link': 'contact_link', '#id': 'id' },
  ExpressionAttributeValues: { ':link_id': linkId },
});

/**
 * Writes something about the link of an action in place: it is no change of the action.
 * @param told what to write, given the time
 * @throws ApiError 404 when the action has another link by now, or was deleted
 */
const note = (
  caller: Caller,
  { inspection_id, action_id, link_id }: LinkTargets['action'],
  told: (at: string) => Pick<StoredAction, 'contact_link_mailed' | 'contact_link_opened'>,
): Promise<void> =>
  change(caller, ({ now }) => ({
    writes: [
      write.update(
        actionKey(caller, { inspection_id, id: action_id }),
        { set: { ...told(now) } },
        hasLink(link_id),
        () => errors.notFound('link'),
      ),
    ],
    reply: undefined,
  }));

/** Notes that the mail with a link was sent, or why it was not. @param error null when it was sent */
export const noteMailed = async (
  caller: Caller,
  target: LinkTargets['action'],
  error: string | null,
): Promise<void> => {
  const { link_id } = target;
  try {
    await note(caller, target, (at) => ({ contact_link_mailed: { link_id, at, error } }));
  } catch (failure) {
    // Nobody asks for the mail of a link that has ended.
    if (!(failure instanceof ApiError)) throw failure;
  }
};

/** Notes that the page of a link was opened. @throws ApiError 404 for a link that has ended meanwhile */
export const noteOpened = (caller: Caller, target: LinkTargets['action']): Promise<void> =>
  note(caller, target, (at) => ({ contact_link_opened: { link_id: target.link_id, at } }));
