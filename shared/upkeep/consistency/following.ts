import type { Caller } from '../../base/caller.ts';
import { documentRecords } from '../../files/documents.ts';
import { certificateKindRecords } from '../../inspections/certificates/kinds.ts';
import { certificateRecords } from '../../inspections/certificates/records.ts';
import { actionRecords } from '../../inspections/rows/corrective-action-records.ts';
import { inspectionRecords } from '../../inspections/rows/inspection-records.ts';
import { issueRecords } from '../../inspections/rows/issue-records.ts';
import {
  answerFacts,
  attachmentFacts,
  findingRecords,
  reportRecords,
} from '../../inspections/rows/rows-below.ts';
import { categoryRecords } from '../../issues/categories.ts';
import { organizationFacts } from '../../organizations/organizations.ts';
import { assetKindRecords } from '../../places/assets/kinds.ts';
import { assetRecords } from '../../places/assets/records.ts';
import { clientAccountRecords } from '../../places/client-accounts/client-accounts.ts';
import { locationRecords } from '../../places/locations/records.ts';
import { regionRecords } from '../../places/regions/regions.ts';
import { holidayRecords } from '../../schedules/holiday-calendars.ts';
import { scheduleRecords } from '../../schedules/records.ts';
import { workOf } from '../../table/change.ts';
import type { Collection } from '../../table/collection.ts';
import type { ChildKind, Kind, VersionedKind } from '../../table/entities/kinds.ts';
import { type AnyPart, type Key, keys, nameOfKey } from '../../table/keys.ts';
import { type Facts, follow, type Follower } from '../../table/resource.ts';
import { getRow, isIn, isPart, queryRows, type Row, withoutKeys } from '../../table/rows.ts';
import { layoutRecords } from '../../templates/report-layouts.ts';
import { webhookRecords } from '../../webhooks/records.ts';
import { transferRecords } from '../transfers/records.ts';

/** A row from which others follow. */
export type AnyResource = { id: string };

/** Resources of one sort, and the facts from which their rows, counters and bytes follow. */
export interface ResourceSort {
  facts: Facts<AnyResource>;
  isRow: (caller: Caller, row: Key) => boolean;
  /** The key of the resource from which a row follows, made from the values of that row and of its key. */
  keyOf?: (caller: Caller, values: Readonly<Record<string, string | null>>) => Key | undefined;
}

/** The facts of any resource. `isRow` makes sure that they get only rows of their own sort. */
const erased = <Stored extends AnyResource>(facts: Facts<Stored>) => facts as unknown as Facts<AnyResource>;

/** Resources that have a partition of their kind. */
interface KindSort extends ResourceSort {
  kind: Kind;
}

/** @param idName what keys of following rows call the id of such a resource */
const ofKind = <K extends VersionedKind>(records: Collection<K>, idName?: string): KindSort => {
  const { kind } = records;
  return {
    kind,
    facts: erased(records),
    isRow: (caller, row) => isIn(row, keys.all(caller, kind)),
    ...(idName && {
      keyOf: (caller, { id, [idName]: ownId = id }) => keys.one(caller, kind, String(ownId)),
    }),
  };
};

/** Rows below another one. */
const ofPart = <Stored extends AnyResource>(part: keyof AnyPart, facts: Facts<Stored>): ResourceSort => ({
  facts: erased(facts),
  isRow: (_, row) => isPart(row, part),
});

/** Rows below an inspection that are also addressed by their own id. */
const ofChild = <Stored extends AnyResource>(
  kind: ChildKind,
  facts: Facts<Stored>,
  idName: string,
): ResourceSort => ({
  ...ofPart(kind, facts),
  keyOf: (caller, { inspection_id, id, [idName]: childId = id }) =>
    childId ? keys.child(caller, String(inspection_id), kind, childId) : undefined,
});

/** What follows from the resources of each kind; null where nothing does. */
const BY_KIND = {
  INSPECTION: ofKind(inspectionRecords, 'inspection_id'),
  REGION: ofKind(regionRecords),
  LOCATION: ofKind(locationRecords, 'location_id'),
  TRANSFER: ofKind(transferRecords),
  ASSET_KIND: ofKind(assetKindRecords),
  ASSET: ofKind(assetRecords, 'asset_id'),
  CERTIFICATE_KIND: ofKind(certificateKindRecords, 'certificate_kind_id'),
  CERTIFICATE: ofKind(certificateRecords, 'certificate_id'),
  CLIENT: ofKind(clientAccountRecords, 'client_account_id'),
  ISSUE_CATEGORY: ofKind(categoryRecords),
  ISSUE: ofKind(issueRecords, 'issue_id'),
  HOLIDAYS: ofKind(holidayRecords),
  SCHEDULE: ofKind(scheduleRecords, 'schedule_id'),
  WEBHOOK: ofKind(webhookRecords),
  DOCUMENT: ofKind(documentRecords),
  KEY: null,
  MEMBER: null,
  PREFERENCES: null,
  UPLOAD: null,
  FAMILY: null,
  TEMPLATE: null,
  BULK_EXPORT: null,
  BULK_CHANGE: null,
  CONNECTION: null,
  SOURCE: null,
  CANDIDATE: null,
} satisfies Record<Kind, KindSort | null>;

