import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { merge } from '../../base/fields.ts';
import { fold } from '../../base/text.ts';
import { problemsOfQuestions } from '../../domain/issues/questions.ts';
import {
  AssetKind,
  type AssetKindChanges,
  type AssetKindQuery,
  type NewAssetKind,
} from '../../schemas/assets/asset-kind.ts';
import { present } from '../../schemas/projection.ts';
import { change } from '../../table/change.ts';
import { collection, edit, expectVersion, newResource } from '../../table/collection.ts';
import type { Listing } from '../../table/listing.ts';
import * as resource from '../../table/resource.ts';
import { withoutKeys } from '../../table/rows.ts';
import { close } from '../../table/usage.ts';

const KIND = 'ASSET_KIND';
const NAME = 'name of asset kinds';

export const assetKindRecords = collection(KIND, 'asset kind', {
  unique: { [NAME]: ({ name }) => fold(name) },
});

const toKind = (stored: AssetKind): AssetKind => present(AssetKind, stored);

/** Every field has an id; a new one gets its id here. */
const withIds = (fields: NewAssetKind['fields']): AssetKind['fields'] =>
  fields.map(({ id = uuidv7(), ...field }) => ({ id, ...field }));

/** @throws ApiError 422 for fields that do not fit together */
const expectSound = ({ fields }: AssetKind): void => {
  const problems = problemsOfQuestions(fields, 'fields');
  if (problems.length > 0) throw errors.validationFailed(problems);
};

/** @throws ApiError 409 for a name in use; 422 for fields that do not fit together */
export const create = (caller: Caller, { fields, ...others }: NewAssetKind): Promise<AssetKind> =>
  change(caller, (work) => {
    const kind: AssetKind = newResource(work, { ...others, fields: withIds(fields) });
    expectSound(kind);
    return { writes: resource.create(assetKindRecords, work, kind), reply: toKind(kind) };
  });

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<AssetKind> =>
  toKind(await assetKindRecords.get(caller, id));

/** In creation order. */
export const list = (caller: Caller, query: AssetKindQuery): Promise<Listing<AssetKind>> =>
  assetKindRecords.list(caller, query, {}, toKind);

/** @throws ApiError 404; 409 for another version; else as `create` */
export const update = async (
  caller: Caller,
  id: string,
  { fields, ...changes }: AssetKindChanges,
  expectedVersion?: number,
): Promise<AssetKind> =>
  toKind(
    await edit(assetKindRecords, caller, id, expectedVersion, (current) => {
      const next = merge(current, { ...changes, ...(fields && { fields: withIds(fields) }) });
      expectSound(next);
      return { next };
    }),
  );

/** @throws ApiError 404; 409 for another version, or while assets are of this kind */
export const remove = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async (work) => {
    const kind = withoutKeys(await assetKindRecords.get(work, id));
    expectVersion(assetKindRecords.noun, kind, expectedVersion);
    return {
      writes: [
        ...resource.remove(assetKindRecords, work, kind),
        ...close(
          work,
          KIND,
          id,
          ['assets', 'schedules'],
          'The asset kind has assets, or is used by schedules',
        ),
      ],
      reply: null,
    };
  });
