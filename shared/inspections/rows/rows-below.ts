import type { Caller } from '../../base/caller.ts';
import { assetOf, unitOf } from '../../domain/inspections/repeats.ts';
import { labelsOf } from '../../domain/labels.ts';
import type { Happening } from '../../schemas/event-data.ts';
import { FindingEventData } from '../../schemas/finding.ts';
import { present } from '../../schemas/projection.ts';
import type { Work } from '../../table/change.ts';
import { type Condition, exists, hasValues } from '../../table/conditions.ts';
import type {
  StoredAnswer,
  StoredAttachment,
  StoredFinding,
  StoredInspection,
  StoredReport,
} from '../../table/entities/inspections.ts';
import type { EventSubject } from '../../table/entities/machinery.ts';
import { keys } from '../../table/keys.ts';
import { aboutOf, emit, enqueue } from '../../table/outbox/outbox.ts';
import { asRead, type Facts, follow, type Resource } from '../../table/resource.ts';
import { isPart, queryRows, type Row, withoutKeys } from '../../table/rows.ts';
import { leaveSlot } from '../../table/slots.ts';
import * as write from '../../table/writes.ts';
import { combineCounts, type Write } from '../../table/writes.ts';
import { actionEvent, actionRecords, type ActionSurroundings } from './corrective-action-records.ts';
import { listedLabels, listIndex } from './listed.ts';

/*
 * The rows below an inspection: what follows from each of them, and how they are deleted. Corrective actions have a
 * page of their own.
 */

export const answerFacts: Facts<StoredAnswer> = { documents: { in: (answer) => answer, field: 'value' } };

/** Where later inspections look for a finding: at the location of its inspection, or else of its unit. */
export const foundIn = (
  { location_id, template_family_id }: Pick<StoredInspection, 'location_id' | 'template_family_id'>,
  finding: Pick<StoredFinding, 'field_id' | 'location_id'>,
): NonNullable<StoredFinding['found_in']> | null => {
  const at = location_id ?? finding.location_id;
  return at && finding.field_id ? { location_id: at, template_family_id } : null;
};

export const FINDING_REF = 'external_ref of findings';

export const findingRecords: Resource<StoredFinding> = {
  noun: 'finding',
  moves: 'moves',
  keyOf: (caller, { inspection_id, id }) => keys.child(caller, inspection_id, 'FINDING', id),
  index: (caller, { status, severity, listed_under }) =>
    listIndex(caller, 'FINDING', [status, severity], listed_under),
  documents: { in: ({ content }) => content, field: 'content.media' },
  unique: { [FINDING_REF]: ({ external_ref }) => external_ref },
  followers: [
    {
      row: keys.reference,
      what: 'finding by its own id',
      within: ['FINDING'],
      at: ({ id }) => [['FINDING', id]],
      holds: (_, { inspection_id }) => ({ inspection_id }),
    },
    {
      row: keys.foundAt,
      what: 'finding at a location',
      under: 'LOCATION',
      at: ({ id, found_in }) => (found_in ? [[found_in.location_id, found_in.template_family_id, id]] : []),
      holds: (_, finding) => ({
        inspection_id: finding.inspection_id,
        finding_id: finding.id,
        field_id: finding.field_id,
        unit_id: unitOf(finding),
        ...assetOf(finding),
        found_at: finding.created_at,
      }),
    },
    {
      row: keys.findingWith,
      what: 'finding by label',
      at: (finding) =>
        [...listedLabels(finding.listed_under), ...labelsOf(finding)].map((label) => [label, finding.id]),
      holds: (_, { inspection_id }) => ({ inspection_id }),
    },
  ],
};

/** A finding with what may be absent from its row. */
export const wholeFinding = (finding: StoredFinding) => ({
  location_id: null,
  external_ref: null,
  tags: [],
  metadata: {},
  ...finding,
  asset_id: finding.listed_under.asset_id ?? null,
});

/** The event of a change of a finding. */
export const findingEvent = (
  work: Work,
  what: Happening<'finding'>,
  finding: StoredFinding,
  inspection: EventSubject,
): Write =>
  emit(work, `finding.${what}`, present(FindingEventData, wholeFinding(finding)), {
    about: aboutOf(inspection),
  });

export const attachmentFacts: Facts<StoredAttachment> = {
  documents: { in: ({ document_id }) => ({ document_id }), field: 'document_id' },
};

/** Bytes of a report's files; none until it is rendered. */
const reportBytes = ({
  size_bytes,
  payload_bytes,
}: Partial<Pick<StoredReport, 'size_bytes' | 'payload_bytes'>>): number =>
  (size_bytes ?? 0) + (payload_bytes ?? 0);

export const reportRecords: Resource<StoredReport> = {
  noun: 'report',
  keyOf: (caller, { inspection_id, id }) => keys.child(caller, inspection_id, 'REPORT', id),
  bytes: reportBytes,
  followers: [
    {
      row: keys.reference,
      what: 'report by its own id',
      within: ['REPORT'],
      at: ({ id }) => [['REPORT', id]],
      holds: (_, { inspection_id }) => ({ inspection_id }),
    },
  ],
};

