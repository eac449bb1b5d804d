import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import type { Template } from '../../../schemas/templates/template.ts';
import { change } from '../../table/change.ts';
import { nextVersion } from '../../table/collection.ts';
import { hasValues } from '../../table/conditions.ts';
import { emit } from '../../table/outbox/outbox.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { contentWrite, encodeContent } from '../content.ts';
import { familyRecords } from '../families/record.ts';
import { readDraftToPublish } from './draft-to-publish.ts';
import { toTemplate, toVersion, versionRecords } from './record.ts';

const supersede = (caller: Caller, id: string): Write =>
  write.update(
    versionRecords.key(caller, id),
    { set: { status: 'superseded', updated_at: new Date().toISOString() }, add: { version: 1 } },
    hasValues({ status: 'published' }),
  );

/**
 * Publishes a draft as its family's current version, which supersedes the former one. What it takes from sources becomes
 * part of its content, so that later syncs change nothing of it.
 * @throws ApiError 404; 409 unless it is a draft of this version; 422 with every problem of the content
 */
export const publish = (caller: Caller, id: string, expectedVersion?: number): Promise<Template> =>
  change(caller, async () => {
    const { draft, family, content, lists, problems } = await readDraftToPublish(caller, id, expectedVersion);
    if (problems.length > 0) throw errors.contentInvalid(problems);

    const now = new Date().toISOString();
    const hasLists = Object.keys(lists).length > 0;
    const encoded = hasLists ? encodeContent(content) : undefined;
    const { family_id, version_number, total, required } = { ...draft, ...encoded?.counts };
    const content_hash = encoded?.hash ?? draft.content_hash;
    const isChanged = content_hash !== draft.content_hash;
    const published = nextVersion(draft, {
      status: 'published',
      published_at: now,
      published_by: caller.user_id,
      content_version: draft.content_version + Number(isChanged),
      content_hash,
      total,
      required,
      options_taken_at: hasLists ? now : null,
      lists,
    });
    const nextFamily = nextVersion(family, {
      current: { template_id: id, version_number, content_hash, total, required },
      draft_version_id: null,
    });
    return {
      writes: [
        write.replace({ ...published, ...versionRecords.key(caller, id) }, draft.version),
        write.replace({ ...nextFamily, ...familyRecords.key(caller, family_id) }, family.version),
        ...(encoded && isChanged ? [contentWrite(caller, id, encoded)] : []),
        ...(family.current ? [supersede(caller, family.current.template_id)] : []),
        emit(caller, 'template.published', toVersion(published)),
      ],
      reply: toTemplate(published, content),
    };
  });
