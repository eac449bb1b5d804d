import { ApiError, type ErrorKind, defineError, defineProblems } from '../api-error.ts';

/* A request that cannot be read, found or answered. */

export const wrongContentType = defineError(
  400,
  'wrong_content_type',
  'The content type is not one that the operation accepts. Send one that `detail` names.',
  (...accepted: string[]) => `The content type must be ${accepted.join(' or ')}.`,
);

export const bodyNotUtf8 = defineError(
  400,
  'body_not_utf8',
  'The body is not valid UTF-8. Encode it as UTF-8.',
  () => 'The body is not valid UTF-8.',
);

export const charsetNotSupported = defineError(
  400,
  'charset_not_supported',
  'The content type of the body, or of a part of a form, names another charset than UTF-8. Send UTF-8.',
  () => 'The charset must be utf-8.',
);

export const contentEncodingNotSupported = defineError(
  400,
  'content_encoding_not_supported',
  'The body is compressed: `Content-Encoding` names another encoding than `identity`. Send it uncompressed.',
  () => 'The body must not be compressed. Send it without Content-Encoding.',
);

export const bodyNotJson = defineError(
  400,
  'body_not_json',
  'The body is not valid JSON. Correct it.',
  () => 'The body is not valid JSON.',
);

export const bodyTooLarge = defineError(
  400,
  'body_too_large',
  'The body is larger than a form of this page can be. Send a smaller one.',
  (most: number) => `The body has more than ${most} bytes.`,
);

export const preconditionNotTaken = defineError(
  400,
  'precondition_not_taken',
  'The request has `If-Match` or `If-None-Match`, and the operation cannot check it. Send the request without it.',
  (header: string) => `This operation does not take ${header}.`,
);

/** It is never ignored: the client would take a repeated request for a safe one. */
export const idempotencyKeyNotTaken = defineError(
  400,
  'idempotency_key_not_taken',
  'The request has an `Idempotency-Key`, and the operation does not keep replies. Send the request without it.',
  () => 'This operation does not take an Idempotency-Key.',
);

/** It is never ignored: the change would be recorded as that of the key. */
export const onBehalfNotTaken = defineError(
  400,
  'on_behalf_not_taken',
  'The request has `On-Behalf-Of`, and the operation cannot be called for a person. Send the request without it.',
  () => 'This operation does not take On-Behalf-Of.',
);

/** The gateway answers a request that it cannot read with a text of its own. */
export const requestMalformed = defineError(
  400,
  'request_malformed',
  'The request is not valid HTTP, or it is too large. Correct it, or split it.',
  (reason: string) => `${reason}.`,
);

/** The gateway's own refusal, such as one by a firewall. @param reason a sentence without its end */
export const requestRefused = defineError(
  403,
  'request_refused',
  'The gateway refuses the request before any operation sees it. Ask the operator of the service.',
  (reason: string = 'The request was refused') => `${reason}.`,
);

/** The gateway answers this before it looks at a key. */
export const operationNotFound = defineError(
  404,
  'operation_not_found',
  'There is no operation with this method and path. Compare both with this reference.',
  () => 'There is no operation with this method and path.',
);

/** It does not exist, or it belongs to another organization: the two look the same. */
export const notFound = defineError(
  404,
  'not_found',
  'The resource does not exist, or belongs to another organization. Check the id, and whose key it is.',
  (what: string) => `The ${what} does not exist.`,
);

export const validationFailed = defineProblems(
  'validation_failed',
  'Path, query, headers or body do not have the declared form. Correct each problem that `detail` lists.',
);

export const cursorInvalid = defineProblems(
  'cursor_invalid',
  'The cursor belongs to another organization, to another list or to other filters, or the service has not made it. Begin with the first page.',
);

export const idempotencyKeyInvalid = defineProblems(
  'idempotency_key_invalid',
  'The idempotency key does not have 1 to 255 printable ASCII characters. Send another one, such as a UUID.',
);

export const idempotencyKeyReused = defineProblems(
  'idempotency_key_reused',
  'The idempotency key was used with another request in the last 24 hours. Send this one with a key of its own.',
);

export const mutationReused = defineError(
  409,
  'mutation_reused',
  'The `client_mutation_id` of a row was used with another row in the last 24 hours. Give this one an id of its own.',
  () => 'This client_mutation_id was used with another row.',
);

export const idempotentRequestRunning = defineError(
  409,
  'idempotent_request_running',
  'The first request with this idempotency key has not ended yet. Send it again a little later.',
  () => 'A request with this idempotency key is still running.',
);

export const idempotencyKeyTaken = defineError(
  409,
  'idempotency_key_taken',
  'The request took so long that a repetition of it took over its idempotency key. Send it again with the same key.',
  () => 'Another request with this idempotency key has taken over.',
);

