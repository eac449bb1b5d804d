import { audienceNeeded } from '../../domain/notifications/notices.ts';
import { audienceOf, notify } from '../notifications/notify.ts';
import type { Work } from '../table/change.ts';
import type { StoredInspection } from '../table/entities.ts';
import type { Write } from '../table/writes.ts';

/**
 * The notifications about a change of an inspection, for the transaction of that change. A completion takes one more
 * call: the template family names further people to notify.
 * @param before undefined for a new inspection
 */
export const notices = async (
  work: Work,
  before: StoredInspection | undefined,
  inspection: StoredInspection,
): Promise<Write[]> => {
  const facts = { inspection, before };
  const needed = audienceNeeded('inspectionChanged', facts);
  const audience = await audienceOf(work, inspection.template_family_id, needed);
  return notify(work, 'inspectionChanged', facts, audience);
};
