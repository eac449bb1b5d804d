import type { Caller } from '../../base/caller.ts';
import type { TemplateVersion } from '../../schemas/templates/template.ts';
import { collection, newResource } from '../table/collection.ts';
import { keys } from '../table/keys.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { contentWrite, type EncodedContent } from './content.ts';

/** As stored: the content stands in a row of its own, its counts are what a new inspection starts with. */
export type StoredTemplate = TemplateVersion & EncodedContent['counts'];

export const versions = collection<StoredTemplate>('TEMPLATE', 'template');

/** As it is given out. */
export const toVersion = (stored: StoredTemplate): TemplateVersion => {
  const { total: _, required: __, ...version } = stored;
  return version;
};

/** The draft of a family: its row, its content and its place among the family's versions. */
export const newDraft = (
  caller: Caller,
  fields: Pick<TemplateVersion, 'family_id' | 'version_number' | 'name' | 'description' | 'based_on_id'>,
  encoded: EncodedContent,
): { draft: StoredTemplate; writes: Write[] } => {
  const draft: StoredTemplate = newResource({
    ...fields,
    status: 'draft' as const,
    change_note: null,
    content_version: 1,
    content_hash: encoded.hash,
    published_at: null,
    published_by: null,
    ...encoded.counts,
  });
  return {
    draft,
    writes: [
      write.create({ ...versions.key(caller, draft.id), ...draft }),
      write.create({ ...keys.familyVersion(caller, draft.family_id, draft.id), template_id: draft.id }),
      contentWrite(caller, draft.id, encoded),
    ],
  };
};
