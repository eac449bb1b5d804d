import * as z from 'zod';
import { Count, Instant, listQuery, OverlapHours, Text, Timestamp, UNNOTICED, Uuid } from './common.ts';
import { EVENT_TYPES, type EventType, isSent } from './event-data.ts';
import { derived, initially, later, optional, resource, shownAs, unseen } from './resource.ts';

/** Characters of the URL of an endpoint. */
const MAX_URL_LENGTH = 2_000;

/** Characters of the description of an endpoint. */
const MAX_DESCRIPTION_LENGTH = 500;

/** The part of each type before its first dot, such as `inspection`. */
const GROUPS = [...new Set(EVENT_TYPES.map((type) => type.split('.')[0]!))];

/** Names of events: all, those of one kind of resource, or those of one type. */
const namesOf = (types: readonly EventType[]) => {
  const Name = z.enum(['*', ...GROUPS.map((group) => `${group}.*` as const), ...types]);
  return z.array(Name).min(1).max(Name.options.length);
};

export const ListedTypes = namesOf(EVENT_TYPES);

export const Subscriptions = namesOf(EVENT_TYPES.filter(isSent)).meta({
  description: 'Which events are sent: `*` for all, `inspection.*` for those of inspections, or type names.',
  examples: [['inspection.*', 'report.ready']],
});

/** What `since` and `until` of a replay mean, in its request and in its reply. */
const EVENTS_SINCE = 'Only events that were recorded at or after this time.';
const EVENTS_UNTIL = 'Only events until this time.';

const Url = z.string().min(1).max(MAX_URL_LENGTH).meta({
  description:
    'Where the events are sent: an `https` URL of a host on the internet, without a user name, with port 443 or a port from 1024. A service that runs on a developer’s machine also takes an `http` URL of that machine, such as `http://localhost:8080/hooks`.',
});

const filterFields = {
  template_family_id: Uuid.nullable().meta({
    description:
      'Only events of this template family: of it and its versions, its schedules, its inspections and certificates, and their findings, corrective actions and reports.',
  }),
  location_id: Uuid.nullable().meta({
    description: 'Only events of this location and of those below it, and of what is there.',
  }),
  client_account_id: Uuid.nullable().meta({
    description: 'Only events of this client account, and of what belongs to it.',
  }),
};

const FILTER =
  'Only events that are about all of what it names; null for all events of the `types`. Events that are not about such a thing, for instance those of members, or of issues where a template family is named, are not sent. What it names must exist when the filter gets it. Once that is deleted, nothing more is sent; a location that was merged into another one stands for that one.';

export const WebhookFilter = z
  .strictObject(filterFields)
  .meta({ id: 'WebhookFilter', description: 'Which events of its types a webhook gets.' });
export type WebhookFilter = z.output<typeof WebhookFilter>;

const GivenFilter = z.strictObject(filterFields).partial();

/** Headers of the customer's own on one endpoint. */
const MAX_HEADERS = 5;

/** Characters of the name of a header. */
const MAX_HEADER_NAME_LENGTH = 100;

/** Characters of the value of a header. */
const MAX_HEADER_VALUE_LENGTH = 1_024;

/** A token (RFC 9110, section 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers that the service or the connection sets, or that would make another request of it, in lower case. */
const RESERVED_HEADERS =
  /^(?:(?:content|proxy|sec|webhook|x-forwarded)-.*|accept-encoding|connection|cookie2?|date|expect|forwarded|host|http2-settings|keep-alive|origin|te|trailer|transfer-encoding|upgrade|user-agent|via)$/;

/** What is wrong with the name of a header; undefined when nothing is. @param before names that stand before it, in lower case */
const headerProblem = (name: string, before: readonly string[]): string | undefined => {
  const lower = name.toLowerCase();
  if (!TOKEN.test(name) || name.length > MAX_HEADER_NAME_LENGTH)
    return `the name of a header consists of letters, digits and !#$%&'*+-.^_\`|~, at most ${MAX_HEADER_NAME_LENGTH}`;
  if (RESERVED_HEADERS.test(lower)) return 'this header is set by the service or the connection';
  return before.includes(lower) ? 'the header is given twice (case is ignored)' : undefined;
};

