import { isDeepStrictEqual } from 'node:util';
import * as errors from '../../base/errors.ts';
import type { Synced } from './entities.ts';

const valueAt = (resource: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], resource);

/**
 * Keeps the fields of a synced resource that its source fills: the next sync would overwrite them, or never set them
 * right again. All other fields are free.
 * @throws ApiError 409 naming the fields
 */
export const expectSyncedFieldsKept = <Resource extends Partial<Pick<Synced, 'synced_fields'>>>(
  noun: string,
  current: Resource,
  next: Resource,
): void => {
  const changed = (current.synced_fields ?? []).filter(
    (path) => !isDeepStrictEqual(valueAt(current, path), valueAt(next, path)),
  );
  if (changed.length > 0) throw errors.fieldsSynced(noun, changed);
};
