import type { Caller } from '../../../base/caller.ts';
import { merge } from '../../../base/fields.ts';
import type { ReportLayout, ReportLayoutChanges } from '../../../schemas/templates/report-layout.ts';
import { editRow, expectVersion } from '../../table/collection.ts';
import type { StoredFamily } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { familyEvent } from '../families/record.ts';
import { nextDefault, setDefault } from './default.ts';
import { setName } from './names.ts';
import { layouts, NOUN, toLayout } from './record.ts';
import { readRelatedRows } from './related-rows.ts';

/** @throws ApiError 404; 400 for the logo; 409 for another version or a name in use */
export const update = (
  caller: Caller,
  familyId: string,
  id: string,
  { is_default, ...changes }: ReportLayoutChanges,
  expectedVersion?: number,
): Promise<ReportLayout> => {
  let family: StoredFamily;
  return editRow({
    caller,
    noun: NOUN,
    key: keys.layout(caller, familyId, id),
    facts: layouts,
    decide: async (current, work) => {
      const related = await readRelatedRows(work, familyId, changes.theme?.logo);
      expectVersion(NOUN, current, expectedVersion);
      const next = merge(current, changes);
      const withDefault = setDefault(work, related.family, nextDefault(related.family, id, is_default));
      family = withDefault.family;
      return {
        next,
        writes: [
          ...(family === related.family ? [] : [withDefault.write]),
          ...(next.name === current.name ? [] : [setName(work, familyId, related.names, id, next.name)]),
        ],
      };
    },
    event: (_, work) => familyEvent(work, 'updated', family),
    present: (layout) => toLayout(layout, family),
  });
};
