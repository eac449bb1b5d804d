import type { Caller } from '../../base/caller.ts';
import { badRequest, conflict, notFound } from '../../base/errors.ts';
import { fold } from '../../base/fold.ts';
import { merge } from '../../base/merge.ts';
import type { Document } from '../../schemas/document.ts';
import { DEFAULT_LAYOUT, type ReportLayoutContent } from '../../schemas/reports/report-payload.ts';
import {
  type NewReportLayout,
  type ReportLayout,
  type ReportLayoutChanges,
  wholeLayout,
} from '../../schemas/templates/report-layout.ts';
import * as documents from '../documents/documents.ts';
import { change } from '../table/change.ts';
import { editRow, expectVersion, newResource, nextVersion } from '../table/collection.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../table/listing.ts';
import { Stale } from '../table/retry.ts';
import { getRow, getRows, queryRows, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import * as families from './families.ts';
import type { StoredFamily } from './families.ts';

/** As stored: which one is the default stands in the family's settings, and nowhere else. */
export type StoredLayout = Omit<ReportLayout, 'is_default'>;

const NOUN = 'report layout';
const MOST_LAYOUTS = 20;

/** Which layouts a family has: their names, folded, by their ids. Each change of these replaces it. */
export interface LayoutNames {
  names: Record<string, string>;
  version: number;
}

const USUAL_EMAIL: StoredLayout['email_template'] = { subject: null, body: null };

/** The pictures that a report can show. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/tiff', 'image/avif']);

/** @throws ApiError 400 naming the field, for a document that no report can show */
export const expectPicture = (field: string, { mime_type }: Pick<Document, 'mime_type'>): void => {
  if (!PICTURES.has(mime_type)) throw badRequest(`${field} is no picture`);
};

const toLayout = (layout: StoredLayout, family: StoredFamily): ReportLayout => ({
  ...layout,
  is_default: family.settings.default_layout_id === layout.id,
});

const toContent = (layout: StoredLayout): ReportLayoutContent => {
  const { page_size, orientation, cover, theme, blocks, include } = layout;
  return { page_size, orientation, cover, theme, blocks, include };
};

/** What a change of a family's layouts is decided on. @throws ApiError 404; 400 for a logo that is no picture */
const standing = async (caller: Caller, familyId: string, logo?: string | null) => {
  const [family, names, document] = await getRows<unknown>(caller, [
    families.key(caller, familyId),
    keys.layoutNames(caller, familyId),
    ...(logo ? [documents.key(caller, logo)] : []),
  ]);
  if (!family) throw notFound('template family');
  if (logo && !document) throw badRequest('theme.logo does not exist');
  if (logo) expectPicture('theme.logo', document as Row<Document>);
  return {
    family: withoutKeys(family as Row<StoredFamily>),
    names: names && withoutKeys(names as Row<LayoutNames>),
  };
};

/** @throws ApiError 409 when another layout has the name, or there are too many */
const named = (
  caller: Caller,
  familyId: string,
  directory: LayoutNames | undefined,
  id: string,
  name: string,
): Write => {
  const { names, version } = directory ?? { names: {}, version: 0 };
  const folded = fold(name);
  const others = Object.entries(names).filter(([other]) => other !== id);
  if (others.some(([, taken]) => taken === folded)) throw conflict(`name of ${NOUN}s is already in use`);
  if (others.length === MOST_LAYOUTS) throw conflict(`template family has ${MOST_LAYOUTS} ${NOUN}s already`);
  return directoryWrite(caller, familyId, version, { ...names, [id]: folded });
};

const directoryWrite = (
  caller: Caller,
  familyId: string,
  version: number,
  names: LayoutNames['names'],
): Write => {
  const row = { ...keys.layoutNames(caller, familyId), names, version: version + 1 };
  return version === 0 ? write.create(row) : write.replace(row, version);
};

/** The family with another default, or as it is: it must stand as it was read. */
const withDefault = (
  caller: Caller,
  family: StoredFamily,
  layoutId: string | null,
): { family: StoredFamily; write: Write } => {
  const key = families.key(caller, family.id);
  const { settings, version } = family;
  if (settings.default_layout_id === layoutId) return { family, write: write.check(key, undefined, version) };
  const next = nextVersion(family, { settings: { ...settings, default_layout_id: layoutId } });
  return { family: next, write: write.replace({ ...next, ...key }, version) };
};

/** What `default_layout_id` becomes when a layout is said to be the default, or not to be, or nothing is said. */
const defaultAfter = (
  { settings: { default_layout_id } }: StoredFamily,
  layoutId: string,
  isDefault: boolean | undefined,
): string | null => {
  if (isDefault) return layoutId;
  return isDefault === false && default_layout_id === layoutId ? null : default_layout_id;
};

/** The writes by which the use of a layout's logo moves from one document to another. */
export const logoMoves = (caller: Caller, from: string | null, to: string | null): Write[] => {
  if (from === to) return [];
  return [
    ...(from ? [documents.use(caller, from, -1, 'theme.logo')] : []),
    ...(to ? [documents.use(caller, to, 1, 'theme.logo')] : []),
  ];
};

/** @throws ApiError 404 for the family; 400 for the logo; 409 for a name that is taken, or one too many */
export const create = (
  caller: Caller,
  familyId: string,
  { name, is_default, email_template, ...given }: NewReportLayout,
): Promise<ReportLayout> =>
  change(caller, async () => {
    const content = wholeLayout(given);
    const { family, names } = await standing(caller, familyId, content.theme.logo);
    const layout: StoredLayout = newResource({
      family_id: familyId,
      name,
      ...content,
      email_template: merge(USUAL_EMAIL, email_template),
    });
    const next = withDefault(caller, family, defaultAfter(family, layout.id, is_default));
    return {
      writes: [
        write.create({ ...layout, ...keys.layout(caller, familyId, layout.id) }),
        named(caller, familyId, names, layout.id, name),
        next.write,
        ...logoMoves(caller, null, content.theme.logo),
      ],
      reply: toLayout(layout, next.family),
    };
  });

/** In creation order. @throws ApiError 404 for the family */
export const list = async (
  caller: Caller,
  familyId: string,
  query: ListQuery,
): Promise<Listing<ReportLayout>> => {
  const filters = { ...query, family_id: familyId };
  const after = readCursor(caller, NOUN, filters);
  const family = await families.get(caller, familyId);
  const { pk: partition, sk: prefix } = keys.layout(caller, familyId, '');
  const rows = queryRows<StoredLayout>(caller, {
    partition,
    prefix,
    after,
    updatedSince: query.updated_since,
  });
  return listing(
    caller,
    NOUN,
    filters,
    rows,
    ({ sk }) => sk,
    (row) => toLayout(withoutKeys<StoredLayout>(row), family),
  );
};

/** @throws ApiError 404 */
export const get = async (caller: Caller, familyId: string, id: string): Promise<ReportLayout> => {
  const [family, layout] = await getRows<unknown>(caller, [
    families.key(caller, familyId),
    keys.layout(caller, familyId, id),
  ]);
  if (!family) throw notFound('template family');
  if (!layout) throw notFound(NOUN);
  return toLayout(withoutKeys(layout as Row<StoredLayout>), family as Row<StoredFamily>);
};

/** @throws ApiError 404; 400 for the logo; 409 for another version or a name that is taken */
export const update = (
  caller: Caller,
  familyId: string,
  id: string,
  { is_default, ...changes }: ReportLayoutChanges,
  expectedVersion?: number,
): Promise<ReportLayout> => {
  let family: StoredFamily;
  return editRow<StoredLayout, ReportLayout>({
    caller,
    noun: NOUN,
    key: keys.layout(caller, familyId, id),
    decide: async (current) => {
      const found = await standing(caller, familyId, changes.theme?.logo);
      expectVersion(NOUN, current, expectedVersion);
      const next = merge(current, changes);
      const layoutId = defaultAfter(found.family, id, is_default);
      const moved = withDefault(caller, found.family, layoutId);
      family = moved.family;
      return {
        next,
        writes: [
          ...(family === found.family ? [] : [moved.write]),
          ...(next.name === current.name ? [] : [named(caller, familyId, found.names, id, next.name)]),
          ...logoMoves(caller, current.theme.logo, next.theme.logo),
        ],
      };
    },
    present: (layout) => toLayout(layout, family),
  });
};

/** Reports that were drawn in it keep their files. @throws ApiError 404; 409 for another version */
export const remove = (
  caller: Caller,
  familyId: string,
  id: string,
  expectedVersion?: number,
): Promise<null> =>
  change(caller, async () => {
    const key = keys.layout(caller, familyId, id);
    const [family, directory, row] = await getRows<unknown>(caller, [
      families.key(caller, familyId),
      keys.layoutNames(caller, familyId),
      key,
    ]);
    if (!family) throw notFound('template family');
    if (!row) throw notFound(NOUN);
    const layout = row as Row<StoredLayout>;
    expectVersion(NOUN, layout, expectedVersion);
    // The three were read one after the other: the layout came in between.
    if (!directory) throw new Stale();
    const { names, version } = directory as Row<LayoutNames>;
    const { [id]: _, ...others } = names;
    const stays = withoutKeys(family as Row<StoredFamily>);
    return {
      writes: [
        write.remove(key, layout.version),
        directoryWrite(caller, familyId, version, others),
        withDefault(caller, stays, defaultAfter(stays, id, false)).write,
        ...logoMoves(caller, layout.theme.logo, null),
      ],
      reply: null,
    };
  });

/** All layouts of a family as they are stored, the oldest first. */
export const allOf = (caller: Caller, familyId: string): Promise<Row<StoredLayout>[]> => {
  const { pk: partition, sk: prefix } = keys.layout(caller, familyId, '');
  return Array.fromAsync(queryRows<StoredLayout>(caller, { partition, prefix }));
};

/** What a family has that takes over these layouts, as long as it has no others. */
export const directory = (caller: Caller, familyId: string, taken: readonly StoredLayout[]): Write[] =>
  taken.length === 0
    ? []
    : [
        directoryWrite(
          caller,
          familyId,
          0,
          Object.fromEntries(taken.map(({ id, name }) => [id, fold(name)])),
        ),
      ];

/**
 * How a report of the family looks: as the layout that is wished for, else the family's default one, else the
 * standard one; one that has been deleted is passed over. One call, none where there is neither.
 */
export const contentFor = async (
  caller: Caller,
  { id, settings }: StoredFamily,
  wished?: string | null,
): Promise<ReportLayoutContent> => {
  const ids = [wished, settings.default_layout_id].filter((each) => each !== null && each !== undefined);
  const rows = await getRows<StoredLayout>(
    caller,
    ids.map((each) => keys.layout(caller, id, each)),
  );
  const found = rows.find((row) => row !== undefined);
  return found ? toContent(found) : DEFAULT_LAYOUT;
};

/**
 * The same where the layout that is asked for has to be there.
 * @throws ApiError 400 naming `layout_id`
 */
export const contentAsked = async (
  caller: Caller,
  family: StoredFamily,
  layoutId?: string | null,
): Promise<ReportLayoutContent> => {
  if (!layoutId) return contentFor(caller, family);
  const row = await getRow<StoredLayout>(caller, keys.layout(caller, family.id, layoutId));
  if (!row) throw badRequest('layout_id does not exist');
  return toContent(row);
};
