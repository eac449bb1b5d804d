import * as z from 'zod';
import { Timestamp, Uuid } from './common.ts';

/** What can happen to an organization's resources. */
export const EventType = z.enum([
  'client_account.created',
  'client_account.updated',
  'client_account.deleted',
  'location.created',
  'location.updated',
  'location.deleted',
  'document.created',
  'document.deleted',
  'member.created',
  'member.updated',
  'member.deleted',
  'template.created',
  'template.updated',
  'template.deleted',
  'template.published',
  'inspection.created',
  'inspection.updated',
  'inspection.started',
  'inspection.pending_approval',
  'inspection.pending_sign_off',
  'inspection.completed',
  'inspection.archived',
  'inspection.restored',
  'inspection.reopened',
  'inspection.answers_saved',
  'inspection.corrected',
  'inspection.deleted',
  'finding.created',
  'finding.updated',
  'finding.deleted',
  'corrective_action.created',
  'corrective_action.updated',
  'corrective_action.status_changed',
  'corrective_action.commented',
  'report.ready',
  'report.failed',
  'issue.created',
  'issue.updated',
  'issue.deleted',
  'schedule.created',
  'schedule.updated',
  'schedule.deleted',
]);
export type EventType = z.output<typeof EventType>;

export const Event = z
  .strictObject({
    id: Uuid,
    sequence: z
      .int()
      .min(1)
      .meta({ description: 'The position among the organization’s events, without gaps.' }),
    type: EventType,
    occurred_at: Timestamp,
    actor_id: z.string(),
    request_id: z.string().nullable().meta({
      description: 'The `X-Request-Id` of the request that led to the event; null when no request did.',
    }),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' });
export type Event = z.output<typeof Event>;