/** Asks a worker to delete the files of reports, in the transaction that deletes the reports' rows. */
export const deleteFiles = (work: Work, reports: readonly Pick<StoredReport, 'id'>[]): Write[] =>
  reports.length === 0 ? [] : [enqueue(work, 'cleanup', { report_ids: reports.map(({ id }) => id) })];

/** Writes of one transaction for deleted rows. The other half is for the rows that they belong to. */
const MAX_WRITES = 45;

/** The row is as it was read. */
const isAsRead = (row: Row<{ version?: number }>): number | Condition => {
  if (isPart(row, 'FINDING')) return asRead(findingRecords, row);
  if (isPart(row, 'ACTION')) return asRead(actionRecords, row);
  if (!isPart(row, 'REPORT')) return row.version ?? exists;
  // The version of a report is its number. What changes are its status, with it its bytes, and what is below it.
  const { status, parts_revision } = row;
  return hasValues({ status, parts_revision });
};

/**
 * The events of a deleted row.
 * @param inspection that of the row; undefined when it does not exist, and nobody has heard of what is below it
 */
const deletionEvents = (
  work: Work,
  row: Row<object>,
  inspection: ActionSurroundings | undefined,
): Write[] => {
  if (!inspection) return [];
  if (isPart(row, 'FINDING')) return [findingEvent(work, 'deleted', withoutKeys(row), inspection)];
  if (isPart(row, 'ACTION')) return [actionEvent(work, 'deleted', withoutKeys(row), inspection)];
  return [];
};

/** The writes that delete what follows from a row. */
const followersRemoval = (work: Work, row: Row<object>): Write[] => {
  if (isPart(row, 'ANSWER')) return follow(answerFacts, work, row, undefined);
  if (isPart(row, 'FINDING')) return follow(findingRecords, work, row, undefined);
  if (isPart(row, 'ACTION')) return follow(actionRecords, work, row, undefined);
  if (isPart(row, 'ATTACHMENT')) return follow(attachmentFacts, work, row, undefined);
  if (isPart(row, 'EXPORT')) return leaveSlot(work, 'EXPORT', row);
  if (isPart(row, 'EMAIL')) return leaveSlot(work, 'MAIL', row);
  if (!isPart(row, 'REPORT')) return [];
  return [...follow(reportRecords, work, row, undefined), ...leaveSlot(work, 'RENDER', row)];
};

/** The deletion of some rows in one transaction. */
interface Deletion {
  /** The rows that it deletes. */
  deleted: Row<object>[];
  writes: Write[];
  /** Whether these are all of the rows. */
  isAll: boolean;
}

/**
 * Deletes rows and everything that depends on them, with their events, as many as fit into one transaction. It reads no
 * more rows than it needs.
 * @param inspection that of the rows; undefined when it does not exist
 */
export const deleteRows = async (
  work: Work,
  inspection: ActionSurroundings | undefined,
  rows: AsyncIterable<Row<object>>,
): Promise<Deletion> => {
  const deleted: Row<object>[] = [];
  const writesOf = (some: readonly Row<object>[]) =>
    // Several rows may show one document, and a transaction writes it once.
    combineCounts([
      ...some.flatMap((row) => [
        write.remove(write.keyOf(row), isAsRead(row)),
        ...followersRemoval(work, row),
        ...deletionEvents(work, row, inspection),
      ]),
      ...deleteFiles(
        work,
        some.filter((row) => isPart(row, 'REPORT')),
      ),
    ]);
  for await (const row of rows) {
    if (writesOf([...deleted, row]).length > MAX_WRITES) {
      // A row that needs more writes than the limit is deleted alone.
      const some = deleted.length > 0 ? deleted : [row];
      return { deleted: some, writes: writesOf(some), isAll: false };
    }
    deleted.push(row);
  }
  return { deleted, writes: writesOf(deleted), isAll: true };
};

/**
 * Rows below an inspection. Each row comes after the rows below itself, so that an interrupted deletion still finds
 * these. One call for each corrective action and each report. Files of exports are not looked for: the storage deletes
 * them 31 days after they were made.
 */
export const withRowsBelow = async function* (
  caller: Caller,
  rows: AsyncIterable<Row<object>> | Iterable<Row<object>>,
): AsyncGenerator<Row<object>> {
  for await (const row of rows) {
    const [kind, id = ''] = row.sk.split('#');
    if (kind === 'ACTION' || kind === 'REPORT') {
      yield* queryRows(caller, { partition: keys.below(caller, kind, id), pageSize: MAX_WRITES });
    }
    yield row;
  }
};

/** All rows below an inspection. */
export const rowsBelow = (caller: Caller, inspectionId: string): AsyncGenerator<Row<object>> => {
  const partition = keys.below(caller, 'INSPECTION', inspectionId);
  return withRowsBelow(caller, queryRows(caller, { partition, pageSize: MAX_WRITES }));
};