const Headers = z
  .record(
    z.string(),
    z
      .string()
      .max(MAX_HEADER_VALUE_LENGTH)
      .regex(
        /^[!-~](?:[ -~]*[!-~])?$/,
        'Value error, a value consists of visible ASCII characters and spaces between them',
      ),
  )
  .check(({ value, issues }) => {
    const names = Object.keys(value);
    if (names.length > MAX_HEADERS) {
      const message = `Value error, at most ${MAX_HEADERS} headers`;
      issues.push({ code: 'custom', message, input: names });
    }
    const lower = names.map((name) => name.toLowerCase());
    for (const [position, name] of names.entries()) {
      const problem = headerProblem(name, lower.slice(0, position));
      if (problem !== undefined)
        issues.push({ code: 'custom', message: `Value error, ${problem}`, input: name, path: [name] });
    }
  })
  .nullable()
  .meta({
    description: `Headers of your own that each delivery has besides those of the service, such as \`Authorization\`: up to ${MAX_HEADERS}, by their names. A name is a token of at most ${MAX_HEADER_NAME_LENGTH} characters, is given once whatever its case, and is none that the service or the connection sets (\`Host\`, \`Cookie\`, \`Date\`, \`User-Agent\`, \`Connection\`, \`Content-*\`, \`Webhook-*\` and the like). A value has up to ${MAX_HEADER_VALUE_LENGTH.toLocaleString('en')} visible ASCII characters, with spaces between them. The values are kept encrypted and are never shown again: \`header_names\` has the names. A change replaces all headers; null or an empty object removes them. A change of the \`url\` to another host needs them again, or null.`,
    examples: [{ Authorization: 'Bearer 7c1a9d52' }],
  });

export const WebhookStatus = z.enum(['active', 'disabled']);

export const { Webhook, NewWebhook, WebhookChanges } = resource(
  'Webhook',
  {
    url: Url,
    description: initially(
      '',
      Text.max(MAX_DESCRIPTION_LENGTH).meta({ description: 'What the endpoint is for.' }),
    ),
    types: Subscriptions,
    filter: optional(
      shownAs(
        WebhookFilter.nullable().meta({ description: FILTER }),
        GivenFilter.nullable().meta({ description: FILTER }),
      ),
    ),
    headers: unseen(optional(Headers)),
    status: later(WebhookStatus),
    ...derived({
      header_names: z.array(z.string()).meta({
        description: 'The names of the `headers` of your own, whose values are not shown.',
        examples: [['Authorization']],
      }),
      disabled_reason: z.enum(['manual', 'gone', 'failing']).nullable().meta({
        description:
          '`manual`: a request disabled it. `gone`: it answered 410. `failing`: nothing succeeded for 3 days. Null while it is active.',
      }),
      failing_since: Timestamp.nullable().meta({
        description: `When the first delivery after the last success failed; null after a success. ${UNNOTICED}`,
      }),
      last_success_at: Timestamp.nullable(),
      last_failure: z
        .strictObject({ at: Timestamp, status_code: z.int().nullable(), message: z.string() })
        .nullable()
        .meta({
          description: `The last attempt that failed. \`status_code\` is null when there was no reply. ${UNNOTICED}`,
        }),
      secret_hint: z.string().meta({ description: 'The last four characters of the secret.' }),
      previous_secret_until: Timestamp.nullable().meta({
        description: 'Until then the secret before the last rotation signs as well.',
      }),
      created_by: z.string().meta({ description: 'A user id; `operator` for the operator of the service.' }),
    }),
  },
  {
    description: 'An endpoint to which events are sent.',
    version: 'Increases with every change of the settings or of the status.',
  },
);
export type Webhook = z.output<typeof Webhook>;
export type NewWebhook = z.output<typeof NewWebhook>;
export type WebhookChanges = Omit<z.output<typeof WebhookChanges>, 'expected_version'>;

