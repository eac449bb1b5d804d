import * as z from 'zod';
import { ActedViaKeyId, listQuery, Timestamp, Uuid } from '../common.ts';

export const InspectionActivityKind = z.enum([
  'created',
  'started',
  'part_submitted',
  'part_reopened',
  'submitted',
  'approved',
  'changes_requested',
  'rejected',
  'signed',
  'declined',
  'archived',
  'restored',
  'assigned',
  'unassigned',
  'approver_changed',
  'documents_removed',
  'correction_opened',
  'correction_submitted',
  'correction_approved',
  'correction_changes_requested',
  'correction_rejected',
  'correction_closed',
  'correction_discarded',
  'report_requested',
  'reinspection_created',
  'findings_resolved',
  'findings_reopened',
]);

export const InspectionActivity = z
  .strictObject({
    id: Uuid,
    kind: InspectionActivityKind,
    actor_id: z.string().nullable().meta({
      description: 'The user who did it; null for the service itself, as with an inspection of a schedule.',
    }),
    key_id: Uuid.nullable().meta({
      description:
        'The API key that did it for itself; null for the service and for people, also for those for whom a key acted.',
    }),
    acted_via_key_id: ActedViaKeyId,
    from: z.string().nullable().meta({
      description: 'The status, or the approver, before the change; null when there was none.',
    }),
    to: z.string().nullable().meta({ description: 'The status, or the approver, after the change.' }),
    user_ids: z.array(Uuid).meta({ description: 'Who was assigned, or whose part it is.' }),
    correction_id: Uuid.nullable(),
    report_id: Uuid.nullable(),
    inspection_id: Uuid.optional().meta({
      description: 'The other inspection, where an inspection and its re-inspection are concerned.',
    }),
    document_ids: z
      .array(Uuid)
      .meta({ description: 'Documents that answers, start answers or findings no longer show.' }),
    comment: z.string().meta({
      description:
        'The comment of a decision or step, the reason of a correction, the name that was signed, or the name and the reason of a refusal to sign (`name: reason`); empty when there is none.',
    }),
    at: Timestamp,
  })
  .meta({ id: 'InspectionActivity', description: 'One event in the history of an inspection.' });
export type InspectionActivity = z.output<typeof InspectionActivity>;

export const inspectionActivityQuery = listQuery({
  correction_id: Uuid.optional().meta({ description: 'Only the history of this correction.' }),
});
export type InspectionActivityQuery = z.output<typeof inspectionActivityQuery>;
