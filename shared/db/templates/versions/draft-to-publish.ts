import type { Caller } from '../../../base/caller.ts';
import type { Problem } from '../../../base/problem.ts';
import { publishProblems } from '../../../domain/content/publish/publish.ts';
import type { Content } from '../../../schemas/templates/content.ts';
import { expectVersion } from '../../table/collection.ts';
import type { StoredFamily, StoredTemplate } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { Stale } from '../../table/retry.ts';
import { getRows, withoutKeys } from '../../table/rows.ts';
import { decodeContent } from '../content.ts';
import { familyRecords } from '../families/record.ts';
import { expectDraft, versionRecords } from './record.ts';
import { takeSynced } from './synced-lists.ts';

/** What the publication of a draft depends on. */
interface DraftToPublish {
  draft: StoredTemplate;
  family: StoredFamily;
  /** With the options that it takes from sources. */
  content: Content;
  lists: StoredTemplate['lists'];
  /** Everything that keeps the content from being published. */
  problems: Problem[];
  /** The content of the family's current version; null when nothing is published. */
  publishedContent: Content | null;
}

/** @throws ApiError 404; 409 unless it is a draft of this version; Stale when another change came in between */
export const readDraftToPublish = async (
  caller: Caller,
  id: string,
  expectedVersion?: number,
): Promise<DraftToPublish> => {
  const draft = withoutKeys(await versionRecords.get(caller, id));
  expectDraft(draft);
  expectVersion(versionRecords.noun, draft, expectedVersion);
  const { family_id, based_on_id, content_hash } = draft;
  const [familyRow, contentRow, publishedContentRow] = await getRows(caller, [
    familyRecords.key(caller, family_id),
    keys.content(caller, id),
    based_on_id ? keys.content(caller, based_on_id) : undefined,
  ]);
  if (!familyRow) throw new Stale();
  const family = withoutKeys(familyRow);
  if (family.draft_version_id !== id) throw new Stale();
  const drafted = decodeContent(contentRow, content_hash).index.content;
  const { current } = family;
  const publishedContent = current && decodeContent(publishedContentRow, current.content_hash).index.content;
  const { content, lists, problems } = await takeSynced(caller, drafted);
  return {
    draft,
    family,
    content,
    lists,
    problems: [...publishProblems(content, publishedContent), ...problems],
    publishedContent,
  };
};
