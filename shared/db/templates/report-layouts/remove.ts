import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { change } from '../../table/change.ts';
import { expectVersion } from '../../table/collection.ts';
import { keys } from '../../table/keys.ts';
import * as resource from '../../table/resource.ts';
import { Stale } from '../../table/retry.ts';
import { getRows, withoutKeys } from '../../table/rows.ts';
import { familyRecords, familyEvent } from '../families/record.ts';
import { nextDefault, setDefault } from './default.ts';
import { writeNames } from './names.ts';
import { layoutRecords, NOUN } from './record.ts';

/** Reports with this layout keep their files. @throws ApiError 404; 409 for another version */
export const remove = (
  caller: Caller,
  familyId: string,
  id: string,
  expectedVersion?: number,
): Promise<null> =>
  change(caller, async (work) => {
    const key = keys.layout(work, familyId, id);
    const [familyRow, layoutNames, layout] = await getRows(work, [
      familyRecords.key(work, familyId),
      keys.layoutNames(work, familyId),
      key,
    ]);
    if (!familyRow) throw errors.notFound(familyRecords.noun);
    if (!layout) throw errors.notFound(NOUN);
    expectVersion(NOUN, layout, expectedVersion);
    // BatchGetItem does not read all rows at the same moment: the first layout was created in between.
    if (!layoutNames) throw new Stale();
    const { [id]: _, ...otherNames } = layoutNames.names;
    const family = withoutKeys(familyRow);
    const next = setDefault(work, family, nextDefault(family, id, false));
    return {
      writes: [
        ...resource.remove(layoutRecords, work, withoutKeys(layout)),
        writeNames(work, familyId, layoutNames.version, otherNames),
        next.write,
        familyEvent(work, 'updated', next.family),
      ],
      reply: null,
    };
  });
