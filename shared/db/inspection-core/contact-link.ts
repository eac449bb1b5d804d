import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { timeAfter } from '../../base/time.ts';
import { linkAfter } from '../../domain/corrective-actions.ts';
import type { ContactLink } from '../../schemas/corrective-action.ts';
import type { Work } from '../table/change.ts';
import type { StoredAction, StoredContactLink } from '../table/entities.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import type { Write } from '../table/writes.ts';

/** How long the link that a contact is mailed works, in milliseconds: 90 days. */
const LINK_MS = 90 * 86_400_000;

/** Random bytes of the secret that signs the forms of a link. */
const SECRET_BYTES = 32;

/**
 * A new link for the contact of an action, and its mail. The action names the link, so the former one ends with this
 * change. The mail worker makes the token, so that none is stored.
 */
export const newContactLink = (
  work: Work,
  { id: action_id, inspection_id }: Pick<StoredAction, 'id' | 'inspection_id'>,
): { link: StoredContactLink; mail: Write } => {
  const link = {
    id: uuidv7(),
    requested_at: work.now,
    expires_at: timeAfter(work.now, LINK_MS),
    form_secret: randomBytes(SECRET_BYTES).toString('base64url'),
  };
  const mail = enqueue(work, 'mail', { what: 'contact_link', inspection_id, action_id, link_id: link.id });
  return { link, mail };
};

/** An action after a change, with the link that its contact has then, and the mail with a new one. */
export const withContactLink = (
  work: Work,
  before: StoredAction | undefined,
  after: StoredAction,
): { action: StoredAction; mails: Write[] } => {
  const outcome = linkAfter(before && withContact(before), withContact(after));
  if (outcome === 'same') return { action: after, mails: [] };
  if (outcome === 'none') return { action: { ...after, contact_link: null }, mails: [] };
  const { link, mail } = newContactLink(work, after);
  return { action: { ...after, contact_link: link }, mails: [mail] };
};

/** An action with the fields about its contact, which older ones lack. */
export const withContact = (action: StoredAction) => ({
  ...action,
  contact: action.contact ?? null,
  contact_link: action.contact_link ?? null,
  completed_by_contact: action.completed_by_contact ?? false,
});

/** What clients see of the link that the contact has. */
export const shownLink = ({
  contact_link: link,
  contact_link_mailed: mailed,
  contact_link_opened: opened,
}: Pick<
  StoredAction,
  'contact_link' | 'contact_link_mailed' | 'contact_link_opened'
>): ContactLink | null => {
  if (!link) return null;
  const { id, requested_at, expires_at } = link;
  const mail = mailed?.link_id === id ? mailed : undefined;
  return {
    requested_at,
    sent_at: mail?.error === null ? mail.at : null,
    error: mail?.error ?? null,
    last_opened_at: opened?.link_id === id ? opened.at : null,
    expires_at,
  };
};
