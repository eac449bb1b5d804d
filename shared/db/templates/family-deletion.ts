import type { Caller } from '../../base/caller.ts';
import * as documents from '../documents/documents.ts';
import { change } from '../table/change.ts';
import { expectVersion } from '../table/collection.ts';
import { isAbsent } from '../table/conditions.ts';
import { keys } from '../table/keys.ts';
import { enqueue } from '../table/outbox.ts';
import { queryRows, type Row } from '../table/rows.ts';
import { close } from '../table/usage.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { versions } from './drafts.ts';
import * as families from './families.ts';
import type { LayoutNames, StoredLayout } from './report-layouts.ts';

/** Versions of which one transaction takes everything: their contents may come near to its 4 MB. */
const MOST_WHOLE = 10;
/** Versions that one transaction takes out of reach, whatever else it takes with it. */
const MOST_VERSIONS = 60;

/** The place of a version, a layout, or the names of these. */
type Below = Row<{ template_id: string } | StoredLayout | LayoutNames>;

type Place = Row<{ template_id: string }>;

const isPlace = (row: Below): row is Place => 'template_id' in row;

/** What stands below a family, its newest versions first; of these so many at most. */
const newestBelow = async (caller: Caller, familyId: string) => {
  const places: Place[] = [];
  const others: Exclude<Below, Place>[] = [];
  const partition = keys.below(caller, 'FAMILY', familyId);
  for await (const row of queryRows<Below>(caller, { partition, newestFirst: true })) {
    if (!isPlace(row)) others.push(row);
    else if (places.push(row) === MOST_VERSIONS) break;
  }
  return { places, others };
};

/**
 * The end of what belongs to a family: of its layouts and a few versions, or, where there are more, of many
 * versions' own rows, so that none of them is found, and of the newest few with all they have.
 */
const ending = async (
  caller: Caller,
  familyId: string,
): Promise<{ writes: Write[]; isAll: boolean; hadLayouts: boolean }> => {
  const { places, others } = await newestBelow(caller, familyId);
  const isAll = places.length <= MOST_WHOLE;
  const rest = isAll ? others : [];
  return {
    isAll,
    hadLayouts: others.length > 0,
    writes: [
      ...places.map(({ template_id }) => write.drop(versions.key(caller, template_id))),
      // A place goes with the content: as long as it stands, the content will be found.
      ...places
        .slice(0, MOST_WHOLE)
        .flatMap(({ pk, sk, template_id }) => [
          write.drop({ pk, sk }),
          write.drop(keys.content(caller, template_id)),
        ]),
      ...rest.map(({ pk, sk, version }) => write.remove({ pk, sk }, version)),
      ...documents.useEach(
        caller,
        rest.flatMap((row) => ('theme' in row && row.theme.logo) || []),
        -1,
        'theme.logo',
      ),
    ],
  };
};

/**
 * The family is gone at once, and so are its newest versions; what does not fit goes behind it, by a worker.
 * @throws ApiError 404; 409 for another version, or while inspections are made of it
 */
export const deleteFamily = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async () => {
    const family = await families.get(caller, id);
    expectVersion(families.noun, family, expectedVersion);
    const { writes, isAll, hadLayouts } = await ending(caller, id);
    return {
      writes: [
        write.remove(families.key(caller, id), family.version),
        ...close(caller, 'FAMILY', id, 'inspections', 'template family has inspections; archive it instead'),
        ...writes,
        // Without the worker, a first layout that came after the reading would stay behind.
        ...(isAll && !hadLayouts ? [write.check(keys.layoutNames(caller, id), undefined, isAbsent)] : []),
        ...(isAll ? [] : [enqueue(caller, 'cleanup', { template_family_id: id })]),
      ],
      reply: null,
    };
  });

/** Deletes some of what belonged to a deleted family; whether there may be more. */
export const deleteSomeOfFamily = (caller: Caller, id: string): Promise<boolean> =>
  change(caller, async () => {
    const { writes, isAll } = await ending(caller, id);
    return { writes, reply: !isAll };
  });
