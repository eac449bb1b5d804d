import type { Work } from '../../table/change.ts';
import { nextVersion } from '../../table/collection.ts';
import type { StoredFamily } from '../../table/entities.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { familyRecords } from '../families/record.ts';

/** Sets the family's default layout. The write fails when the family has changed since it was read. */
export const setDefault = (
  work: Work,
  family: StoredFamily,
  layoutId: string | null,
): { family: StoredFamily; write: Write } => {
  const key = familyRecords.key(work, family.id);
  const { settings, version } = family;
  if (settings.default_layout_id === layoutId) return { family, write: write.check(key, undefined, version) };
  const next = nextVersion(work, family, { settings: { ...settings, default_layout_id: layoutId } });
  return { family: next, write: write.replace({ ...next, ...key }, version) };
};

/**
 * The family's next `default_layout_id`.
 * @param isDefault whether the request makes the layout the default, or no longer; undefined leaves the default as it is
 */
export const nextDefault = (
  { settings: { default_layout_id } }: StoredFamily,
  layoutId: string,
  isDefault: boolean | undefined,
): string | null => {
  if (isDefault) return layoutId;
  return isDefault === false && default_layout_id === layoutId ? null : default_layout_id;
};