const Secret = z
  .string()
  .meta({ description: 'Signs the deliveries: `whsec_` and the base64 of the key. Only this reply has it.' });

export const CreatedWebhook = z
  .strictObject({ ...Webhook.shape, secret: Secret })
  .meta({ id: 'CreatedWebhook' });
export type CreatedWebhook = z.output<typeof CreatedWebhook>;

export const SecretRotation = z.strictObject({ overlap_hours: OverlapHours }).meta({ id: 'SecretRotation' });
export type SecretRotation = z.output<typeof SecretRotation>;

export const RotatedSecret = z
  .strictObject({ secret: Secret, previous_secret_until: Timestamp })
  .meta({ id: 'RotatedSecret' });
export type RotatedSecret = z.output<typeof RotatedSecret>;

/** Why the endpoint did not reply with a 2xx, in a sentence; null when it did. */
const AttemptError = z
  .string()
  .nullable()
  .meta({ description: 'Why it failed, in a sentence; null when it did not.' });

const attempt = {
  at: Timestamp,
  duration_ms: Count,
  status_code: z.int().nullable().meta({ description: 'Null when there was no reply.' }),
  error: AttemptError,
};

export const WebhookAttempt = z
  .strictObject({
    ...attempt,
    reply_headers: z
      .record(z.string(), z.string())
      .meta({ description: 'The headers of the reply, by their names in lower case.' }),
    reply_body: z.string().meta({ description: 'The body of the reply as text, at most 1 KB of it.' }),
  })
  .meta({ id: 'WebhookAttempt' });
export type WebhookAttempt = z.output<typeof WebhookAttempt>;

export const DeliveryStatus = z.enum(['pending', 'succeeded', 'failed', 'cancelled']);
export type DeliveryStatus = z.output<typeof DeliveryStatus>;

/** The types of events, and the type of the message that only checks whether an endpoint works. */
const DeliveredType = z.enum([...EVENT_TYPES, 'webhook.test']);
export type DeliveredType = z.output<typeof DeliveredType>;

export const WebhookDelivery = z
  .strictObject({
    id: Uuid,
    webhook_id: Uuid,
    event_id: Uuid.meta({ description: 'The `id` of the event, and the `webhook-id` of its deliveries.' }),
    type: DeliveredType,
    sequence: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: 'The `sequence` of the event; null for a test.' }),
    is_test: z.boolean(),
    status: DeliveryStatus.meta({
      description:
        '`failed`: it failed at every attempt. `cancelled`: the endpoint was disabled before it succeeded.',
    }),
    attempts_count: Count,
    next_attempt_at: Timestamp.nullable().meta({
      description:
        'The earliest time of the next attempt; null unless it is pending. While the endpoint fails, only one delivery is attempted now and then, so the others wait longer.',
    }),
    created_at: Timestamp,
    last_attempt: z.strictObject(attempt).nullable(),
  })
  .meta({
    id: 'WebhookDelivery',
    description: 'An event on its way to an endpoint. It is kept for 30 days.',
  });
export type WebhookDelivery = z.output<typeof WebhookDelivery>;

export const WebhookDeliveryDetails = z
  .strictObject({
    ...WebhookDelivery.shape,
    request: z
      .strictObject({
        url: z.string(),
        headers: z.record(z.string(), z.string()).meta({
          description:
            'The headers as they were sent, by name. The values of the webhook’s own `headers` are not shown.',
        }),
        body: z.string().meta({
          description:
            'The bytes that are sent, which are JSON. Empty for a key without the scope to read what the event is about.',
        }),
      })
      .meta({
        description: 'The request of the last attempt; before the first attempt, what is known of it.',
      }),
    attempts: z.array(WebhookAttempt).meta({
      description:
        'Oldest first. For a key without the scope to read what the event is about, `reply_headers` and `reply_body` are empty: a receiver may repeat what it got.',
    }),
  })
  .meta({ id: 'WebhookDeliveryDetails' });
