import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import type { Template } from '../../../schemas/templates/template.ts';
import { change, type Work } from '../../table/change.ts';
import { nextVersion } from '../../table/collection.ts';
import { hasValues } from '../../table/conditions.ts';
import { emit } from '../../table/outbox/outbox.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { contentWrite, encodeContent } from '../content.ts';
import { familyRecords } from '../families/record.ts';
import { readDraftToPublish } from './draft-to-publish.ts';
import { toTemplate, toVersion, versionRecords } from './record.ts';

const supersede = (work: Work, id: string): Write =>
  write.update(
    versionRecords.key(work, id),
    { set: { status: 'superseded', updated_at: work.now }, add: { version: 1 } },
    hasValues({ status: 'published' }),
  );

/**
 * Publishes a draft as its family's current version, which supersedes the former one. What it takes from sources becomes
 * part of its content, so that later syncs change nothing of it.
 * @throws ApiError 404; 409 unless it is a draft of this version; 422 with every problem of the content
 */
export const publish = (caller: Caller, id: string, expectedVersion?: number): Promise<Template> =>
  change(caller, async (work) => {
    const { draft, family, content, lists, problems } = await readDraftToPublish(work, id, expectedVersion);
    if (problems.length > 0) throw errors.contentInvalid(problems);

    const hasLists = Object.keys(lists).length > 0;
    const encoded = hasLists ? encodeContent(content) : undefined;
    const { family_id, version_number, total, required } = { ...draft, ...encoded?.counts };
    const content_hash = encoded?.hash ?? draft.content_hash;
    const isChanged = content_hash !== draft.content_hash;
    const published = nextVersion(work, draft, {
      status: 'published',
      published_at: work.now,
      published_by: work.user_id,
      content_version: draft.content_version + Number(isChanged),
      content_hash,
      total,
      required,
      options_taken_at: hasLists ? work.now : null,
      lists,
    });
    const nextFamily = nextVersion(work, family, {
      current: { template_id: id, version_number, content_hash, total, required },
      draft_version_id: null,
    });
    return {
      writes: [
        write.replace({ ...published, ...versionRecords.key(work, id) }, draft.version),
        write.replace({ ...nextFamily, ...familyRecords.key(work, family_id) }, family.version),
        ...(encoded && isChanged ? [contentWrite(work, id, encoded)] : []),
        ...(family.current ? [supersede(work, family.current.template_id)] : []),
        emit(work, 'template.published', toVersion(published)),
      ],
      reply: toTemplate(published, content),
    };
  });
