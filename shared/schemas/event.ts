import * as z from 'zod';
import { ActedViaKeyId, Timestamp, Uuid } from './common.ts';
import { type EventData, EVENTS, type EventType } from './event-data.ts';

/** An event. It is the same document wherever it appears. */
export type Event = {
  [Type in EventType]: {
    type: Type;
    id: string;
    sequence: number;
    timestamp: string;
    organization_id: string;
    actor_id: string;
    acted_via_key_id: string | null;
    request_id: string | null;
    data: EventData<Type>;
  };
}[EventType];

const envelope = {
  id: Uuid,
  sequence: z
    .int()
    .min(1)
    .meta({ description: 'The position among the organization’s events, without gaps.' }),
  timestamp: Timestamp.meta({ description: 'When the change was made: ISO 8601, in UTC with milliseconds.' }),
  organization_id: Uuid,
  actor_id: z.string().meta({
    description: 'The user id of who made the change; empty when the service itself or a visitor did.',
  }),
  acted_via_key_id: ActedViaKeyId,
  request_id: z.string().nullable().meta({
    description: 'The `X-Request-Id` of the request that led to the event; null when no request did.',
  }),
};

/** `inspection.pending_approval` becomes `InspectionPendingApprovalEvent`. */
const componentName = (type: string): string =>
  `${type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;

const entries = Object.entries(EVENTS).map(
  ([type, { summary, data }]) =>
    [
      type as EventType,
      z
        .strictObject({ type: z.literal(type), ...envelope, data })
        .meta({ id: componentName(type), description: summary }),
    ] as const,
);

/** The schema of each type's event. */
export const EVENT_SCHEMAS = new Map(entries);

const [first, ...others] = EVENT_SCHEMAS.values();

// The list loses the types of its branches, so the type above declares them.
export const Event = z.discriminatedUnion('type', [first!, ...others]).meta({
  id: 'Event',
  description: 'A change of something that the organization has.',
}) as unknown as z.ZodType<Event>;
