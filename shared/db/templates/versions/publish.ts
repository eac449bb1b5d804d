import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import type { Problem } from '../../../base/problem.ts';
import { sectionsOf } from '../../../domain/content/content-index.ts';
import { problemAt } from '../../../domain/content/publish/problems.ts';
import { publishProblems } from '../../../domain/content/publish/publish.ts';
import type { Content } from '../../../schemas/templates/content.ts';
import type { Template } from '../../../schemas/templates/template.ts';
import { change } from '../../table/change.ts';
import { nextVersion } from '../../table/collection.ts';
import { hasValues } from '../../table/conditions.ts';
import { keys } from '../../table/keys.ts';
import { emit } from '../../table/outbox/outbox.ts';
import { getRows } from '../../table/rows.ts';
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

/** The reference fields of a content that name a source, with the places of these names. */
const namedSources = (content: Content) =>
  [...sectionsOf(content)].flatMap(({ section, loc }) =>
    section.fields.flatMap(({ reference }, position) =>
      reference?.source_id === undefined
        ? []
        : [{ ...reference, source_id: reference.source_id, loc: [...loc, 'fields', String(position)] }],
    ),
  );

/** Problems of reference fields whose source does not exist, or brings something else. One call, where any names one. */
const missingSources = async (caller: Caller, content: Content): Promise<Problem[]> => {
  const named = namedSources(content);
  const rows = await getRows(
    caller,
    named.map(({ source_id }) => keys.one(caller, 'SOURCE', source_id)),
  );
  return named.flatMap(({ target_ref, loc }, position) =>
    rows[position]?.target_ref === target_ref
      ? []
      : [problemAt([...loc, 'reference', 'source_id'], `there is no such source of ${target_ref}`)],
  );
};

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
    const problems = [
      ...publishProblems(content, publishedContent),
      ...(await missingSources(caller, content)),
    ];
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
