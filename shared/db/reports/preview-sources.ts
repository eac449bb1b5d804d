import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { sampleSources } from '../../domain/report/sample/sources.ts';
import type { ReportSources } from '../../domain/report/sources.ts';
import type { ReportLayoutContent } from '../../schemas/reports/report-layout-content.ts';
import type { ReportPreviewRequest } from '../../schemas/reports/report-preview.ts';
import { wholeLayout } from '../../schemas/templates/report-layout.ts';
import type { StoredFamily } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { reference, resolve } from '../table/references.ts';
import { retrying } from '../table/retry.ts';
import { contentOf } from '../templates/content.ts';
import { familyRecords } from '../templates/family-record.ts';
import { expectPicture, requestedLayout } from '../templates/report-layouts.ts';
import { versionRecords } from '../templates/version-record.ts';
import { toReportOrganization } from './report-sources.ts';

const LOGO = 'layout.theme.logo';

const layoutFor = async (
  caller: Caller,
  family: StoredFamily,
  { layout_id, layout }: ReportPreviewRequest,
): Promise<ReportLayoutContent> =>
  layout ? wholeLayout(layout) : requestedLayout(caller, family, layout_id);

/**
 * What a report of a family is made of, with generated sample answers. Calls: the family, the version with the
 * organization, the layout unless it is in the request, and the content unless it is cached.
 * @throws ApiError 404 for the family; 400 for a version, layout or logo that does not exist, or a logo that is no image
 */
export const readPreviewSources = async (
  caller: Caller,
  familyId: string,
  request: ReportPreviewRequest,
): Promise<ReportSources> => {
  const { index, ...setting } = await retrying('The database', async () => {
    const family = await familyRecords.get(caller, familyId);
    // A new family has a draft, so one without a draft has published it.
    const templateId = request.template_id ?? family.draft_version_id ?? family.current!.template_id;
    const [organization, version, logo] = await resolve(caller, [
      { field: 'organization', key: keys.organization(caller) },
      { field: 'template_id', key: versionRecords.key(caller, templateId) },
      reference(caller, LOGO, 'DOCUMENT', request.layout?.theme?.logo),
    ]);
    if (logo) expectPicture(LOGO, logo);
    if (version.family_id !== familyId) throw errors.referenceNotFound('template_id');
    const index = await contentOf(caller, templateId, version.content_hash);
    const { id, name, version_number } = version;
    return {
      index,
      organization: toReportOrganization(organization),
      layout: await layoutFor(caller, family, request),
      template: { id, name, version_number },
    };
  });
  return sampleSources(index, setting);
};
