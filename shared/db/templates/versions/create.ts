import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import type { Family } from '../../../schemas/templates/family.ts';
import type { NewTemplate, Template, TemplateVersion } from '../../../schemas/templates/template.ts';
import { change, type Work } from '../../table/change.ts';
import { expectVersion, nextVersion } from '../../table/collection.ts';
import type { StoredFamily, StoredTemplate } from '../../table/entities.ts';
import { Stale } from '../../table/retry.ts';
import { type Row, withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { contentOf, type EncodedContent, encodeContent } from '../content.ts';
import { familyRecords, toFamily, familyEvent } from '../families/record.ts';
import { newDraft } from './new-draft.ts';
import { readVersion, toTemplate, toVersion } from './record.ts';

/** Creates a family's next draft. `family` is the family with this draft. */
const addDraft = (
  work: Work,
  row: Row<StoredFamily>,
  encoded: EncodedContent,
): { draft: StoredTemplate; family: StoredFamily; writes: Write[] } => {
  const family = withoutKeys(row);
  const { draft, writes } = newDraft(
    work,
    {
      family_id: family.id,
      version_number: family.last_version_number + 1,
      name: family.name,
      description: family.description,
      based_on_id: family.current?.template_id ?? null,
    },
    encoded,
  );
  const next = nextVersion(work, family, {
    draft_version_id: draft.id,
    last_version_number: draft.version_number,
  });
  return {
    draft,
    family: next,
    writes: [
      write.replace({ ...next, ...familyRecords.key(work, family.id) }, family.version),
      ...writes,
      familyEvent(work, 'updated', next),
    ],
  };
};

/**
 * Creates the draft of a family that has none.
 * @param replyOf makes the reply; without it the reply is the draft with its content
 * @throws ApiError 400 for the family; 409 when it has a draft; 422 for the content
 */
export const create = <Reply = Template>(
  caller: Caller,
  { family_id, content }: NewTemplate,
  replyOf: (family: Family, draft: TemplateVersion) => Reply = (_, draft) => ({ ...draft, content }) as Reply,
): Promise<Reply> => {
  const encoded = encodeContent(content, ['body']);
  return change(caller, async (work) => {
    const row = await familyRecords.find(work, family_id);
    if (!row) throw errors.referenceNotFound('family_id');
    if (row.draft_version_id) throw errors.draftExists(row.draft_version_id);
    const { draft, family, writes } = addDraft(work, row, encoded);
    return { writes, reply: replyOf(toFamily(family), toVersion(draft)) };
  });
};

/**
 * A family's draft. When it has none, a copy of its current version is created.
 * @param expectedVersion the family's
 * @throws ApiError 404; 409 for another version
 */
export const openDraft = async (
  caller: Caller,
  familyId: string,
  expectedVersion?: number,
): Promise<{ template: Template; isNew: boolean }> => {
  // Not part of the change's reply, which is stored as the client's reply for its idempotency key.
  let isNew = false;
  const template = await change(caller, async (work) => {
    const family = await familyRecords.get(work, familyId);
    expectVersion(familyRecords.noun, family, expectedVersion);
    isNew = family.draft_version_id === null;
    if (family.draft_version_id) {
      const { version, content } = await readVersion(work, family.draft_version_id, ({ status }) => {
        if (status !== 'draft') throw new Stale();
      });
      return { writes: [], reply: toTemplate(version, content) };
    }
    // A new family has a draft, so one without a draft has published it.
    const { template_id, content_hash } = family.current!;
    const { content } = await contentOf(work, template_id, content_hash);
    const { draft, writes } = addDraft(work, family, encodeContent(content));
    return { writes, reply: toTemplate(draft, content) };
  });
  return { template, isNew };
};
