import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import type { Snapshot, Template, TemplateVersion } from '../../../schemas/templates/template.ts';
import type { StoredTemplate } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../../table/listing.ts';
import { retrying } from '../../table/retry.ts';
import { getRows, queryRows, type Row } from '../../table/rows.ts';
import { familyRecords } from '../families/record.ts';
import { readVersion, toTemplate, toVersion, versionRecords } from './record.ts';
import { changedSources } from './synced-lists.ts';

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Template> => {
  const { version, content } = await retrying('The database', () => readVersion(caller, id));
  return toTemplate(version, content);
};

/** The same, and which of the lists that it has options from have changed since. @throws ApiError 404 */
export const getWithChanges = (caller: Caller, id: string): Promise<Template> =>
  retrying('The database', async () => {
    const { version, content } = await readVersion(caller, id);
    const changed = version.options_taken_at === null ? undefined : await changedSources(caller, version);
    return { ...toTemplate(version, content), ...(changed && { changed_source_ids: changed }) };
  });

/** The content of a version as inspections use it. @throws ApiError 404; 409 for a draft, which no inspection uses */
export const snapshot = async (caller: Caller, id: string): Promise<Snapshot> => {
  const { version, content } = await retrying('The database', () =>
    readVersion(caller, id, ({ status }) => {
      if (status === 'draft') throw errors.draftHasNoSnapshot();
    }),
  );
  return { template_id: id, content, content_hash: version.content_hash };
};

/** The rows of a family's versions, the oldest first, after the version `after`. @throws ApiError 404 */
const versionRows = async function* (
  caller: Caller,
  familyId: string,
  after: string | undefined,
  updatedSince: string | undefined,
): AsyncGenerator<Row<StoredTemplate>> {
  const places = await Array.fromAsync(
    queryRows(caller, {
      ...keys.parts(caller, 'FAMILY', familyId, 'VERSION'),
      after: after && keys.familyVersion(caller, familyId, after).sk,
    }),
  );
  const [family, ...rows] = await getRows(caller, [
    familyRecords.key(caller, familyId),
    ...places.map(({ template_id }) => versionRecords.key(caller, template_id)),
  ]);
  if (!family) throw errors.notFound(familyRecords.noun);
  for (const row of rows) if (row && (!updatedSince || row.updated_at >= updatedSince)) yield row;
};

/** A family's versions without their contents, the oldest first. @throws ApiError 404 */
export const list = async (
  caller: Caller,
  familyId: string,
  query: ListQuery,
): Promise<Listing<TemplateVersion>> => {
  const filters = { ...query, family_id: familyId };
  const after = readCursor(caller, 'VERSION', filters);
  return listing(
    caller,
    'VERSION',
    filters,
    versionRows(caller, familyId, after, query.updated_since),
    ({ id }) => id,
    toVersion,
  );
};
