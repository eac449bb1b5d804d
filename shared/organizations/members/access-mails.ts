import { isKey, isPerson } from '../../base/caller.ts';
import type { Work } from '../../table/change.ts';
import type { StoredMember } from '../../table/entities/organization.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import type { AccessTask } from '../../table/tasks.ts';
import type { Write } from '../../table/writes.ts';

export type { AccessEvent } from '../../domain/mail/access.ts';

/**
 * Tells the people concerned that the owner or an admin changes, whatever their notification settings, and whoever has
 * made the change: whoever took over a session could otherwise hide it.
 * @param people who is told; each once, and nobody for a member who is not there
 */
export const accessMails = (
  work: Work,
  about: Pick<AccessTask, 'event' | 'member' | 'former' | 'until'>,
  people: readonly (StoredMember | undefined)[],
): Write[] => {
  const actor = isPerson(work) || isKey(work) ? work.name : null;
  const told = new Map(people.flatMap((each) => (each ? [[each.user_id, each] as const] : [])));
  return [...told.values()].map(({ user_id, name, email, locale = null, timezone = null }) =>
    enqueue(work, 'mail', {
      what: 'access',
      ...about,
      to: { user_id, name, email, locale, timezone },
      actor,
    }),
  );
};
