import type { Caller } from '../../base/caller.ts';
import { placeName } from '../../domain/content/instance-paths.ts';
import type {
  ReportedAnswer,
  ReportedAttachment,
  ReportedCorrection,
  ReportedFinding,
  ReportedRevision,
} from '../../domain/report/material.ts';
import { withOriginals, originalsIn, type Originals } from '../../inspections/corrections/originals.ts';
import { readRepeats } from '../../inspections/findings/repeats.ts';
import { revisionOf } from '../../inspections/rows/revisions.ts';
import type { ReportPreviousScore } from '../../schemas/reports/report-payload.ts';
import type {
  StoredAction,
  StoredAnswer,
  StoredFinding,
  StoredInspection,
  StoredRevision,
} from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import { getRows, isPart, queryRows, type Row } from '../../table/rows.ts';

/** Whether an inspection was completed, even if it is archived now. */
export const isCompleted = ({
  status,
  archived_from,
}: Pick<StoredInspection, 'status' | 'archived_from'>): boolean =>
  status === 'completed' || (status === 'archived' && archived_from === 'completed');

/**
 * How many earlier inspections of a location are searched for the previous one. Together with the names that a report
 * needs, they usually fit into one BatchGetItem of 100 rows.
 */
const MAX_EARLIER = 25;

/** The latest inspections that were created at the same location before this one. One call; none without a location. */
export const readEarlierIds = async (
  caller: Caller,
  { id, location_id }: StoredInspection,
): Promise<string[]> => {
  if (location_id === null) return [];
  const rows = queryRows(caller, {
    partition: keys.inspectionsWith(caller, 'LOCATION', location_id),
    index: 'by_location',
    after: id,
    newestFirst: true,
    pageSize: MAX_EARLIER,
  });
  const ids: string[] = [];
  for await (const { sk } of rows) if (ids.push(sk) === MAX_EARLIER) break;
  return ids;
};

/** The score of the inspection of the same template family that was completed last before this one. */
export const previousScoreOf = (
  inspection: StoredInspection,
  earlier: readonly StoredInspection[],
): ReportPreviousScore | null => {
  const before = inspection.completed_at ?? new Date().toISOString();
  const [previous] = earlier
    .filter(
      (each) =>
        each.template_family_id === inspection.template_family_id &&
        each.location_id === inspection.location_id &&
        isCompleted(each) &&
        each.completed_at !== null &&
        each.completed_at < before &&
        (each.score?.percentage ?? null) !== null,
    )
    .toSorted((one, other) => (one.completed_at! < other.completed_at! ? 1 : -1));
  if (!previous) return null;
  const { id, number, completed_at, score } = previous;
  return {
    inspection_id: id,
    number,
    completed_at: completed_at!,
    percentage: score!.percentage!,
    result: score!.result,
  };
};

/** A change of an answer, with the correction that it belongs to. */
const toRevision = (row: Row<StoredRevision>): ReportedRevision => ({
  ...revisionOf(row).revision,
  correction_id: row.sk.split('#')[1]!,
});

/** The rows below an inspection that its reports show. */
interface ShownParts {
  answers: ReportedAnswer[];
  findings: ReportedFinding[];
  actions: StoredAction[];
  corrections: ReportedCorrection[];
  revisions: ReportedRevision[];
}

/** The parts without the changes of a correction that is not in force yet. */
const beforeCorrection = (parts: ShownParts, { records, findingIds }: Originals): ShownParts => {
  const changed = new Set(
    records.map(({ revision }) => placeName(revision.field_id, revision.instance_path)),
  );
  const added = new Set(findingIds);
  return {
    ...parts,
    answers: [
      ...parts.answers.filter(
        ({ field_id, instance_path }) => !changed.has(placeName(field_id, instance_path)),
      ),
      ...records.flatMap(({ before }) => (before && !before.is_prefilled ? before : [])),
    ],
    findings: parts.findings.filter(({ id }) => !added.has(id)),
    actions: parts.actions.filter(({ finding_id }) => !added.has(finding_id)),
  };
};

