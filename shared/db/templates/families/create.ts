import type { Caller } from '../../../base/caller.ts';
import { merge } from '../../../base/fields.ts';
import { DEFAULT_SETTINGS, type Family, type NewFamily } from '../../../schemas/templates/family.ts';
import type { TemplateVersion } from '../../../schemas/templates/template.ts';
import { change } from '../../table/change.ts';
import { newResource } from '../../table/collection.ts';
import type { StoredFamily } from '../../table/entities.ts';
import * as write from '../../table/writes.ts';
import { encodeContent } from '../content.ts';
import { newDraft } from '../versions/new-draft.ts';
import { toVersion } from '../versions/record.ts';
import { familyRecords, toFamily, familyEvent } from './record.ts';
import { checkCorrectionMode, checkSettings, reviewSettings } from './settings.ts';

/**
 * Creates a family with the draft of its first version.
 * @param replyOf makes the reply; without it the reply is the family
 * @throws ApiError 403 for a key that changes a setting which grants rights; 400 for a setting with a member or layout
 *   that does not exist; 422 for the content, or a correction mode that needs an approval
 */
export const create = async <Reply = Family>(
  caller: Caller,
  { content, settings, ...fields }: NewFamily,
  replyOf: (family: Family, draft: TemplateVersion) => Reply = (family) => family as Reply,
): Promise<Reply> => {
  const encoded = encodeContent(content, ['body']);
  return change(caller, async (work) => {
    const withoutDraft = newResource(work, {
      ...fields,
      settings: merge(DEFAULT_SETTINGS, settings),
      current: null,
      draft_version_id: null,
      last_version_number: 1,
      archived_at: null,
      created_by: work.user_id,
    });
    const { id, name, description } = withoutDraft;
    checkCorrectionMode(withoutDraft);
    const review = reviewSettings(work, id, withoutDraft);
    await checkSettings(work, id, settings);
    const { draft, writes } = newDraft(
      work,
      { family_id: id, version_number: 1, name, description, based_on_id: null },
      encoded,
    );
    const family: StoredFamily = { ...withoutDraft, draft_version_id: draft.id };
    return {
      writes: [
        write.create({ ...familyRecords.key(work, id), ...family }),
        ...writes,
        ...review,
        familyEvent(work, 'created', family),
      ],
      reply: replyOf(toFamily(family), toVersion(draft)),
    };
  });
};
