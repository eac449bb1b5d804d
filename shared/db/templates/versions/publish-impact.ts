import type { Caller } from '../../../base/caller.ts';
import { publishImpact as impactOf } from '../../../domain/content/publish/impact.ts';
import type { PublishImpact, RunningInspections } from '../../../schemas/templates/publish-impact.ts';
import { keys } from '../../table/keys.ts';
import { retrying } from '../../table/retry.ts';
import { getRows, queryRows } from '../../table/rows.ts';
import { readDraftToPublish } from './draft-to-publish.ts';
import { versionRecords } from './record.ts';

/** Number of running inspections of a family, by template version. Calls: a Query, and one for the versions. */
const runningInspections = async (caller: Caller, familyId: string): Promise<RunningInspections> => {
  const counts = new Map<string, number>();
  for await (const { sk } of queryRows(caller, keys.parts(caller, 'FAMILY', familyId, 'RUNNING'))) {
    const [, templateId = ''] = sk.split('#');
    counts.set(templateId, (counts.get(templateId) ?? 0) + 1);
  }
  const rows = await getRows(
    caller,
    [...counts.keys()].map((id) => versionRecords.key(caller, id)),
  );
  const by_version = rows
    .filter((row) => row !== undefined)
    .map(({ id, version_number }) => ({ template_id: id, version_number, count: counts.get(id)! }));
  return {
    total: by_version.reduce((sum, { count }) => sum + count, 0),
    by_version: by_version.toSorted((a, b) => a.version_number - b.version_number),
  };
};

/** What publishing a draft would change. @throws ApiError 404; 409 unless it is a draft */
export const publishImpact = async (caller: Caller, id: string): Promise<PublishImpact> => {
  const { draft, family, content, publishedContent, problems } = await retrying('The database', () =>
    readDraftToPublish(caller, id),
  );
  return {
    template_id: id,
    current_version_id: family.current?.template_id ?? null,
    ...impactOf(content, publishedContent),
    problems,
    running_inspections: await runningInspections(caller, draft.family_id),
  };
};
