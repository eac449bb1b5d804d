import type { TemplateVersion } from '../../../schemas/templates/template.ts';
import type { Work } from '../../table/change.ts';
import { newResource } from '../../table/collection.ts';
import type { StoredTemplate } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { contentWrite, type EncodedContent } from '../content.ts';
import { versionRecords } from './record.ts';

/** Creates a draft: its row, its content and its place among the family's versions. */
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