export const replyTooLarge = defineError(
  409,
  'reply_too_large',
  'The reply has more than 6 MB, and the client does not accept gzip. Send `Accept-Encoding: gzip`.',
  () => 'The reply is larger than 6 MB. Send Accept-Encoding: gzip to get it.',
);

/** Without Retry-After and rate-limit headers (contract, "Limits"). */
export const rateLimitExceeded = defineError(
  429,
  'rate_limit_exceeded',
  'The key, all keys of the organization together, or the person who has signed in have made too many requests in this minute. Wait until the next full minute.',
  () => 'rate limit exceeded',
);

export const tooManyWaiting = defineError(
  429,
  'too_many_waiting',
  'The organization has as much of this kind waiting or running as it may have. Send the request again when some of it has ended.',
  (what: string, waiting: number, most: number) =>
    `The organization already has ${waiting} ${what} that wait or run; the maximum is ${most}. Try again when some have ended.`,
);

/** Of pages that need no key. */
export const tooManyVisits = defineError(
  429,
  'too_many_visits',
  'A page was requested too often, with one link or from one network address. Try again later.',
  () => 'This page was requested too often. Try again later.',
);

export const internalError = defineError(
  500,
  'internal_error',
  'An unexpected error. Retry with exponential backoff.',
  () => 'internal server error',
);

const UNAVAILABLE: ErrorKind = {
  status: 503,
  code: 'unavailable',
  meaning: 'Something that the service depends on is briefly unavailable. Retry with exponential backoff.',
};

/** A dependency is throttled, timed out or down: the client retries with exponential backoff. */
export const unavailable = /* @__PURE__ */ Object.assign(
  (what: string, cause?: unknown) =>
    new ApiError(UNAVAILABLE, `${what} is briefly unavailable. Try again.`, { cause }),
  UNAVAILABLE,
);

/* A key that does not authenticate, or may not do this. */

export const apiKeyUnknown = defineError(
  401,
  'api_key_unknown',
  'The key is missing, malformed or unknown. Send a valid one in the header `Authorization`.',
  () => 'The API key is missing, malformed or unknown.',
);

export const apiKeyRevoked = defineError(
  401,
  'api_key_revoked',
  'The key was revoked. Use another one.',
  () => 'The API key was revoked.',
);

export const apiKeyExpired = defineError(
  401,
  'api_key_expired',
  'The key has expired. Use another one.',
  () => 'The API key has expired.',
);

export const apiKeyReadOnly = defineError(
  403,
  'api_key_read_only',
  'A read-only key was used for an operation that writes. Use a read & write key.',
  () => 'This API key is read only.',
);

export const apiKeyScope = defineError(
  403,
  'api_key_scope',
  'The key is limited to other areas, or may only read in this one. Ask an admin for the scope that `detail` names.',
  (scope: string) => `This API key lacks the scope ${scope}.`,
);

export const apiKeyNetwork = defineError(
  403,
  'api_key_network',
  'The request comes from a network from which the key cannot be used. Ask an admin to allow the network.',
  () => 'This API key cannot be used from this network.',
);

export const keyActsForNobody = defineError(
  403,
  'key_acts_for_nobody',
  'The request has `On-Behalf-Of`, and the key was not created with the right to act for members. Use a key with this right.',
  () => 'This API key may not act for members: it was not created with that right.',
);

export const actingNotAllowed = defineError(
  403,
  'acting_not_allowed',
  'The member whom `On-Behalf-Of` names has not allowed keys to act for them, or has withdrawn it. Ask the member to allow it in their profile in the app.',
  () =>
    'This member has not allowed API keys to act for them. Members allow it in the app, in their profile: PATCH /app/me/organizations/{organization_id}.',
);

/** The same for an unknown user, one of another organization, one who is not active, and a key’s service identity. */
export const notOnBehalf = defineError(
  403,
  'not_on_behalf',
  'The header `On-Behalf-Of` does not name an active member of the organization who is a person. Send the `user_id` of such a member.',
  () => 'On-Behalf-Of does not name an active member of this organization who is a person.',
);

/** Contract, "Authentication", rule 6. */
export const personRequired = defineError(
  403,
  'person_required',
  'The operation is for signed-in people. No API key can use it: leave it to them.',
  () => 'AI features are for signed-in people. An API key cannot use them.',
);

export const settingNotForKeys = defineError(
  403,
  'setting_not_for_keys',
  'The request changes a setting that grants rights, which no API key can change. Leave it to people or to the operator of the service.',
  (...settings: string[]) => `An API key may not change ${settings.join(', ')}.`,
);

/** A key of the table outside the caller's organization was about to be used. The words are the contract's. */
export const rowLevelSecurity = defineError(
  403,
  'row_level_security',
  'The service refused to reach data of another organization. Use a key of that organization.',
  () => 'forbidden by row-level security',
);
