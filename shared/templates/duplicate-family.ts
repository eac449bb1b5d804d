import type { Caller } from '../base/caller.ts';
import { namesWith, pick } from '../base/fields.ts';
import { cutTo } from '../base/text.ts';
import * as documents from '../files/documents.ts';
import type { Family } from '../schemas/templates/family.ts';
import { change, type Work } from '../table/change.ts';
import { newResource } from '../table/collection.ts';
import type { StoredFamily, StoredLayout } from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { Stale } from '../table/retry.ts';
import { getRows, queryRows, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { decodeContent, encodeContent } from './content.ts';
import { familyEvent, familyRecords, reviewSettings, toFamily } from './family-records.ts';
import { namesOfNewFamily } from './report-layouts.ts';
import { newDraft, versionEvent, versionRecords } from './version-records.ts';

/** Whether a copy of a family takes over a field. */
const IS_COPIED = {
  id: false,
  created_at: false,
  updated_at: false,
  version: false,
  created_by: false,
  name: false,
  description: true,
  tags: true,
  requires_approval: true,
  requires_sign_off: true,
  settings: true,
  current: false,
  draft_version_id: false,
  last_version_number: false,
  archived_at: false,
} satisfies Record<keyof StoredFamily, boolean>;

/** UTF-16 code units of a family's name, as its schema allows them. */
const MAX_NAME_LENGTH = 200;
const COPY_SUFFIX = ' (copy)';

/** The name of a copy: the name, shortened if necessary, with the suffix. */
const nameOfCopy = (name: string): string =>
  `${cutTo(name, MAX_NAME_LENGTH - COPY_SUFFIX.length).trimEnd()}${COPY_SUFFIX}`;

/**
 * The published content of a family, or its draft's when nothing is published.
 * @throws Stale when it has changed since the family was read
 */
const contentToCopy = async (caller: Caller, { current, draft_version_id }: StoredFamily) => {
  // A new family has a draft, so one without a draft has published it.
  const id = current?.template_id ?? draft_version_id!;
  const [version, content] = await getRows(caller, [
    versionRecords.key(caller, id),
    keys.content(caller, id),
  ]);
  if (!version) throw new Stale();
  return decodeContent(content, version.content_hash).index.content;
};

/** A copy of a layout for another family. */
const copyOfLayout = (work: Work, layout: StoredLayout, familyId: string): StoredLayout => {
  const { id: _id, version: _version, created_at: _created, updated_at: _updated, ...fields } = layout;
  return newResource(work, { ...fields, family_id: familyId });
};

/** The writes that create the layouts of a new family. */
const layoutWrites = (work: Work, familyId: string, layouts: readonly StoredLayout[]): Write[] => [
  ...layouts.map((layout) => write.create({ ...layout, ...keys.layout(work, familyId, layout.id) })),
  ...namesOfNewFamily(work, familyId, layouts),
  ...documents.useEach(
    work,
    layouts.flatMap(({ theme }) => theme.logo ?? []),
    1,
    'theme.logo',
  ),
];

/**
 * Creates a copy of a family, with its layouts and one draft.
 * @throws ApiError 404; 403 for a key when the family has a setting that grants rights
 */
export const duplicate = (caller: Caller, id: string): Promise<Family> =>
  change(caller, async (work) => {
    const source = withoutKeys(await familyRecords.get(work, id));
    const content = await contentToCopy(work, source);
    const layouts = await Array.fromAsync(queryRows(work, keys.parts(work, 'FAMILY', id, 'LAYOUT')));

    const withoutDraft = newResource(work, {
      ...pick(source, namesWith(IS_COPIED, true)),
      name: nameOfCopy(source.name),
      current: null,
      last_version_number: 1,
      archived_at: null,
      created_by: work.user_id,
    });
    const copies = layouts.map((row) => copyOfLayout(work, withoutKeys(row), withoutDraft.id));
    const { settings, description } = withoutDraft;
    const defaultPosition = layouts.findIndex((layout) => layout.id === settings.default_layout_id);
    const { draft, writes } = newDraft(
      work,
      {
        family_id: withoutDraft.id,
        version_number: 1,
        name: withoutDraft.name,
        description,
        based_on_id: null,
      },
      encodeContent(content),
    );
    const family: StoredFamily = {
      ...withoutDraft,
      settings: { ...settings, default_layout_id: copies[defaultPosition]?.id ?? null },
      draft_version_id: draft.id,
    };
    return {
      writes: [
        ...reviewSettings(work, family.id, family),
        write.create({ ...family, ...familyRecords.key(work, family.id) }),
        ...writes,
        ...layoutWrites(work, family.id, copies),
        familyEvent(work, 'created', family),
        versionEvent(work, draft),
      ],
      reply: toFamily(family),
    };
  });
