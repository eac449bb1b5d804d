import type { Caller } from '../../../base/caller.ts';
import * as documents from '../../documents/documents.ts';
import { change, type Work } from '../../table/change.ts';
import { expectVersion } from '../../table/collection.ts';
import { isAbsent } from '../../table/conditions.ts';
import type { LayoutNames, StoredLayout, VersionPlace } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import { isPart, queryRows, type Row, withoutKeys } from '../../table/rows.ts';
import { close } from '../../table/usage.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { versionRecords } from '../versions/record.ts';
import { familyRecords, familyEvent } from './record.ts';

/** Versions that one transaction deletes with their contents. These may be near the 4 MB of a transaction. */
const MAX_VERSIONS_WITH_CONTENT = 10;

/** Versions whose own rows one transaction deletes. */
const MAX_VERSIONS = 60;

/** The newest versions of a family, as many as one transaction deletes, and its layouts with their names. */
const readParts = async (caller: Caller, familyId: string) => {
  const places: Row<VersionPlace>[] = [];
  const layouts: (Row<StoredLayout> | Row<LayoutNames>)[] = [];
  const partition = keys.below(caller, 'FAMILY', familyId);
  for await (const row of queryRows(caller, { partition, newestFirst: true })) {
    if (isPart(row, 'LAYOUT') || isPart(row, 'LAYOUTS')) layouts.push(row);
    else if (isPart(row, 'VERSION') && places.push(row) === MAX_VERSIONS) break;
  }
  return { places, layouts };
};

/**
 * Deletes what belongs to a family. Where there are few versions: these with their contents, and the layouts. Where
 * there are many: the own rows of as many versions as possible, so that they are no longer found, and the contents of
 * the newest ones.
 * @returns the writes, whether they delete everything, and whether the family has layouts
 */
const partDeletions = async (
  work: Work,
  familyId: string,
): Promise<{ writes: Write[]; isAll: boolean; hasLayouts: boolean }> => {
  const { places, layouts } = await readParts(work, familyId);
  const isAll = places.length <= MAX_VERSIONS_WITH_CONTENT;
  const deletedLayouts = isAll ? layouts : [];
  return {
    isAll,
    hasLayouts: layouts.length > 0,
    writes: [
      ...places.map(({ template_id }) => write.drop(versionRecords.key(work, template_id))),
      // A version's place is deleted with its content, because the place is how the content is found.
      ...places
        .slice(0, MAX_VERSIONS_WITH_CONTENT)
        .flatMap(({ pk, sk, template_id }) => [
          write.drop({ pk, sk }),
          write.drop(keys.content(work, template_id)),
        ]),
      ...deletedLayouts.map(({ pk, sk, version }) => write.remove({ pk, sk }, version)),
      ...documents.useEach(
        work,
        deletedLayouts.flatMap((row) => (isPart(row, 'LAYOUT') ? (row.theme.logo ?? []) : [])),
        -1,
        'theme.logo',
      ),
    ],
  };
};

/**
 * Deletes a family and its newest versions. A worker deletes what does not fit into the transaction.
 * @throws ApiError 404; 409 for another version, or while inspections or schedules use the family
 */
export const deleteFamily = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async (work) => {
    const family = withoutKeys(await familyRecords.get(work, id));
    expectVersion(familyRecords.noun, family, expectedVersion);
    const { writes, isAll, hasLayouts } = await partDeletions(work, id);
    return {
      writes: [
        write.remove(familyRecords.key(work, id), family.version),
        ...close(
          work,
          'FAMILY',
          id,
          ['inspections', 'schedules'],
          'The template family has inspections or schedules. Archive it instead',
        ),
        ...writes,
        // No worker follows, so the change must fail when a first layout was created after the rows were read.
        ...(isAll && !hasLayouts ? [write.check(keys.layoutNames(work, id), undefined, isAbsent)] : []),
        familyEvent(work, 'deleted', family),
        ...(isAll ? [] : [enqueue(work, 'cleanup', { template_family_id: id })]),
      ],
      reply: null,
    };
  });

/** Deletes some of what belonged to a deleted family. The reply is whether there may be more. */
export const deleteSomeOfFamily = (caller: Caller, id: string): Promise<boolean> =>
  change(caller, async (work) => {
    const { writes, isAll } = await partDeletions(work, id);
    return { writes, reply: !isAll };
  });
