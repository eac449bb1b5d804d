import * as errors from '../../../base/errors.ts';
import { present, type Presented } from '../../../schemas/projection.ts';
import { Family } from '../../../schemas/templates/family.ts';
import type { Work } from '../../table/change.ts';
import { collection } from '../../table/collection.ts';
import type { CurrentVersion, StoredFamily } from '../../table/entities.ts';
import { emit } from '../../table/outbox/outbox.ts';
import type { Write } from '../../table/writes.ts';

export const familyRecords = collection('FAMILY', 'template family');

export const statusOf = ({ archived_at, current }: StoredFamily): Family['status'] => {
  if (archived_at !== null) return 'archived';
  return current ? 'published' : 'draft';
};

/** A family as it is sent to clients. */
export const toFamily = (family: StoredFamily): Presented<Family> =>
  present(Family, family, {
    status: statusOf(family),
    current_version_id: family.current?.template_id ?? null,
  });

/** The event of a change of a family. */
export const familyEvent = (
  work: Work,
  what: 'created' | 'updated' | 'deleted',
  family: StoredFamily,
): Write => emit(work, `template.${what}`, toFamily(family));

/**
 * The version that a new inspection of the family uses.
 * @throws ApiError 409 unless the family is published and not archived
 */
export const initiableVersion = (family: StoredFamily): CurrentVersion => {
  const { current } = family;
  const status = statusOf(family);
  if (status !== 'published' || !current) throw errors.familyStatus(status, 'published');
  return current;
};
