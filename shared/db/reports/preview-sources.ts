import type { Caller } from '../../base/caller.ts';
import { badRequest } from '../../base/errors.ts';
import type { ReportSources } from '../../domain/report/build.ts';
import { sampleSources } from '../../domain/report/sample.ts';
import type { Document } from '../../schemas/document.ts';
import type { ReportLayoutContent } from '../../schemas/reports/report-payload.ts';
import type { ReportPreviewRequest } from '../../schemas/reports/report-preview.ts';
import { wholeLayout } from '../../schemas/templates/report-layout.ts';
import type { StoredOrganization } from '../organization/organizations.ts';
import { keys } from '../table/keys.ts';
import { reference, resolve } from '../table/references.ts';
import { retrying } from '../table/retry.ts';
import type { Row } from '../table/rows.ts';
import { contentOf } from '../templates/content.ts';
import { type StoredTemplate, versions } from '../templates/drafts.ts';
import * as families from '../templates/families.ts';
import type { StoredFamily } from '../templates/families.ts';
import * as layouts from '../templates/report-layouts.ts';
import { expectPicture } from '../templates/report-layouts.ts';
import { toReportOrganization } from './report-sources.ts';

const LOGO = 'layout.theme.logo';

const layoutFor = async (
  caller: Caller,
  family: StoredFamily,
  { layout_id, layout }: ReportPreviewRequest,
): Promise<ReportLayoutContent> =>
  layout ? wholeLayout(layout) : layouts.contentAsked(caller, family, layout_id);

/**
 * What a report of a family would be made of, over generated sample answers. Calls: the family, the version with
 * the organization, the layout unless it is given, and the content unless it is remembered.
 * @throws ApiError 404 for the family; 400 for a version, a layout or a logo that is not there, or a logo that is no picture
 */
export const readPreviewSources = async (
  caller: Caller,
  familyId: string,
  request: ReportPreviewRequest,
): Promise<ReportSources> => {
  const { index, ...setting } = await retrying('the database', async () => {
    const family = await families.get(caller, familyId);
    // A family begins with a draft, so one without a draft has published it.
    const templateId = request.template_id ?? family.draft_version_id ?? family.current!.template_id;
    const named = await resolve(caller, [
      { field: 'organization', key: keys.organization(caller) },
      { field: 'template_id', key: versions.key(caller, templateId) },
      ...reference(caller, LOGO, 'DOCUMENT', request.layout?.theme?.logo),
    ]);
    const logo = named.get(LOGO) as Row<Document> | undefined;
    if (logo) expectPicture(LOGO, logo);
    const version = named.get('template_id') as Row<StoredTemplate>;
    if (version.family_id !== familyId) throw badRequest('template_id does not exist');
    const index = await contentOf(caller, templateId, version.content_hash);
    const { id, name, version_number } = version;
    return {
      index,
      organization: toReportOrganization(named.get('organization') as Row<StoredOrganization>),
      layout: await layoutFor(caller, family, request),
      template: { id, name, version_number },
    };
  });
  return sampleSources(index, setting);
};
