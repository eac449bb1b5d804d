import type { ErrorKind } from '../../../shared/base/api-error.ts';
import * as errors from '../../../shared/base/errors.ts';
import { SESSION_COOKIE } from '../../../shared/http/request/event.ts';
import { ERRORS, FOREIGN } from '../prose.ts';
import { COMPONENT, type JsonSchema } from './json-schema.ts';
import { MAY_GROW } from './schemas.ts';
import type { Components, Header, Parameter, Reference, Reply } from './types.ts';

const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes it safe to send the request again: for 24 hours, a repeated request gets the first reply.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
    example: '6f1c2f0e-crane-7-march',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The `version` that you know, in quotes: that of the last resource in the path that has a `version`. To save an answer, it is the version of the answer (`"0"`: there must be none yet). If the resource has another version, the reply is a `409`, and nothing is changed. `expected_version` says the same. The `ETag` of a reply is taken too; only its version counts.',
    schema: { type: 'string', pattern: String.raw`^(\*|"\d+(-[\w-]+)?")$` },
    example: '"3"',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The whole `ETag` of the reply that the client has, a list of such tags, or `*`. If the reply would be the same, it is a `304` without a body. A version alone, such as `"3"`, is the tag of no reply, so the whole reply comes.',
    schema: { type: 'string' },
    example: '"3-mHbXqW0fJ8m2uD1s"',
  },
  OnBehalfOf: {
    name: 'On-Behalf-Of',
    in: 'header',
    description:
      'The `user_id` of an active member for whom the key acts. The key must have been created with the right to act for members, and the member must have allowed it (`acting_consented_at`); otherwise the reply is a `403`. The member is then the caller, and the change is recorded as theirs.',
    schema: { type: 'string', format: 'uuid' },
    example: '01a1fc9f-52d7-7303-8ce8-947f3f3f4f40',
  },
} as const satisfies Record<string, Parameter>;

