import type * as z from 'zod';
import type { Operation } from '../../../shared/http/operation/operation.ts';
import { EVENTS, type EventType, isSent } from '../../../shared/schemas/event-data.ts';
import { EVENT_SCHEMAS } from '../../../shared/schemas/event.ts';
import { AREAS } from '../prose.ts';
import { deliveryParameters } from './components.ts';
import { jsonContent } from './requests.ts';
import type { Schemas } from './schemas.ts';
import type { Webhook } from './types.ts';

/** The operation that lists events. A document without it describes none. */
const LIST = 'listEvents';

/** The schemas of all events, if one of the operations lists them. */
export const eventSchemas = (operations: readonly Operation[]): Map<EventType, z.ZodType> =>
  operations.some(({ id }) => id === LIST) ? EVENT_SCHEMAS : new Map();

/** What an endpoint gets for the event of a type. */
const webhook = (type: EventType, schema: z.ZodType, schemas: Schemas): Webhook => ({
  post: {
    operationId: type,
    summary: type,
    description: EVENTS[type].summary,
    tags: [AREAS['events']!.name],
    security: [],
    parameters: deliveryParameters(),
    requestBody: {
      required: true,
      content: jsonContent(schemas.of(schema, 'output'), schemas, type, undefined),
    },
    responses: {
      '2XX': { description: 'The endpoint has the event.' },
      410: { description: 'The endpoint is gone: it is disabled, and nothing more is sent to it.' },
      '4XX': { description: 'The endpoint does not take the event, which is sent again later.' },
    },
  },
});

/** The `webhooks` of the document: what is sent for each type of event. */
export const webhooksOf = (
  events: ReadonlyMap<EventType, z.ZodType>,
  schemas: Schemas,
): Record<string, Webhook> =>
  Object.fromEntries(
    [...events].flatMap(([type, schema]) => (isSent(type) ? [[type, webhook(type, schema, schemas)]] : [])),
  );