/**
 * The findings of earlier inspections that a re-inspection asks about again, with their actions. One call per hundred,
 * and a Query for each earlier inspection.
 */
const readFindingsAgain = async (
  caller: Caller,
  asked: readonly NonNullable<StoredAnswer['earlier_finding']>[],
): Promise<{ findings: StoredFinding[]; actions: StoredAction[] }> => {
  const rows = await getRows(
    caller,
    asked.map(({ inspection_id, id }) => keys.child(caller, inspection_id, 'FINDING', id)),
  );
  const findings = rows.filter((row) => row !== undefined);
  const ids = new Set(findings.map(({ id }) => id));
  const inspectionIds = new Set(findings.map(({ inspection_id }) => inspection_id));
  const lists = await Promise.all(
    [...inspectionIds].map((id) =>
      Array.fromAsync(queryRows(caller, keys.parts(caller, 'INSPECTION', id, 'ACTION'))),
    ),
  );
  return { findings, actions: lists.flat().filter(({ finding_id }) => ids.has(finding_id)) };
};

/**
 * An inspection and the rows below it as its reports show them: without the changes of a correction that is not in
 * force yet, and with the earlier findings that a re-inspection asks about again. A Query per megabyte of the rows
 * below it, and those of `readFindingsAgain` and `readRepeats`.
 */
export const readParts = async (
  caller: Caller,
  inspection: StoredInspection,
): Promise<ShownParts & { inspection: StoredInspection }> => {
  const active: Row<StoredRevision>[] = [];
  const asked: NonNullable<StoredAnswer['earlier_finding']>[] = [];
  const inspectionId = inspection.id;
  const answers: ReportedAnswer[] = [];
  const findings: StoredFinding[] = [];
  const actions: StoredAction[] = [];
  const corrections: ReportedCorrection[] = [];
  const revisions: ReportedRevision[] = [];
  for await (const row of queryRows(caller, { partition: keys.below(caller, 'INSPECTION', inspectionId) })) {
    if (isPart(row, 'ANSWER') && !row.is_prefilled) {
      answers.push(row);
      if (row.earlier_finding) asked.push(row.earlier_finding);
    }
    if (isPart(row, 'FINDING')) findings.push(row);
    if (isPart(row, 'ACTION')) actions.push(row);
    if (isPart(row, 'CORRECTION')) corrections.push(row);
    if (isPart(row, 'REVISION')) {
      const revision = toRevision(row);
      revisions.push(revision);
      if (revision.correction_id === inspection.active_correction_id) active.push(row);
    }
  }
  const again = await readFindingsAgain(caller, asked);
  const shown = [...findings, ...again.findings];
  const repeatOf = await readRepeats(caller, inspection, shown);
  const parts = {
    answers,
    findings: shown.map((finding) => ({ ...finding, repeat: repeatOf(finding) })),
    actions: [...actions, ...again.actions],
    corrections,
    revisions,
  };
  const before = originalsIn(caller, inspectionId, active);
  return { ...beforeCorrection(parts, before), inspection: withOriginals(inspection, before.fields) };
};

/** Queries that run at the same time. */
const MAX_QUERIES = 8;

/**
 * The documents of the actions. A Query for each action that was changed since its creation: only these can have any.
 */
export const readAttachments = async (
  caller: Caller,
  actions: readonly StoredAction[],
): Promise<ReportedAttachment[]> => {
  const changed = actions.filter(({ version }) => version > 1);
  const found: ReportedAttachment[] = [];
  for (let first = 0; first < changed.length; first += MAX_QUERIES) {
    const lists = changed.slice(first, first + MAX_QUERIES).map(async ({ id }) => {
      const rows = await Array.fromAsync(queryRows(caller, keys.parts(caller, 'ACTION', id, 'ATTACHMENT')));
      return rows.map(({ document_id, stage, caption }) => ({ action_id: id, document_id, stage, caption }));
    });
    found.push(...(await Promise.all(lists)).flat());
  }
  return found;
};