/** The headers of Standard Webhooks, which each delivery has. */
const DELIVERY_PARAMETERS = {
  WebhookId: {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description:
      'The `id` of the event: the same at every attempt and replay, so that a receiver can ignore what it has had.',
    schema: { type: 'string', format: 'uuid' },
    example: '01a1fc9f-52d7-7303-8ce8-947f3f3f4f40',
  },
  WebhookTimestamp: {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'The time of the attempt, in epoch seconds. Refuse one that is five minutes off.',
    schema: { type: 'string', pattern: String.raw`^\d+$` },
    example: '1772443800',
  },
  WebhookSignature: {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      '`v1,<signature>` for each secret that is valid, separated by spaces: the base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`. Its key is the base64 after `whsec_`.',
    schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
} as const satisfies Record<string, Parameter>;

/** The headers of replies of an operation that is to go. */
const DEPRECATION_HEADERS = {
  Deprecation: {
    description: 'Since when the operation is deprecated: `@` and epoch seconds (RFC 9745).',
    schema: { type: 'string', pattern: String.raw`^@\d+$` },
  },
  Sunset: {
    description: 'From when the operation is gone: a date of HTTP (RFC 8594).',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, Header>;

const HEADERS = {
  Link: {
    description: 'The address of the next page, `<…>; rel="next"`. The last page has no such header.',
    schema: { type: 'string' },
  },
  Location: {
    description:
      'The address where the resource of the reply can be read, or a list that shows its progress.',
    schema: { type: 'string', format: 'uri' },
  },
  Challenge: {
    description:
      'How to authenticate. Amazon API Gateway, which the service may stand behind, names the header `x-amzn-Remapped-WWW-Authenticate`.',
    schema: { type: 'string' },
  },
  ETag: {
    description:
      'The tag of this reply, for `If-None-Match`: the `version` of the resource and a digest of the reply, such as `"3-mHbXqW0fJ8m2uD1s"`. It changes whenever the reply changes. `If-Match` takes it too, and looks at its version alone.',
    schema: { type: 'string' },
  },
  ErrorCode: {
    description: 'The error as a stable code for programs.',
    schema: { $ref: `${COMPONENT}ErrorCode` },
  },
  RequestId: {
    description:
      'The id of the request, by which the operator of the service finds its log lines. The events and mails that the request led to have it as well.',
    schema: { type: 'string' },
  },
  IdempotentReplayed: {
    description:
      '`true` when this is the stored reply to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
} as const satisfies Record<string, Header>;

const ERROR_SCHEMAS: Record<string, JsonSchema> = {
  ErrorCode: {
    type: 'string',
    enum: [...new Set(Object.values<ErrorKind>(errors).map(({ code }) => code))].toSorted(),
    description: `What went wrong, as a stable code. The introduction says what each means; \`x-error-codes\` of an operation lists those that it can answer. ${MAY_GROW}`,
  },
  Error: {
    type: 'object',
    properties: { detail: { type: 'string', description: 'What went wrong, as a text for logs.' } },
    required: ['detail'],
  },
  ValidationError: {
    type: 'object',
    properties: {
      detail: {
        type: 'array',
        items: { $ref: `${COMPONENT}Problem` },
        description: 'Everything that is wrong with the request.',
      },
    },
    required: ['detail'],
  },
  Problem: {
    type: 'object',
    properties: {
      loc: {
        type: 'array',
        items: { type: 'string' },
        description:
          'The place of the value: `body`, `query`, `path` or `header`, followed by the names that lead to it.',
      },
      msg: { type: 'string', description: 'What is wrong, as a text for people.' },
      type: { type: 'string', description: 'What is wrong, as a code for programs.' },
      input: { description: 'The refused value, where it helps.' },
      ctx: { type: 'object', description: 'The limit that the value violates, if there is one.' },
    },
    required: ['loc', 'msg', 'type'],
  },
};

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'ak_…',
    description: 'An API key of the organization. An admin creates it in the admin app.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description:
      'The session of a signed-in person, at most 12 hours long and at most 1 hour unused. A browser gets it from `/app/sign-in`.',
  },
};

/** A reference to a header that several replies have. */
export const headerReference = (
  name: keyof typeof HEADERS | keyof typeof DEPRECATION_HEADERS,
): Reference => ({
  $ref: `#/components/headers/${name}`,
});

/** A reference to a parameter that several operations take. */
export const parameterReference = (
  name: keyof typeof PARAMETERS | keyof typeof DELIVERY_PARAMETERS,
): Reference => ({
  $ref: `#/components/parameters/${name}`,
});

/** A reference to the reply of an error status. */
export const errorReference = (status: keyof typeof ERRORS): Reference => ({
  $ref: `#/components/responses/${ERRORS[status].name}`,
});

/** A reference to the 403 of the operations that check where a request comes from. */
export const FOREIGN_REFERENCE: Reference = { $ref: `#/components/responses/${FOREIGN.name}` };

/** The parameters of a delivery. */
export const deliveryParameters = (): Reference[] =>
  Object.keys(DELIVERY_PARAMETERS).map((name) =>
    parameterReference(name as keyof typeof DELIVERY_PARAMETERS),
  );

const errorReplies = (): Record<string, Reply> =>
  Object.fromEntries(
    [...Object.values(ERRORS), FOREIGN].map(({ name, description, example: { detail, status } }) => [
      name,
      {
        description,
        headers: {
          'X-Error-Code': headerReference('ErrorCode'),
          'X-Request-Id': headerReference('RequestId'),
          ...(status === 401 && { 'WWW-Authenticate': headerReference('Challenge') }),
        },
        content: {
          'application/json': {
            schema: { $ref: COMPONENT + (typeof detail === 'string' ? 'Error' : 'ValidationError') },
            example: { detail },
          },
        },
      },
    ]),
  );

/**
 * What the operations refer to: these schemas of theirs, and what is the same for all of them.
 * @throws Error when one of the schemas has the name of an error's schema
 */
export const componentsOf = (
  schemas: Readonly<Record<string, JsonSchema>>,
  { hasWebhooks, hasDeprecated }: { hasWebhooks: boolean; hasDeprecated: boolean },
): Components => {
  for (const name of Object.keys(ERROR_SCHEMAS))
    if (name in schemas) throw new Error(`the schema id ${name} is taken: the error replies use it`);
  return {
    securitySchemes: SECURITY_SCHEMES,
    parameters: { ...PARAMETERS, ...(hasWebhooks && DELIVERY_PARAMETERS) },
    headers: { ...HEADERS, ...(hasDeprecated && DEPRECATION_HEADERS) },
    responses: errorReplies(),
    schemas: { ...schemas, ...ERROR_SCHEMAS },
  };
};
