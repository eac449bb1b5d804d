import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import * as documents from '../../documents/documents.ts';
import type { LayoutNames, StoredFamily } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { getRows, withoutKeys } from '../../table/rows.ts';
import { familyRecords } from '../families/record.ts';
import { expectPicture } from './logo.ts';

/**
 * The rows that a new or changed layout depends on: its family, and the names of the family's layouts. One call.
 * @param logo the id of the document that the request gives as the logo
 * @throws ApiError 404 for the family; 400 for a logo that is missing or no image
 */
export const readRelatedRows = async (
  caller: Caller,
  familyId: string,
  logo?: string | null,
): Promise<{ family: StoredFamily; names: LayoutNames | undefined }> => {
  const [family, names, document] = await getRows(caller, [
    familyRecords.key(caller, familyId),
    keys.layoutNames(caller, familyId),
    logo ? documents.key(caller, logo) : undefined,
  ]);
  if (!family) throw errors.notFound(familyRecords.noun);
  if (logo && !document) throw errors.referenceNotFound('theme.logo');
  if (document) expectPicture('theme.logo', document);
  return { family: withoutKeys(family), names: names && withoutKeys(names) };
};
