import type { Caller } from '../../../base/caller.ts';
import { merge } from '../../../base/fields.ts';
import {
  type NewReportLayout,
  type ReportLayout,
  wholeLayout,
} from '../../../schemas/templates/report-layout.ts';
import { change } from '../../table/change.ts';
import { expectVersion, newResource } from '../../table/collection.ts';
import type { StoredLayout } from '../../table/entities.ts';
import * as resource from '../../table/resource.ts';
import { familyRecords, familyEvent } from '../families/record.ts';
import { nextDefault, setDefault } from './default.ts';
import { setName } from './names.ts';
import { layouts, toLayout } from './record.ts';
import { readRelatedRows } from './related-rows.ts';

/** Null stands for the standard text. */
const STANDARD_EMAIL: StoredLayout['email_template'] = { subject: null, body: null };

/**
 * @param expectedVersion the family's
 * @throws ApiError 404 for the family; 400 for the logo; 409 for another version, a name in use, or too many layouts
 */
export const create = (
  caller: Caller,
  familyId: string,
  { name, is_default, email_template, ...fields }: NewReportLayout,
  expectedVersion?: number,
): Promise<ReportLayout> =>
  change(caller, async (work) => {
    const content = wholeLayout(fields);
    const { family, names } = await readRelatedRows(work, familyId, content.theme.logo);
    expectVersion(familyRecords.noun, family, expectedVersion);
    const layout: StoredLayout = newResource(work, {
      family_id: familyId,
      name,
      ...content,
      email_template: merge(STANDARD_EMAIL, email_template),
    });
    const next = setDefault(work, family, nextDefault(family, layout.id, is_default));
    return {
      writes: [
        ...resource.create(layouts, work, layout),
        setName(work, familyId, names, layout.id, name),
        next.write,
        familyEvent(work, 'updated', next.family),
      ],
      reply: toLayout(layout, next.family),
    };
  });
