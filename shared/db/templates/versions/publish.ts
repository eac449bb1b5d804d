import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { publishProblems } from '../../../domain/content/publish/publish.ts';
import type { Template } from '../../../schemas/templates/template.ts';
import { change } from '../../table/change.ts';
import { nextVersion } from '../../table/collection.ts';
import { hasValues } from '../../table/conditions.ts';
import { emit } from '../../table/outbox/outbox.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { familyRecords } from '../families/record.ts';
import { readDraftToPublish } from './draft-to-publish.ts';
import { toTemplate, versionRecords } from './record.ts';

const supersede = (caller: Caller, id: string): Write =>
  write.update(
    versionRecords.key(caller, id),
    { set: { status: 'superseded', updated_at: new Date().toISOString() }, add: { version: 1 } },
    hasValues({ status: 'published' }),
  );

/**
 * Publishes a draft as its family's current version, which supersedes the former one.
 * @throws ApiError 404; 409 unless it is a draft of this version; 422 with every problem of the content
 */
export const publish = (caller: Caller, id: string, expectedVersion?: number): Promise<Template> =>
  change(caller, async () => {
    const { draft, family, content, publishedContent } = await readDraftToPublish(
      caller,
      id,
      expectedVersion,
    );
    const problems = publishProblems(content, publishedContent);
    if (problems.length > 0) throw errors.contentInvalid(problems);

    const { family_id, content_hash, version_number, total, required } = draft;
    const published = nextVersion(draft, {
      status: 'published',
      published_at: new Date().toISOString(),
      published_by: caller.user_id,
    });
    const nextFamily = nextVersion(family, {
      current: { template_id: id, version_number, content_hash, total, required },
      draft_version_id: null,
    });
    return {
      writes: [
        write.replace({ ...published, ...versionRecords.key(caller, id) }, draft.version),
        write.replace({ ...nextFamily, ...familyRecords.key(caller, family_id) }, family.version),
        ...(family.current ? [supersede(caller, family.current.template_id)] : []),
        emit(caller, 'template.published', { template_id: id, family_id, version_number }),
      ],
      reply: toTemplate(published, content),
    };
  });
