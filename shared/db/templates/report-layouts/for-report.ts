import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { present } from '../../../schemas/projection.ts';
import {
  completeLayout,
  DEFAULT_LAYOUT,
  ReportLayoutContent,
} from '../../../schemas/reports/report-layout-content.ts';
import type { StoredFamily, StoredLayout } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { getRow, getRows } from '../../table/rows.ts';

const toContent = (layout: StoredLayout): ReportLayoutContent =>
  present(ReportLayoutContent, completeLayout(layout));

/**
 * The layout of a family's report: the requested one, else the family's default, else the standard layout. Layouts that
 * were deleted are ignored. One call, none when there is neither a requested layout nor a default.
 */
export const layoutOrDefault = async (
  caller: Caller,
  { id, settings }: StoredFamily,
  requestedId?: string | null,
): Promise<ReportLayoutContent> => {
  const ids = [requestedId, settings.default_layout_id].filter((each) => each !== null && each !== undefined);
  const rows = await getRows(
    caller,
    ids.map((each) => keys.layout(caller, id, each)),
  );
  const layout = rows.find((row) => row !== undefined);
  return layout ? toContent(layout) : DEFAULT_LAYOUT;
};

/**
 * The layout of a family's report. A requested layout must exist; without one, the default applies.
 * @throws ApiError 400 naming `layout_id`
 */
export const requestedLayout = async (
  caller: Caller,
  family: StoredFamily,
  requestedId?: string | null,
): Promise<ReportLayoutContent> => {
  if (!requestedId) return layoutOrDefault(caller, family);
  const row = await getRow(caller, keys.layout(caller, family.id, requestedId));
  if (!row) throw errors.referenceNotFound('layout_id');
  return toContent(row);
};
