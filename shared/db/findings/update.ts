import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { merge } from '../../base/fields.ts';
import { shownDocuments } from '../../domain/content/shown-documents.ts';
import { documentsRemoved } from '../../domain/inspections/activity.ts';
import type { Finding, FindingChanges, FindingContentChanges } from '../../schemas/finding.ts';
import { activityWrites } from '../inspection-core/activity.ts';
import { addToCounters, expectUnarchived, isUnarchived, readPart } from '../inspection-core/parts.ts';
import { change, MAX_TRANSACTION_WRITES } from '../table/change.ts';
import { expectVersion } from '../table/collection.ts';
import { reference, resolve } from '../table/references.ts';
import { withoutKeys } from '../table/rows.ts';
import { closedActions } from './actions.ts';
import { findingChange, NOUN, resolutionOf, toFinding } from './record.ts';

/** Documents that one change of a finding adds or removes. Each takes a write, beside those of the finding itself. */
const MAX_EXCHANGED_DOCUMENTS = MAX_TRANSACTION_WRITES - 7;

/** @throws ApiError 422 when a change adds and removes more documents than one transaction can */
const checkExchangedDocuments = (count: number): void => {
  if (count <= MAX_EXCHANGED_DOCUMENTS) return;
  throw errors.validationFailed([
    {
      loc: ['body', 'media'],
      type: 'value_error',
      msg: `Value error, adds and removes too many documents in one request (maximum ${MAX_EXCHANGED_DOCUMENTS})`,
    },
  ]);
};

/** One change of a finding. */
const edit = (
  caller: Caller,
  id: string,
  changes: FindingChanges & { content?: FindingContentChanges },
  expectedVersion: number | undefined,
): Promise<Finding> =>
  change(caller, async (work) => {
    const { part, inspection } = await readPart(work, 'FINDING', id);
    const current = withoutKeys(part);
    const next = merge(current, changes);
    const added = shownDocuments(next).difference(shownDocuments(current));
    await resolve(
      work,
      [...added].map((documentId) => reference(work, 'media', 'DOCUMENT', documentId)),
    );
    expectVersion(NOUN, current, expectedVersion);
    if (isDeepStrictEqual(next, current)) return { writes: [], reply: toFinding(current) };
    expectUnarchived(inspection);
    if (next.status === 'resolved' && current.status === 'open') await closedActions(work, current);
    const removed = shownDocuments(current).difference(shownDocuments(next));
    checkExchangedDocuments(added.size + removed.size);
    const { finding, writes } = findingChange(work, current, {
      ...next,
      ...(next.status !== current.status && resolutionOf(work, next.status)),
    });
    return {
      writes: [
        ...writes,
        addToCounters(work, current.inspection_id, { findings_revision: 1 }, isUnarchived),
        ...activityWrites(work, current.inspection_id, documentsRemoved(current, next)),
      ],
      reply: toFinding(finding),
    };
  });

/** @throws ApiError 404; 409 for another version, an archived inspection, or a resolution while an action is open */
export const update = (
  caller: Caller,
  id: string,
  changes: FindingChanges,
  expectedVersion?: number,
): Promise<Finding> => edit(caller, id, changes, expectedVersion);

/** @throws ApiError 404; 400 for a document that does not exist; 409 for another version or an archived inspection */
export const updateContent = (
  caller: Caller,
  id: string,
  content: FindingContentChanges,
  expectedVersion?: number,
): Promise<Finding> => edit(caller, id, { content }, expectedVersion);
