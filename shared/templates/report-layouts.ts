import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { merge } from '../base/fields.ts';
import { fold } from '../base/text.ts';
import * as documents from '../files/documents.ts';
import type { Document } from '../schemas/document.ts';
import { present } from '../schemas/projection.ts';
import { DEFAULT_LAYOUT, ReportLayoutContent } from '../schemas/reports/report-layout-content.ts';
import {
  type NewReportLayout,
  ReportLayout,
  type ReportLayoutChanges,
  wholeLayout,
} from '../schemas/templates/report-layout.ts';
import { change, type Work } from '../table/change.ts';
import { editRow, expectVersion, newResource, nextVersion } from '../table/collection.ts';
import type { LayoutNames, StoredFamily, StoredLayout } from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { type Listing, type ListQuery, listRows } from '../table/listing.ts';
import * as resource from '../table/resource.ts';
import type { Resource } from '../table/resource.ts';
import { Stale } from '../table/retry.ts';
import { getRow, getRows, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { familyEvent, familyRecords } from './family-records.ts';

/** Report layouts of template families. No two layouts of a family have the same name, ignoring case. */

const NOUN = 'report layout';

/** A layout uses the document of its logo. */
export const layoutRecords: Resource<StoredLayout> = {
  noun: NOUN,
  keyOf: (caller, { family_id, id }) => keys.layout(caller, family_id, id),
  documents: { in: ({ theme }) => ({ document_id: theme.logo }), field: 'theme.logo' },
};

/** A layout as it is sent to clients. The family's settings say which layout is the default. */
const toLayout = (layout: StoredLayout, family: StoredFamily): ReportLayout =>
  present(ReportLayout, layout, {
    is_default: family.settings.default_layout_id === layout.id,
  });

/** Report layouts of one family. */
const MAX_LAYOUTS = 20;

/**
 * Replaces the row with the names of a family's layouts.
 * @param version the version that was read; 0 when the row did not exist
 */
const writeNames = (
  caller: Caller,
  familyId: string,
  version: number,
  names: LayoutNames['names'],
): Write => {
  const row = { ...keys.layoutNames(caller, familyId), names, version: version + 1 };
  return version === 0 ? write.create(row) : write.replace(row, version);
};

/**
 * Sets the name of a new layout, or changes that of an existing one.
 * @param current the names of the family's layouts, which every change of the layouts reads
 * @throws ApiError 409 when the name is in use, or there are too many layouts
 */
const setName = (
  caller: Caller,
  familyId: string,
  current: LayoutNames | undefined,
  id: string,
  name: string,
): Write => {
  const { names, version } = current ?? { names: {}, version: 0 };
  const folded = fold(name);
  const others = Object.entries(names).filter(([otherId]) => otherId !== id);
  if (others.some(([, otherName]) => otherName === folded)) throw errors.nameInUse(NOUN);
  if (others.length === MAX_LAYOUTS) throw errors.tooManyLayouts(MAX_LAYOUTS);
  return writeNames(caller, familyId, version, { ...names, [id]: folded });
};

/** Writes the names of a new family's layouts. */
export const namesOfNewFamily = (
  caller: Caller,
  familyId: string,
  layouts: readonly StoredLayout[],
): Write[] => {
  if (layouts.length === 0) return [];
  const names = Object.fromEntries(layouts.map(({ id, name }) => [id, fold(name)]));
  return [writeNames(caller, familyId, 0, names)];
};

/** Sets the family's default layout. The write fails when the family has changed since it was read. */
const setDefault = (
  work: Work,
  family: StoredFamily,
  layoutId: string | null,
): { family: StoredFamily; write: Write } => {
  const key = familyRecords.key(work, family.id);
  const { settings, version } = family;
  if (settings.default_layout_id === layoutId) return { family, write: write.check(key, undefined, version) };
  const next = nextVersion(work, family, { settings: { ...settings, default_layout_id: layoutId } });
  return { family: next, write: write.replace({ ...next, ...key }, version) };
};

/**
 * The family's next `default_layout_id`.
 * @param isDefault whether the request makes the layout the default, or no longer; undefined leaves the default as it
 *   is
 */
const nextDefault = (
  { settings: { default_layout_id } }: StoredFamily,
  layoutId: string,
  isDefault: boolean | undefined,
): string | null => {
  if (isDefault) return layoutId;
  return isDefault === false && default_layout_id === layoutId ? null : default_layout_id;
};

/** The image types that a report can show. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/tiff', 'image/avif']);

/** @throws ApiError 400 naming the field, for a document that is not such an image */
export const expectPicture = (field: string, { mime_type }: Pick<Document, 'mime_type'>): void => {
  if (!PICTURES.has(mime_type)) throw errors.notAPicture(field);
};

/**
 * The rows that a new or changed layout depends on: its family, and the names of the family's layouts. One call.
 * @param logo the id of the document that the request gives as the logo
 * @throws ApiError 404 for the family; 400 for a logo that is missing or no image
 */
const readRelatedRows = async (
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

/** In creation order. @throws ApiError 404 for the family */
export const list = (caller: Caller, familyId: string, query: ListQuery): Promise<Listing<ReportLayout>> =>
  listRows(
    caller,
    `${NOUN} ${familyId}`,
    query,
    keys.parts(caller, 'FAMILY', familyId, 'LAYOUT'),
    toLayout,
    () => familyRecords.get(caller, familyId),
  );

/** @throws ApiError 404 */
export const get = async (caller: Caller, familyId: string, id: string): Promise<ReportLayout> => {
  const [family, layout] = await getRows(caller, [
    familyRecords.key(caller, familyId),
    keys.layout(caller, familyId, id),
  ]);
  if (!family) throw errors.notFound(familyRecords.noun);
  if (!layout) throw errors.notFound(NOUN);
  return toLayout(layout, family);
};

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
        ...resource.create(layoutRecords, work, layout),
        setName(work, familyId, names, layout.id, name),
        next.write,
        familyEvent(work, 'updated', next.family),
      ],
      reply: toLayout(layout, next.family),
    };
  });

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
    facts: layoutRecords,
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

const toContent = (layout: StoredLayout): ReportLayoutContent => present(ReportLayoutContent, layout);

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
