import type { Caller } from '../../base/caller.ts';
import type { Family } from '../../schemas/templates/family.ts';
import * as documents from '../documents/documents.ts';
import { change } from '../table/change.ts';
import { newResource } from '../table/collection.ts';
import { keys } from '../table/keys.ts';
import { Stale } from '../table/retry.ts';
import { getRows, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { type ContentRow, decoded, encodeContent } from './content.ts';
import { newDraft, type StoredTemplate, versions } from './drafts.ts';
import * as families from './families.ts';
import { type StoredFamily, toFamily } from './families.ts';
import * as layouts from './report-layouts.ts';

const LONGEST_NAME = 200;
const MARK = ' (copy)';

/** The name with the mark of a copy behind as much of it as fits; a character of two halves is not cut apart. */
const copyOf = (name: string): string =>
  `${name
    .slice(0, LONGEST_NAME - MARK.length)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}${MARK}`;

/** The content that a family stands for: what is published, else what is drafted. @throws Stale when it moves on */
const standingContent = async (caller: Caller, { current, draft_version_id }: StoredFamily) => {
  // A family begins with a draft, so one without a draft has published it.
  const id = current?.template_id ?? draft_version_id!;
  const [version, content] = await getRows<unknown>(caller, [
    versions.key(caller, id),
    keys.content(caller, id),
  ]);
  if (!version) throw new Stale();
  const { content_hash } = version as Row<StoredTemplate>;
  return decoded(content as Row<ContentRow> | undefined, content_hash).index.content;
};

/** A family of its own that begins as the other one stands, with one draft. @throws ApiError 404 */
export const duplicateFamily = (caller: Caller, id: string): Promise<Family> =>
  change(caller, async () => {
    const source = withoutKeys<StoredFamily>(await families.get(caller, id));
    const content = await standingContent(caller, source);
    const standing = await layouts.allOf(caller, id);

    const { description, tags, requires_approval, requires_sign_off, settings } = source;
    const fresh = newResource({
      name: copyOf(source.name),
      description,
      tags,
      requires_approval,
      requires_sign_off,
      current: null,
      last_version_number: 1,
      archived_at: null,
      created_by: caller.user_id,
    });
    const copies = standing.map((row) => {
      const { id: _id, version: _version, created_at: _at, updated_at: _since, ...layout } = withoutKeys(row);
      return newResource({ ...layout, family_id: fresh.id });
    });
    const defaultAt = standing.findIndex((layout) => layout.id === settings.default_layout_id);
    const { draft, writes } = newDraft(
      caller,
      { family_id: fresh.id, version_number: 1, name: fresh.name, description, based_on_id: null },
      encodeContent(content),
    );
    const family: StoredFamily = {
      ...fresh,
      settings: { ...settings, default_layout_id: copies[defaultAt]?.id ?? null },
      draft_version_id: draft.id,
    };
    return {
      writes: [
        write.create({ ...family, ...families.key(caller, family.id) }),
        ...writes,
        ...copies.map((layout) => write.create({ ...layout, ...keys.layout(caller, family.id, layout.id) })),
        ...layouts.directory(caller, family.id, copies),
        ...documents.useEach(
          caller,
          copies.flatMap(({ theme }) => theme.logo ?? []),
          1,
          'theme.logo',
        ),
      ],
      reply: toFamily(family),
    };
  });
