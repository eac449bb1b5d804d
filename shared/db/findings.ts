import type { Caller } from '../domain/caller.ts';
import { type ContentIndex, resolveInstance } from '../domain/content.ts';
import { lockedMessage } from '../domain/workflow.ts';
import { badRequest, conflict } from '../http/errors.ts';
import type { Finding, FindingQuery, NewFinding } from '../schemas/finding.ts';
import type { InspectionStatus } from '../schemas/inspection.ts';
import { change } from './change.ts';
import { newResource, nextVersion } from './collection.ts';
import { contentOf } from './content.ts';
import { documents } from './documents.ts';
import { countIn, placeOf } from './inspection-parts.ts';
import { rows } from './inspection-rows.ts';
import { type Key, keys } from './keys.ts';
import { type Listing, listing, readCursor } from './listing.ts';
import { emit } from './outbox.ts';
import { reference, resolve } from './references.ts';
import { nextNumber, queryRows, type Row, withoutKeys } from './rows.ts';
import { type Condition, create, drop, remove, replace, type Write } from './writes.ts';

const KIND = 'FINDING';

/** Whoever approves or signs off an inspection may still find something. */
const CLOSED: ReadonlySet<InspectionStatus> = new Set(['completed', 'archived']);
const isUnclosed: Condition = {
  // A row that is gone has no status, which is none of these either.
  ConditionExpression: 'attribute_exists(#status) AND NOT #status IN (:completed, :archived)',
  ExpressionAttributeNames: { '#status': 'status' },
  ExpressionAttributeValues: { ':completed': 'completed', ':archived': 'archived' },
};

export const findingKey = (caller: Caller, inspectionId: string, id: string): Key =>
  keys.child(caller, inspectionId, KIND, id);

/** What only the making of a finding decides. */
type Made = Pick<
  Finding,
  'inspection_id' | 'label' | 'section_id' | 'field_id' | 'instance_path' | 'origin' | 'severity' | 'content'
>;

/** A new finding with its rows and the news of it. */
export const newFinding = (
  caller: Caller,
  number: number,
  fields: Made,
): { finding: Finding; writes: Write[] } => {
  const finding: Finding = newResource({
    ...fields,
    number,
    status: 'open' as const,
    trigger_cleared: false,
    corrective_actions_count: 0,
    created_by: caller.user_id,
  });
  const { id, inspection_id } = finding;
  return {
    finding,
    writes: [
      create({ ...findingKey(caller, inspection_id, id), ...finding }),
      create({ ...keys.reference(caller, KIND, id), inspection_id }),
      emit(caller, 'finding.created', { inspection_id, finding_id: id }),
    ],
  };
};

/** Takes the next number of the organization's findings. */
export const nextFindingNumber = (caller: Caller): Promise<number> =>
  nextNumber(caller, keys.sequence(caller, KIND));

/** Nobody has edited the finding or acted on it: each of these moves its version. */
export const isUntouched = ({ version }: Finding): boolean => version === 1;

/** Without a finding that is as it was read. */
export const findingRemoval = (caller: Caller, { id, inspection_id, version }: Finding): Write[] => [
  remove(findingKey(caller, inspection_id, id), version),
  drop(keys.reference(caller, KIND, id)),
];

/** Whether the answer that led to a finding still fails. */
export const findingMark = (caller: Caller, row: Row<Finding>, trigger_cleared: boolean): Write => {
  const finding = nextVersion(withoutKeys<Finding>(row), { trigger_cleared });
  return replace({ ...findingKey(caller, finding.inspection_id, finding.id), ...finding }, row.version);
};

/** Where a finding was made. @throws ApiError 400 for a place that the content does not have */
const placed = (
  index: ContentIndex,
  { section_id, field_id, instance_path }: NewFinding,
): Pick<Finding, 'section_id' | 'field_id' | 'instance_path'> => {
  if (field_id === null) {
    if (section_id !== null && !index.sections.has(section_id)) {
      throw badRequest('section_id is not a section of this inspection');
    }
    return { section_id, field_id, instance_path };
  }
  const { section } = placeOf(index, field_id, section_id);
  const instance = resolveInstance(index, field_id, undefined, instance_path);
  if (Array.isArray(instance)) throw badRequest(`instance_path: ${instance[0]!.msg}`);
  return { section_id: section.id, field_id, instance_path: instance.instance_path };
};

export const findings = {
  /**
   * @throws ApiError 404; 400 for a place or a document that is not there; 409 once the inspection is completed
   * or archived
   */
  create: async (caller: Caller, inspectionId: string, made: NewFinding): Promise<Finding> => {
    let number: number | undefined;
    return change(caller, async () => {
      const inspection = await rows.get(caller, inspectionId);
      const isPlaced = made.section_id !== null || made.field_id !== null;
      const place = isPlaced
        ? placed(await contentOf(caller, inspection.template_id, inspection.content_hash), made)
        : {};
      const shown = [...new Set(made.content.media.map(({ document_id }) => document_id))];
      await resolve(
        caller,
        shown.flatMap((id) => reference(caller, 'content.media', 'DOCUMENT', id)),
      );
      if (CLOSED.has(inspection.status)) throw conflict(lockedMessage(inspection.status));
      number ??= await nextFindingNumber(caller);
      const { finding, writes } = newFinding(caller, number, {
        ...made,
        ...place,
        inspection_id: inspectionId,
        origin: 'manual',
      });
      return {
        writes: [
          ...writes,
          countIn(caller, inspectionId, { findings_count: 1, parts_revision: 1 }, isUnclosed),
          ...shown.map((id) => documents.use(caller, id, 1, 'content.media')),
        ],
        reply: finding,
      };
    });
  },

  /** Those of one inspection, in creation order. @throws ApiError 404 */
  list: async (caller: Caller, inspectionId: string, query: FindingQuery): Promise<Listing<Finding>> => {
    const name = `${KIND} ${inspectionId}`;
    const after = readCursor(caller, name, query);
    await rows.get(caller, inspectionId);
    const { status, severity, origin } = query;
    const found = queryRows<Finding>(caller, {
      partition: keys.below(caller, 'INSPECTION', inspectionId),
      prefix: `${KIND}#`,
      after,
      updatedSince: query.updated_since,
      where: { status: status && [status], severity, origin: origin && [origin] },
    });
    return listing(caller, name, query, found, (row) => row.sk, withoutKeys<Finding>);
  },
};
