import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { isActionOpen } from '../../domain/corrective-actions.ts';
import type { CorrectiveAction, NewCorrectiveAction } from '../../schemas/corrective-action.ts';
import { actionOpening, findingChange, NOUN as FINDING } from '../findings/record.ts';
import { resolved, unfinishedActions } from '../findings/resolve.ts';
import { newAction, nextActionNumber, toAction } from '../inspection-core/corrective-action-record.ts';
import {
  addToCounters,
  expectUnarchived,
  isUnarchived,
  readChild,
} from '../inspection-core/inspection-record.ts';
import { notify } from '../notifications/notify.ts';
import { change, type Work } from '../table/change.ts';
import { expectVersion } from '../table/collection.ts';
import type { StoredAction, StoredFinding, StoredInspection } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { withoutKeys } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';
import { contentOf } from '../templates/content.ts';
import { assigneeKey, checkAssignee } from './assignee.ts';
import { evidenceWrites } from './attachments.ts';
import { completedOnSite, isSecondPersonNeeded } from './edit.ts';

/**
 * Checks the evidence of an action that was carried out on the spot. Calls: the content of the inspection, unless it is
 * cached or there is evidence.
 * @throws ApiError 422 when the request or the template asks for evidence that there is not
 */
const expectEvidence = async (
  caller: Caller,
  inspection: StoredInspection,
  finding: StoredFinding,
  { evidence, evidence_required }: NewCorrectiveAction,
): Promise<void> => {
  if (evidence.length > 0) return;
  const { template_id, content_hash } = inspection;
  const index = finding.field_id ? await contentOf(caller, template_id, content_hash) : undefined;
  const rule = index?.fields.get(finding.field_id!)?.field.finding;
  if (!evidence_required && !rule?.corrective_action?.evidence_required) return;
  throw errors.validationFailed([
    {
      loc: ['body', 'evidence'],
      type: 'too_short',
      msg: 'List should have at least 1 item: an action that is completed on site needs evidence here',
      ctx: { min_length: 1 },
    },
  ]);
};

/** The finding's part: it counts the action, and is resolved when none of its actions is open any more. */
const findingWrites = async (
  work: Work,
  finding: StoredFinding,
  action: StoredAction,
  expectedVersion: number | undefined,
): Promise<Write[]> => {
  const isLast = !isActionOpen(action.status) && (await unfinishedActions(work, finding)) === 0;
  if (!isLast) return [actionOpening(work, action, 1, expectedVersion)];
  const corrective_actions_count = finding.corrective_actions_count + 1;
  return findingChange(work, finding, { ...resolved(work), corrective_actions_count }).writes;
};

/**
 * @param expectedVersion the finding's
 * @throws ApiError 404; 400 for an assignee who is no active member, or evidence that does not exist; 409 for another
 *   version, a resolved finding, an archived inspection or an external_ref that is in use; 422 without evidence that is
 *   needed
 */
export const create = async (
  caller: Caller,
  findingId: string,
  request: NewCorrectiveAction,
  expectedVersion?: number,
): Promise<CorrectiveAction> => {
  const { completed_on_site, evidence, ...fields } = request;
  const { assignee_id } = fields;
  let number: number | undefined;
  return change(caller, async (work) => {
    const {
      child,
      inspection,
      others: [assignee, organization],
    } = await readChild(
      work,
      'FINDING',
      findingId,
      assigneeKey(work, assignee_id),
      completed_on_site ? keys.organization(work) : undefined,
    );
    const finding = withoutKeys(child);
    if (assignee_id) checkAssignee(assignee);
    expectVersion(FINDING, finding, expectedVersion);
    expectUnarchived(inspection);
    if (finding.status === 'resolved') throw errors.findingResolved();
    if (completed_on_site) await expectEvidence(work, inspection, finding, request);
    number ??= await nextActionNumber(work);
    const { inspection_id, location_id = null } = finding;
    const { action, writes } = newAction(
      work,
      number,
      inspection,
      {
        ...fields,
        finding_id: findingId,
        inspection_id,
        location_id,
        evidence_count: evidence.length,
      },
      completed_on_site
        ? (opened) => completedOnSite(work, opened, isSecondPersonNeeded(work, organization))
        : undefined,
    );
    return {
      writes: [
        ...writes,
        ...(completed_on_site
          ? []
          : notify(work, 'actionChanged', { inspection, action, before: undefined })),
        ...evidenceWrites(work, action.id, evidence),
        ...(await findingWrites(work, finding, action, expectedVersion)),
        addToCounters(
          work,
          inspection_id,
          {
            findings_revision: 1,
            parts_revision: 1,
            open_corrective_actions_count: Number(isActionOpen(action.status)),
          },
          isUnarchived,
        ),
      ],
      reply: toAction(action, inspection, work.now),
    };
  });
};
