import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { merge } from '../../../base/fields.ts';
import type { Content } from '../../../schemas/templates/content.ts';
import type { Template, TemplateChanges } from '../../../schemas/templates/template.ts';
import { change, type Work } from '../../table/change.ts';
import { edit, expectVersion, nextVersion } from '../../table/collection.ts';
import type { StoredTemplate } from '../../table/entities.ts';
import { emit } from '../../table/outbox/outbox.ts';
import { withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { contentOf, contentWrite, type EncodedContent } from '../content.ts';
import { expectDraft, toTemplate, toVersion, versionRecords } from './record.ts';

const draftEvent = (work: Work, draft: StoredTemplate): Write =>
  emit(work, 'template.updated', toVersion(draft));

/** @throws ApiError 404; 409 unless it is a draft of this version */
export const update = async (
  caller: Caller,
  id: string,
  changes: TemplateChanges,
  expectedVersion?: number,
): Promise<Template> => {
  let content: Content | undefined;
  const version = await edit(
    versionRecords,
    caller,
    id,
    expectedVersion,
    async (current) => {
      expectDraft(current);
      ({ content } = await contentOf(caller, id, current.content_hash));
      return { next: merge(current, changes) };
    },
    (draft, work) => draftEvent(work, draft),
  );
  return toTemplate(version, content!);
};

/**
 * Replaces the content of a draft.
 * @param nextContent makes the new content; its argument reads the current one
 * @throws ApiError 404; 409 unless it is a draft with the expected versions; what `nextContent` throws
 */
export const updateContent = (
  caller: Caller,
  id: string,
  expected: { version?: number | undefined; contentVersion?: number | undefined },
  nextContent: (readCurrent: () => Promise<Content>) => Promise<EncodedContent> | EncodedContent,
): Promise<Template> =>
  change(caller, async (work) => {
    const current = withoutKeys(await versionRecords.get(work, id));
    expectDraft(current);
    expectVersion(versionRecords.noun, current, expected.version);
    const { content_version, content_hash, version } = current;
    if (expected.contentVersion !== undefined && expected.contentVersion !== content_version) {
      throw errors.contentVersionMismatch(content_version, expected.contentVersion);
    }
    const encoded = await nextContent(async () => (await contentOf(work, id, content_hash)).content);
    if (encoded.hash === content_hash) {
      return { writes: [], reply: toTemplate(current, encoded.content) };
    }
    const updated = nextVersion(work, current, {
      content_version: content_version + 1,
      content_hash: encoded.hash,
      ...encoded.counts,
    });
    return {
      writes: [
        write.replace({ ...updated, ...versionRecords.key(work, id) }, version),
        contentWrite(work, id, encoded),
        draftEvent(work, updated),
      ],
      reply: toTemplate(updated, encoded.content),
    };
  });
