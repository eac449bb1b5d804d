import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import { badRequest, conflict, unprocessable } from '../../base/errors.ts';
import { merge } from '../../base/merge.ts';
import { type ContentIndex, resolveInstance } from '../../domain/content/content-index.ts';
import { shownDocuments } from '../../domain/content/shown-documents.ts';
import { isActionOpen } from '../../domain/corrective-actions.ts';
import { lockedMessage } from '../../domain/inspections/workflow.ts';
import type {
  Finding,
  FindingChanges,
  FindingContentChanges,
  FindingQuery,
  NewFinding,
} from '../../schemas/finding.ts';
import type { InspectionStatus } from '../../schemas/inspections/inspection.ts';
import * as documents from '../documents/documents.ts';
import {
  type ActionRule,
  automaticAction,
  type StoredAction,
  untouchedRemoval,
} from '../inspection-core/corrective-action-record.ts';
import { ending, withHistories } from '../inspection-core/ending.ts';
import {
  countIn,
  expectUnarchived,
  isNot,
  isUnarchived,
  placeOf,
  readPart,
  referenceTo,
} from '../inspection-core/parts.ts';
import { rows } from '../inspection-core/record.ts';
import { audienceIn } from '../notifications/audiences.ts';
import { notify } from '../notifications/notifications.ts';
import { change } from '../table/change.ts';
import { expectVersion, newResource, nextVersion } from '../table/collection.ts';
import { hasValues, versionIs } from '../table/conditions.ts';
import { type Key, keys } from '../table/keys.ts';
import { type Listing, listing, readCursor } from '../table/listing.ts';
import { emit } from '../table/outbox.ts';
import { reference, resolve } from '../table/references.ts';
import { nextNumber, queryRows, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { contentOf } from '../templates/content.ts';

const KIND = 'FINDING';
const NOUN = 'finding';

/** Whoever approves or signs off an inspection may still find something. */
const CLOSED: InspectionStatus[] = ['completed', 'archived'];

export const findingKey = (caller: Caller, inspectionId: string, id: string): Key =>
  keys.child(caller, inspectionId, KIND, id);

/** What only the making of a finding decides. */
type Made = Pick<
  Finding,
  'inspection_id' | 'label' | 'section_id' | 'field_id' | 'instance_path' | 'origin' | 'severity' | 'content'
>;

/**
 * A new finding with its rows and the news of it.
 * @param automatic the action that its rule asks for, with a number for that: it counts as an open one in the
 *   inspection
 */
export const newFinding = (
  caller: Caller,
  number: number,
  fields: Made,
  automatic?: { rule: ActionRule; number: number },
): { finding: Finding; writes: Write[] } => {
  const finding: Finding = newResource({
    ...fields,
    number,
    status: 'open' as const,
    trigger_cleared: false,
    corrective_actions_count: automatic ? 1 : 0,
    created_by: caller.user_id,
  });
  const { id, inspection_id } = finding;
  return {
    finding,
    writes: [
      write.create({ ...findingKey(caller, inspection_id, id), ...finding }),
      referenceTo(caller, KIND, finding),
      emit(caller, 'finding.created', { inspection_id, finding_id: id }),
      ...(automatic ? automaticAction(caller, automatic.number, finding, automatic.rule).writes : []),
    ],
  };
};

/** Takes the next number of the organization's findings. */
export const nextFindingNumber = (caller: Caller): Promise<number> =>
  nextNumber(caller, keys.sequence(caller, KIND));

/**
 * Nobody has edited the finding or acted on it, nor touched the action that was made with it: each of these moves
 * a version.
 * @param action what stands at `automaticActionKey`
 */
export const isUntouched = ({ version }: Finding, action?: StoredAction): boolean =>
  version === 1 && (action === undefined || action.version === 1);

/** Without a finding that is as it was read, and the action that was made with it. */
export const findingRemoval = (
  caller: Caller,
  { id, inspection_id, version }: Finding,
  action?: StoredAction,
): Write[] => [
  write.remove(findingKey(caller, inspection_id, id), version),
  write.drop(keys.reference(caller, KIND, id)),
  ...(action ? untouchedRemoval(caller, action) : []),
];

/** Whether the answer that led to a finding still fails. */
export const findingMark = (caller: Caller, row: Row<Finding>, trigger_cleared: boolean): Write => {
  const finding = nextVersion(withoutKeys<Finding>(row), { trigger_cleared });
  return write.replace({ ...findingKey(caller, finding.inspection_id, finding.id), ...finding }, row.version);
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

const isFindingOpen = hasValues({ status: 'open' });

/** What a 409 says where an action of a resolved finding would be open. */
export const RESOLVED = `${NOUN} is resolved; open it again before acting on it`;

/**
 * That an action of a finding opens, one more or one again: it moves the finding's version, for whoever resolves
 * or deletes the finding meanwhile has counted on all its actions being closed.
 */
export const opening = (
  caller: Caller,
  { finding_id, inspection_id }: Pick<StoredAction, 'finding_id' | 'inspection_id'>,
  more: 0 | 1,
): Write =>
  write.update(
    findingKey(caller, inspection_id, finding_id),
    { set: { updated_at: new Date().toISOString() }, add: { version: 1, corrective_actions_count: more } },
    isFindingOpen,
    (standing) => (standing ? conflict(RESOLVED) : 'stale'),
  );

/** A finding's actions, all of them closed. @throws ApiError 409 naming one that is open */
const closedActions = async (
  caller: Caller,
  { id, inspection_id }: Finding,
): Promise<Row<StoredAction>[]> => {
  const actions = await Array.fromAsync(
    queryRows<StoredAction>(caller, {
      partition: keys.below(caller, 'INSPECTION', inspection_id),
      prefix: 'ACTION#',
      where: { finding_id: [id] },
    }),
  );
  const open = actions.find(({ status }) => isActionOpen(status));
  if (open) throw conflict(`corrective action ${open.number} (${open.title}) is ${open.status}`);
  return actions;
};

/** More would not fit into one change: each document is a row, beside the finding and the inspection. */
const MOST_EXCHANGED = 95;

/** One change of a finding. */
const edit = (
  caller: Caller,
  id: string,
  changes: FindingChanges & { content?: FindingContentChanges },
  expectedVersion: number | undefined,
): Promise<Finding> =>
  change(caller, async () => {
    const { part, inspection } = await readPart<Finding>(caller, KIND, id);
    const current = withoutKeys<Finding>(part);
    const next = merge(current, changes);
    const added = shownDocuments(next).difference(shownDocuments(current));
    await resolve(
      caller,
      [...added].flatMap((documentId) => reference(caller, 'media', 'DOCUMENT', documentId)),
    );
    expectVersion(NOUN, current, expectedVersion);
    if (isDeepStrictEqual(next, current)) return { writes: [], reply: current };
    expectUnarchived(inspection);
    if (next.status === 'resolved' && current.status === 'open') await closedActions(caller, current);
    const exchanged = documents.moveUses(caller, current, next, 'media');
    if (exchanged.length > MOST_EXCHANGED) {
      throw unprocessable([
        {
          loc: ['body', 'media'],
          type: 'value_error',
          msg: `Value error, exchanges more documents than one change can, which is ${MOST_EXCHANGED}`,
        },
      ]);
    }
    const updated = nextVersion(current, next);
    return {
      writes: [
        write.replace({ ...findingKey(caller, current.inspection_id, id), ...updated }, current.version),
        countIn(caller, current.inspection_id, { findings_revision: 1 }, isUnarchived),
        ...exchanged,
      ],
      reply: updated,
    };
  });

/**
 * The end of a finding and of its closed actions: of these as much as fits into one change, and with the last of
 * them the finding itself.
 */
const deleteSome = (caller: Caller, id: string, expectedVersion: number | undefined): Promise<boolean> =>
  change(caller, async () => {
    const { part, inspection } = await readPart<Finding>(caller, KIND, id);
    const finding = withoutKeys<Finding>(part);
    expectVersion(NOUN, finding, expectedVersion);
    expectUnarchived(inspection);
    const actions = await closedActions(caller, finding);
    const { gone, writes, isAll } = await ending(caller, withHistories(caller, actions), finding);
    const { inspection_id, version } = finding;
    const key = findingKey(caller, inspection_id, id);
    const actionsGone = gone.filter(({ sk }) => sk.startsWith('ACTION#')).length;
    return {
      writes: [
        ...writes,
        ...(isAll
          ? [write.remove(key, version), write.drop(keys.reference(caller, KIND, id))]
          : [
              write.update(
                key,
                {
                  set: { updated_at: new Date().toISOString() },
                  add: { version: 1, corrective_actions_count: -actionsGone },
                },
                versionIs(version),
              ),
            ]),
        countIn(
          caller,
          inspection_id,
          { findings_revision: 1, findings_count: isAll ? -1 : 0 },
          isUnarchived,
        ),
      ],
      reply: isAll,
    };
  });

const FAMILY = 'template_family_id';

/**
 * @throws ApiError 404; 400 for a place or a document that is not there; 409 once the inspection is completed
 * or archived
 */
export const create = async (caller: Caller, inspectionId: string, made: NewFinding): Promise<Finding> => {
  let number: number | undefined;
  return change(caller, async () => {
    const inspection = await rows.get(caller, inspectionId);
    const isPlaced = made.section_id !== null || made.field_id !== null;
    const place = isPlaced
      ? placed(await contentOf(caller, inspection.template_id, inspection.content_hash), made)
      : {};
    const shown = shownDocuments(made.content);
    const found = await resolve(caller, [
      ...reference(caller, FAMILY, 'FAMILY', inspection.template_family_id),
      ...[...shown].flatMap((id) => reference(caller, 'content.media', 'DOCUMENT', id)),
    ]);
    if (CLOSED.includes(inspection.status)) throw conflict(lockedMessage(inspection.status));
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
        ...notify(caller, {
          event: 'finding_created',
          inspection,
          finding,
          ...audienceIn(found.get(FAMILY), 'on_finding'),
        }),
        countIn(
          caller,
          inspectionId,
          { findings_count: 1, findings_revision: 1, parts_revision: 1 },
          isNot(...CLOSED),
        ),
        ...documents.moveUses(caller, undefined, made.content, 'content.media'),
      ],
      reply: finding,
    };
  });
};

/** Those of one inspection, in creation order. @throws ApiError 404 */
export const list = async (
  caller: Caller,
  inspectionId: string,
  query: FindingQuery,
): Promise<Listing<Finding>> => {
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
};

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Finding> =>
  withoutKeys((await readPart<Finding>(caller, KIND, id)).part);

/** @throws ApiError 404; 409 for another version, an archived inspection, or to resolve it while an action is open */
export const update = (
  caller: Caller,
  id: string,
  changes: FindingChanges,
  expectedVersion?: number,
): Promise<Finding> => edit(caller, id, changes, expectedVersion);

/** @throws ApiError 404; 400 for a document that is not there; 409 for another version or an archived inspection */
export const updateContent = (
  caller: Caller,
  id: string,
  content: FindingContentChanges,
  expectedVersion?: number,
): Promise<Finding> => edit(caller, id, { content }, expectedVersion);

/** With its closed actions. @throws ApiError 404; 409 for another version, an archived inspection or an open action */
export const remove = async (caller: Caller, id: string, expectedVersion?: number): Promise<void> => {
  let isGone = await deleteSome(caller, id, expectedVersion);
  while (!isGone) isGone = await deleteSome(caller, id, undefined);
};
