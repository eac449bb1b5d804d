import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import type { ContentIndex } from '../domain/content/content-index.ts';
import { present, type Presented } from '../schemas/projection.ts';
import type { Content } from '../schemas/templates/content.ts';
import { Template, TemplateVersion } from '../schemas/templates/template.ts';
import type { Work } from '../table/change.ts';
import { collection, newResource } from '../table/collection.ts';
import type { StoredTemplate } from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { emit } from '../table/outbox/outbox.ts';
import { retrying } from '../table/retry.ts';
import { withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { contentOf, contentWrite, type EncodedContent } from './content.ts';

export const versionRecords = collection('TEMPLATE', 'template');

/** A version as it is sent to clients. */
export const toVersion = (stored: StoredTemplate): Presented<TemplateVersion> =>
  present(TemplateVersion, stored);

/** The event of a new draft, or of a version that was changed. */
export const versionEvent = (work: Work, version: StoredTemplate): Write =>
  emit(work, 'template.updated', toVersion(version));

/** A version with its content as it is sent to clients. */
export const toTemplate = (stored: StoredTemplate, content: Content): Template =>
  present(Template, stored, { content });

/** @throws ApiError 409 naming the status */
export const expectDraft = ({ status, version_number }: StoredTemplate): void => {
  if (status !== 'draft') throw errors.notADraft(version_number, status);
};

/**
 * A version with its content.
 * @param check throws for a version in the wrong status, before the content is read
 * @throws ApiError 404; what `check` throws; Stale when the draft changed in between
 */
export const readVersion = async (
  caller: Caller,
  id: string,
  check: (version: StoredTemplate) => void = () => {},
): Promise<{ version: StoredTemplate; content: Content }> => {
  const version = withoutKeys(await versionRecords.get(caller, id));
  check(version);
  const { content } = await contentOf(caller, id, version.content_hash);
  return { version, content };
};

/** The content of a version; undefined when it was deleted. One call, and one for the content unless it is cached. */
export const findContent = (caller: Caller, id: string): Promise<ContentIndex | undefined> =>
  retrying('The database', async () => {
    const version = await versionRecords.find(caller, id);
    return version && contentOf(caller, id, version.content_hash);
  });

/** Creates a draft: its row, its content and its row below the family. */
export const newDraft = (
  work: Work,
  fields: Pick<TemplateVersion, 'family_id' | 'version_number' | 'name' | 'description' | 'based_on_id'>,
  encoded: EncodedContent,
): { draft: StoredTemplate; writes: Write[] } => {
  const draft: StoredTemplate = newResource(work, {
    ...fields,
    status: 'draft' as const,
    change_note: null,
    content_version: 1,
    content_hash: encoded.hash,
    published_at: null,
    published_by: null,
    options_taken_at: null,
    lists: {},
    ...encoded.counts,
  });
  return {
    draft,
    writes: [
      write.create({ ...versionRecords.key(work, draft.id), ...draft }),
      write.create({ ...keys.familyVersion(work, draft.family_id, draft.id), template_id: draft.id }),
      contentWrite(work, draft.id, encoded),
    ],
  };
};
