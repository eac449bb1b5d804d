import { present } from '../../../schemas/projection.ts';
import { completeLayout } from '../../../schemas/reports/report-layout-content.ts';
import { ReportLayout } from '../../../schemas/templates/report-layout.ts';
import type { StoredFamily, StoredLayout } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import type { Resource } from '../../table/resource.ts';

export const NOUN = 'report layout';

/** A layout uses the document of its logo. */
export const layoutRecords: Resource<StoredLayout> = {
  noun: NOUN,
  keyOf: (caller, { family_id, id }) => keys.layout(caller, family_id, id),
  documents: { in: ({ theme }) => ({ document_id: theme.logo }), field: 'theme.logo' },
};

/** A layout as it is sent to clients. The family's settings say which layout is the default. */
export const toLayout = (layout: StoredLayout, family: StoredFamily): ReportLayout =>
  present(ReportLayout, completeLayout(layout), {
    is_default: family.settings.default_layout_id === layout.id,
  });