export type WebhookDeliveryDetails = z.output<typeof WebhookDeliveryDetails>;

const DeliveredTypes = z
  .array(z.enum([...ListedTypes.element.options, 'webhook.test']))
  .min(1)
  .max(ListedTypes.element.options.length + 1);

const { updated_since: _, ...paging } = listQuery({}).shape;

export const DeliveryQuery = z.strictObject({
  ...paging,
  status: z
    .array(DeliveryStatus)
    .optional()
    .meta({ description: 'Only deliveries with one of these statuses. The parameter can be repeated.' }),
  types: DeliveredTypes.optional().meta({
    description:
      'Only deliveries of events of these types, such as `inspection.*` and `report.ready`. The parameter can be repeated.',
  }),
  since: Instant.optional().meta({
    description:
      'Only deliveries of events that were recorded at or after this time. A test or another delivery of an event has its own time.',
  }),
  until: Instant.optional().meta({
    description: 'Only deliveries of events that were recorded until this time.',
  }),
  type: z
    .array(DeliveredType)
    .optional()
    .meta({ deprecated: true, description: 'The former name of `types`, without groups of types.' }),
  sequence: z.int().min(1).optional().meta({
    description:
      'Only the delivery by which the event with this `sequence` was first sent. The other filters and the cursor are ignored.',
  }),
});
export type DeliveryQuery = z.output<typeof DeliveryQuery>;

const former = (name: string) => `The former name of \`${name}\`.`;

export const NewWebhookReplay = z
  .strictObject({
    since: Instant.optional().meta({ description: `${EVENTS_SINCE} Required.` }),
    until: Instant.optional().meta({ description: `${EVENTS_UNTIL} Until now when left out.` }),
    types: Subscriptions.optional().meta({
      description: 'Only events of these types; those of the endpoint when left out.',
    }),
    from: Instant.optional().meta({ deprecated: true, description: former('since') }),
    to: Instant.optional().meta({ deprecated: true, description: former('until') }),
  })
  .check(({ value: { since, until, from, to }, issues }) => {
    const refuse = (name: string, message: string) =>
      issues.push({ code: 'custom', message: `Value error, ${message}`, input: undefined, path: [name] });
    if (since !== undefined && from !== undefined) refuse('from', 'give either since or from');
    if (until !== undefined && to !== undefined) refuse('to', 'give either until or to');
    const [first, last] = [since ?? from, until ?? to];
    if (first === undefined)
      issues.push({ code: 'invalid_type', expected: 'string', input: undefined, path: ['since'] });
    else if (last !== undefined && last < first)
      refuse(to === undefined ? 'until' : 'to', 'must not be before the beginning');
  })
  .meta({ id: 'NewWebhookReplay' });
export type NewWebhookReplay = z.output<typeof NewWebhookReplay>;

export const WebhookReplay = z
  .strictObject({
    id: Uuid,
    webhook_id: Uuid,
    since: Timestamp.meta({ description: EVENTS_SINCE }),
    until: Timestamp.meta({ description: EVENTS_UNTIL }),
    types: Subscriptions,
    from: Timestamp.meta({ deprecated: true, description: former('since') }),
    to: Timestamp.meta({ deprecated: true, description: former('until') }),
    status: z.enum(['running', 'completed', 'cancelled']).meta({
      description: '`completed`: all events have a delivery. `cancelled`: the endpoint was disabled before.',
    }),
    events_count: Count.meta({ description: 'Number of events that have got a new delivery so far.' }),
    requested_by: z.string(),
    created_at: Timestamp,
    completed_at: Timestamp.nullable(),
  })
  .meta({ id: 'WebhookReplay', description: 'The events of a period, sent again. It is kept for 30 days.' });
export type WebhookReplay = z.output<typeof WebhookReplay>;
