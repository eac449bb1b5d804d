import * as z from 'zod';
import { Timestamp, Uuid } from './common.ts';

/** What happens to an organization's resources, as it is told to those who follow them. */
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
]);
export type EventType = z.output<typeof EventType>;

export const Event = z
  .strictObject({
    id: Uuid,
    sequence: z
      .int()
      .min(1)
      .meta({ description: 'Position among the events of the organization, without a gap.' }),
    type: EventType,
    occurred_at: Timestamp,
    actor_id: z.string(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' });
export type Event = z.output<typeof Event>;
