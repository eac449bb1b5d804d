import * as z from 'zod';
import { Timestamp, Uuid } from './common.ts';

/** What can happen to an organization's resources. */
export const EventType = z.enum([
  'inspection.created',
  'inspection.started',
  'inspection.pending_approval',
  'inspection.pending_sign_off',
  'inspection.completed',
  'inspection.archived',
  'inspection.corrected',
  'finding.created',
  'corrective_action.created',
  'corrective_action.status_changed',
  'report.ready',
  'report.failed',
  'template.published',
  'connection.created',
  'connection.updated',
  'connection.deleted',
  'source.created',
  'source.updated',
  'source.deleted',
  'sync.completed',
  'sync.failed',
  'directory.user.left_source',
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