/** Sorts with a partition of their kind. Inspections are checked together with the rows below them. */
export const KINDS: readonly KindSort[] = Object.values(BY_KIND).filter((sort) => sort !== null);

/** All sorts of resources from which something follows. */
export const SORTS: readonly ResourceSort[] = [
  ...KINDS,
  ofPart('ANSWER', answerFacts),
  ofChild('FINDING', findingRecords, 'finding_id'),
  ofChild('ACTION', actionRecords, 'action_id'),
  ofPart('ATTACHMENT', attachmentFacts),
  ofChild('REPORT', reportRecords, 'report_id'),
  ofPart('LAYOUT', layoutRecords),
  {
    facts: erased(organizationFacts),
    isRow: (caller, row) => nameOfKey(row) === nameOfKey(keys.organization(caller)),
  },
];

/** A row that follows from another one. */
export interface FollowingRow {
  row: Row;
  /** Undefined for a reserved value. */
  follower: Follower<AnyResource> | undefined;
  source: AnyResource;
}

/** What follows from a row: other rows, and changes of counters. */
export interface Following {
  rows: FollowingRow[];
  counts: { key: Key; add: Readonly<Record<string, number>> }[];
}

const factsOf = (caller: Caller, row: Key) => SORTS.find(({ isRow }) => isRow(caller, row))?.facts;

/** The attributes by which indexes find a row. */
export const indexOf = (caller: Caller, row: Row<object>): Readonly<Record<string, unknown>> => ({
  ...factsOf(caller, row)?.index?.(caller, resourceIn(row)),
});

/** A row of one of the sorts. Each of them has an id. */
const resourceIn = (row: Row<object>): AnyResource => withoutKeys(row) as AnyResource;

/** What follows from a row: the same rows and counts that are written when it is created. */
export const followingOf = (caller: Caller, row: Row<object>): Following => {
  const facts = factsOf(caller, row);
  if (!facts) return { rows: [], counts: [] };
  const source = resourceIn(row);
  const { followers = [], ...others } = facts;
  const work = workOf(caller);
  const rowsIn = (some: Facts<AnyResource>, follower?: Follower<AnyResource>): FollowingRow[] =>
    follow(some, work, undefined, source).flatMap(({ item }) =>
      // The SDK's type of an item does not tell that it has a key.
      item.Put ? [{ row: item.Put.Item as Row, follower, source }] : [],
    );
  return {
    rows: [...followers.flatMap((each) => rowsIn({ followers: [each] }, each)), ...rowsIn(others)],
    counts: follow(others, work, undefined, source).flatMap(({ key, add }) => (add ? [{ key, add }] : [])),
  };
};

/** Kinds whose resources are used by others, and so have usage rows. */
export const USED_KINDS: readonly Kind[] = [
  ...new Set(KINDS.flatMap(({ facts }) => Object.values<Kind | undefined>(facts.uses?.fields ?? {}))),
].filter((kind) => kind !== undefined);

/** The ids in a kind's usage rows, each once. Resources that were deleted may still have usage rows. */
const usedIds = async function* (caller: Caller, kind: Kind): AsyncGenerator<string> {
  let last = '';
  for await (const { sk } of queryRows(caller, { partition: keys.usage.partition(caller, kind) })) {
    const [id = ''] = sk.split('#');
    if (id !== last) yield id;
    last = id;
  }
};

/** Every id of a kind, including deleted resources that have usage rows. */
export const idsOf = async function* (caller: Caller, kind: Kind): AsyncGenerator<string> {
  const used = usedIds(caller, kind);
  let next = await used.next();
  for await (const { sk } of queryRows(caller, { partition: keys.all(caller, kind) })) {
    for (; !next.done && next.value <= sk; next = await used.next()) if (next.value < sk) yield next.value;
    yield sk;
  }
  for (; !next.done; next = await used.next()) yield next.value;
};

/** All rows below an inspection, and the attachments of its corrective actions. */
export const rowsBelowInspection = async function* (caller: Caller, id: string): AsyncGenerator<Row<object>> {
  for await (const row of queryRows(caller, { partition: keys.below(caller, 'INSPECTION', id) })) {
    yield row;
    if (isPart(row, 'ACTION')) yield* queryRows(caller, keys.parts(caller, 'ACTION', row.id, 'ATTACHMENT'));
  }
};

/**
 * Every row that counters depend on.
 * @param isWhole whether to include rows that only count as uses of documents or as bytes stored
 */
export const countedRows = async function* (caller: Caller, isWhole: boolean): AsyncGenerator<Row<object>> {
  for (const { kind, facts } of KINDS) {
    if (!isWhole && !facts.counts && !facts.uses) continue;
    for await (const row of queryRows(caller, { partition: keys.all(caller, kind) })) {
      yield row;
      if (isWhole && kind === 'INSPECTION') yield* rowsBelowInspection(caller, row.sk);
    }
  }
  if (!isWhole) return;
  const organization = await getRow(caller, keys.organization(caller));
  if (organization) yield organization;
  for await (const id of idsOf(caller, 'FAMILY')) {
    yield* queryRows(caller, keys.parts(caller, 'FAMILY', id, 'LAYOUT'));
  }
};
