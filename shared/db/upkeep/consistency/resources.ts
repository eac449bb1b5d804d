import type { Caller } from '../../../base/caller.ts';
import { clientAccountRecords } from '../../client-accounts/client-accounts.ts';
import { documentRecords } from '../../documents/documents.ts';
import { actionRecords } from '../../inspection-core/corrective-action-record.ts';
import { inspectionRecords } from '../../inspection-core/inspection-record.ts';
import { issueRecords } from '../../inspection-core/issue-record.ts';
import {
  answerFacts,
  attachmentFacts,
  findingRecords,
  reportRecords,
} from '../../inspection-core/rows-below.ts';
import { categoryRecords } from '../../issues/categories.ts';
import { locationRecords } from '../../locations/record.ts';
import { organizationFacts } from '../../organization/organizations.ts';
import { scheduleRecords } from '../../schedules/record.ts';
import type { Collection } from '../../table/collection.ts';
import type { ChildKind, Kind, VersionedKind } from '../../table/entities.ts';
import { type AnyPart, type Key, keys, nameOfKey } from '../../table/keys.ts';
import type { Facts } from '../../table/resource.ts';
import { isIn, isPart } from '../../table/rows.ts';
import { layoutRecords } from '../../templates/report-layouts.ts';
import { webhookRecords } from '../../webhooks/record.ts';

/** Any row from which something follows. */
export type AnyResource = { id: string };

/** Resources of one sort, from which rows, counters or bytes follow. */
export interface ResourceSort {
  facts: Facts<AnyResource>;
  isRow: (caller: Caller, row: Key) => boolean;
  /** The key of the resource that a following row leads to, by the values of that row and of its key. */
  keyOf?: (caller: Caller, values: Readonly<Record<string, string | null>>) => Key | undefined;
}

/** The rows of a sort are given its own facts alone: `isRow` makes sure of that. */
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
  LOCATION: ofKind(locationRecords, 'location_id'),
  CLIENT: ofKind(clientAccountRecords),
  ISSUE_CATEGORY: ofKind(categoryRecords),
  ISSUE: ofKind(issueRecords, 'issue_id'),
  SCHEDULE: ofKind(scheduleRecords),
  WEBHOOK: ofKind(webhookRecords),
  DOCUMENT: ofKind(documentRecords),
  KEY: null,
  MEMBER: null,
  PREFERENCES: null,
  UPLOAD: null,
  FAMILY: null,
  TEMPLATE: null,
  BULK_EXPORT: null,
  CONNECTION: null,
  SOURCE: null,
  CANDIDATE: null,
} satisfies Record<Kind, KindSort | null>;

/** Sorts with a partition of their kind. Inspections are checked together with what is below them. */
export const KINDS: readonly KindSort[] = Object.values(BY_KIND).filter((sort) => sort !== null);

/** Everything that something follows from. */
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
