import { ApiError, defineError, defineProblems, type ErrorKind } from './api-error.ts';

/**
 * Every error that a request can be answered with: its status, its code (`X-Error-Code`), when it is answered,
 * and its text. The reference lists them from here. A code never changes its meaning; texts may.
 */

const list = (names: readonly string[]): string => names.join(', ');
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
/** The most blockers that a text names; it counts the others. */
const MAX_NAMED_BLOCKERS = 10;

// 400: the request cannot be read, or it names something that the organization does not have.

export const wrongContentType = defineError(
  400,
  'wrong_content_type',
  'The content type is not one that the operation accepts.',
  (...accepted: string[]) => `The content type must be ${accepted.join(' or ')}.`,
);

export const bodyNotUtf8 = defineError(
  400,
  'body_not_utf8',
  'The body is not valid UTF-8.',
  () => 'The body is not valid UTF-8.',
);

export const bodyNotJson = defineError(
  400,
  'body_not_json',
  'The body is not valid JSON.',
  () => 'The body is not valid JSON.',
);

export const formNotReadable = defineError(
  400,
  'form_not_readable',
  'The body is not a valid `multipart/form-data` form.',
  (reason: string) => `The form cannot be read: ${reason}.`,
);

export const referenceNotFound = defineError(
  400,
  'reference_not_found',
  'The request names something that the organization does not have.',
  (...fields: string[]) => `${list(fields)} ${fields.length > 1 ? 'do' : 'does'} not exist.`,
);

export const answerReferenceNotFound = defineError(
  400,
  'answer_reference_not_found',
  'An answer names a document, member, client account or location that the organization does not have.',
  (field: string, id: string) => `${field} names ${id}, which does not exist.`,
);

export const memberNotActive = defineError(
  400,
  'member_not_active',
  'The request names a member who is not active.',
  (field: string, status: string) => `${field} names a member who is ${status}, not active.`,
);

export const ownerNotAdmin = defineError(
  400,
  'owner_not_admin',
  'The owner of an organization must be one of its active admins.',
  () => 'owner_user_id is not an active admin of the organization.',
);

export const otherClientAccount = defineError(
  400,
  'other_client_account',
  'The location belongs to another client account than the one that is named.',
  (field: string) => `${field} belongs to another client account.`,
);

export const notAPicture = defineError(
  400,
  'not_a_picture',
  'A picture is needed, and the document is none.',
  (field: string) => `${field} is not a picture.`,
);

export const notInTemplate = defineError(
  400,
  'not_in_template',
  'The request names a field or a section that the template of the inspection does not have.',
  (reason: string) => `${reason}.`,
);

export const tooManyChanges = defineError(
  400,
  'too_many_changes',
  'The request changes more rows than one transaction can.',
  (rows: number, most: number) =>
    `Too many changes in one request (${rows} rows; the maximum is ${most}). Split it.`,
);

export const resourceTooLarge = defineError(
  400,
  'resource_too_large',
  'The resource would be larger, or nested more deeply, than the database can store.',
  () => 'The resource is too large, or nested too deeply, to be stored.',
);

/** What the gateway says of a request that it cannot read is its own text. */
export const requestMalformed = defineError(
  400,
  'request_malformed',
  'The request is not valid HTTP, or it is too large.',
  (reason: string) => `${reason}.`,
);

// 401: no key, or one that does not authenticate.

export const apiKeyUnknown = defineError(
  401,
  'api_key_unknown',
  'The key is missing, malformed or unknown.',
  () => 'The API key is missing, malformed or unknown.',
);

export const apiKeyRevoked = defineError(
  401,
  'api_key_revoked',
  'The key was revoked.',
  () => 'The API key was revoked.',
);

export const apiKeyExpired = defineError(
  401,
  'api_key_expired',
  'The key has expired.',
  () => 'The API key has expired.',
);

// 403: the key is known, but it may not do this.

export const apiKeyReadOnly = defineError(
  403,
  'api_key_read_only',
  'A read-only key was used for an operation that writes.',
  () => 'This API key is read only.',
);

/** Contract, "Authentication", rule 6. */
export const personRequired = defineError(
  403,
  'person_required',
  'The operation is for signed-in people; no API key can use it.',
  () => 'AI features are for signed-in people. An API key cannot use them.',
);

/** In the contract's words: a key of the table outside the caller's organization was about to be used. */
export const rowLevelSecurity = defineError(
  403,
  'row_level_security',
  'The service refused to reach data of another organization.',
  () => 'forbidden by row-level security',
);

export const decisionByKey = defineError(
  403,
  'decision_by_key',
  'An API key may decide on an inspection only where the template family allows it.',
  () => 'An API key may not decide on this inspection.',
);

export const ownWork = defineError(
  403,
  'own_work',
  'Nobody approves an inspection that they took part in.',
  () => 'A participant may not approve the inspection.',
);

export const secondPersonRequired = defineError(
  403,
  'second_person_required',
  'Whoever completed a corrective action may not verify it.',
  () => 'The person who completed a corrective action may not verify it.',
);

export const notYourInspection = defineError(
  403,
  'not_your_inspection',
  'Only the member who created an inspection for themselves may change it here.',
  () => 'Only the member who created the inspection for themselves may change it here.',
);

/** The gateway's own refusal, such as one by a firewall; its text is the gateway's. */
export const requestRefused = defineError(
  403,
  'request_refused',
  'The gateway refuses the request before any operation sees it.',
  () => 'The request was refused.',
);

// 404

/** The gateway answers this before it looks at a key. */
export const operationNotFound = defineError(
  404,
  'operation_not_found',
  'There is no operation with this method and path.',
  () => 'There is no operation with this method and path.',
);

/** It does not exist, or it belongs to another organization: the two look the same. */
export const notFound = defineError(
  404,
  'not_found',
  'The resource does not exist, or belongs to another organization.',
  (what: string) => `The ${what} does not exist.`,
);

// 409: the request contradicts the current state, which the text names.

export const versionMismatch = defineError(
  409,
  'version_mismatch',
  'The resource has changed since the version that `If-Match` or `expected_version` names.',
  (noun: string, version: number, expected: number) =>
    `The ${noun} has version ${version}, not ${expected}. Fetch it again.`,
);

export const contentVersionMismatch = defineError(
  409,
  'content_version_mismatch',
  'The content of the draft has changed since the version that `expected_content_version` names.',
  (version: number, expected: number) =>
    `The template has content_version ${version}, not ${expected}. Fetch it again.`,
);

export const valueInUse = defineError(
  409,
  'value_in_use',
  'A value that must be unique in the organization is used already.',
  (what: string) => `The value of ${what} is already in use.`,
);

export const nameInUse = defineError(
  409,
  'name_in_use',
  'Another resource beside this one has the same name.',
  (noun: string) => `Another ${noun} already has this name.`,
);

export const alreadyExists = defineError(
  409,
  'already_exists',
  'The resource exists already.',
  (noun: string) => `The ${noun} already exists.`,
);

export const stillUsed = defineError(
  409,
  'still_used',
  'The resource cannot be deleted while others use it.',
  (reason: string) => `${reason}.`,
);

export const idempotentRequestRunning = defineError(
  409,
  'idempotent_request_running',
  'The first request with this idempotency key has not ended yet.',
  () => 'A request with this idempotency key is still running.',
);

export const idempotencyKeyTaken = defineError(
  409,
  'idempotency_key_taken',
  'The request took so long that a repetition of it took its idempotency key over.',
  () => 'Another request with this idempotency key has taken over.',
);

export const replyTooLarge = defineError(
  409,
  'reply_too_large',
  'The reply has more than 6 MB, and the client does not accept gzip.',
  () => 'The reply is larger than 6 MB. Send Accept-Encoding: gzip to get it.',
);

export const previewTooLarge = defineError(
  409,
  'preview_too_large',
  'The preview of a report is larger than a reply can be.',
  (what: string, bytes: number, most: number) =>
    `The ${what} has ${megabytes(bytes)}; the maximum is ${megabytes(most)}.`,
);

export const patchTestFailed = defineError(
  409,
  'patch_test_failed',
  'A `test` operation of a JSON Patch failed.',
  (position: number, reason: string) => `operations.${position}: ${reason}`,
);

export const inspectionLocked = defineError(
  409,
  'inspection_locked',
  'The inspection accepts no changes in its status.',
  (status: string) => `The inspection is ${status} and locked.`,
);

export const inspectionBlocked = defineError(
  409,
  'inspection_blocked',
  'The inspection cannot move on: answers, media, notes or parts are missing. The text names the first ten.',
  (status: string, blockers: readonly string[]) => {
    const named = blockers.slice(0, MAX_NAMED_BLOCKERS).join('; ');
    const rest = blockers.length - MAX_NAMED_BLOCKERS;
    const count = `${blockers.length} blocker${blockers.length === 1 ? '' : 's'}`;
    return `The inspection is ${status} with ${count}: ${named}${rest > 0 ? `; and ${rest} more` : ''}`;
  },
);

export const inspectionStatus = defineError(
  409,
  'inspection_status',
  'The inspection is in another status than the operation needs.',
  (status: string, reason?: string) => `The inspection is ${status}${reason ? `, ${reason}` : ''}.`,
);

export const noStepForward = defineError(
  409,
  'no_step_forward',
  'The inspection has no step forward, or waits for a decision or a signature.',
  (status: string, awaited?: string) =>
    `The inspection is ${status}${awaited ? ` and awaits ${awaited}` : ''}.`,
);

export const stepLeadsElsewhere = defineError(
  409,
  'step_leads_elsewhere',
  'The step forward leads to another status than `to` asks for.',
  (status: string, next: string) => `The inspection is ${status}. The step forward leads to ${next}.`,
);

export const partNotSubmitted = defineError(
  409,
  'part_not_submitted',
  'Only a part that was submitted can be reopened.',
  (status: string, part: string | undefined) =>
    part === undefined
      ? `The inspection is ${status}, and you take no part in it.`
      : `The inspection is ${status}, and your part is ${part}, not submitted.`,
);

export const alreadySigned = defineError(
  409,
  'already_signed',
  'Someone with this name has signed the inspection already.',
  (status: string, name: string) => `The inspection is ${status}, and ${name} has already signed it.`,
);

export const inspectionNotEmpty = defineError(
  409,
  'inspection_not_empty',
  'An inspection can be deleted only before work was done on it.',
  (status: string, answers: number) =>
    `The inspection is ${status} and has ${answers} answers. Archive it instead.`,
);

export const tooFewInstances = defineError(
  409,
  'too_few_instances',
  'A repeat section would have fewer instances than it needs.',
  (title: string, instances: number, least: number) =>
    `${JSON.stringify(title)} has ${instances} instances; the minimum is ${least}.`,
);

export const beingCorrected = defineError(
  409,
  'being_corrected',
  'The inspection has an open correction, which has to end first.',
  (status: string) =>
    `The inspection is ${status} and being corrected. Close or discard the correction first.`,
);

export const correctionOpen = defineError(
  409,
  'correction_open',
  'The inspection has an open correction already.',
  (status: string, id: string) => `The inspection is ${status}, and its correction ${id} is open.`,
);

export const correctionsLocked = defineError(
  409,
  'corrections_locked',
  'The inspection does not allow corrections.',
  (status: string) => `The inspection is ${status}, and its correction_mode is locked.`,
);

export const correctionNotOpen = defineError(
  409,
  'correction_not_open',
  'The correction has ended, or is about to end in another way.',
  (state: string) => `The correction is ${state}.`,
);

export const findingResolved = defineError(
  409,
  'finding_resolved',
  'The finding is resolved; corrective actions need an open one.',
  () => 'The finding is resolved. Open it again first.',
);

export const correctiveActionOpen = defineError(
  409,
  'corrective_action_open',
  'The finding cannot be resolved or deleted while a corrective action of it is open.',
  (number: number, title: string, status: string) =>
    `The corrective action ${number} (${title}) is ${status}.`,
);

export const correctiveActionStatus = defineError(
  409,
  'corrective_action_status',
  'The corrective action is in another status than the step needs.',
  (status: string, reason: string) => `The corrective action is ${status}. ${reason}.`,
);

export const evidenceRequired = defineError(
  409,
  'evidence_required',
  'The corrective action needs an attachment of stage `after` before it can be verified.',
  (status: string) =>
    `The corrective action is ${status}. It needs an attachment of stage after as evidence first.`,
);

export const notADraft = defineError(
  409,
  'not_a_draft',
  'Only a draft can be changed, published or looked at in this way.',
  (version: number, status: string) => `The template version ${version} is ${status}, not a draft.`,
);

export const draftExists = defineError(
  409,
  'draft_exists',
  'The template family has a draft already.',
  (id: string) => `The template family already has a draft, ${id}.`,
);

export const draftHasNoSnapshot = defineError(
  409,
  'draft_has_no_snapshot',
  'A draft has no snapshot; only a published version has one.',
  () => 'The template version is a draft, which has no snapshot.',
);

export const familyStatus = defineError(
  409,
  'family_status',
  'The template family is in another status than the operation needs.',
  (status: string, needed?: string) => `The template family is ${status}${needed ? `, not ${needed}` : ''}.`,
);

export const tooManyLayouts = defineError(
  409,
  'too_many_layouts',
  'The template family has as many report layouts as it can have.',
  (most: number) => `The template family already has ${most} report layouts, the maximum.`,
);

export const locationTooDeep = defineError(
  409,
  'location_too_deep',
  'Locations would be nested more deeply than is allowed.',
  (most: number) => `Locations can be nested ${most} levels deep.`,
);

export const locationCycle = defineError(
  409,
  'location_cycle',
  'A location would be below itself.',
  () => 'A location cannot be below itself.',
);

export const locationSynced = defineError(
  409,
  'location_synced',
  'The location comes from another system and can be changed only there.',
  () => 'The location is synced from another system. Change it there.',
);

export const uploadCompleted = defineError(
  409,
  'upload_completed',
  'The upload is completed already.',
  () => 'The upload is completed.',
);

export const fileNotUploaded = defineError(
  409,
  'file_not_uploaded',
  'The file of an upload has not arrived.',
  () => 'The file has not been uploaded.',
);

export const fileSizeMismatch = defineError(
  409,
  'file_size_mismatch',
  'The uploaded file has another size than the upload announced.',
  (size: number, announced: number) => `The uploaded file has ${size} bytes, not ${announced}.`,
);

export const reportFailed = defineError(
  409,
  'report_failed',
  'The report could not be rendered, so it cannot be exported.',
  () => 'The report is failed: it could not be rendered. Request a new one.',
);

export const reportNotRendering = defineError(
  409,
  'report_not_rendering',
  'The report is not being rendered.',
  (id: string) => `The report ${id} is not being rendered.`,
);

// 422: every problem of the request at once.

export const validationFailed = defineProblems(
  'validation_failed',
  'Path, query, headers or body do not have the declared form. `detail` lists every problem.',
);

export const contentInvalid = defineProblems(
  'content_invalid',
  'The content of a template is not valid. `detail` lists every problem, its place in `content` or `body`.',
);

export const formInvalid = defineProblems(
  'form_invalid',
  'The XLSForm cannot be imported. `detail` lists every problem by sheet, row and column.',
);

export const cursorInvalid = defineProblems(
  'cursor_invalid',
  'The cursor belongs to another list, or to other filters.',
);

export const idempotencyKeyInvalid = defineProblems(
  'idempotency_key_invalid',
  'The idempotency key is malformed, or was used with another request.',
);

// 429, 500, 503

/** Without Retry-After and rate-limit headers (contract, "Limits"). */
export const rateLimitExceeded = defineError(
  429,
  'rate_limit_exceeded',
  'The key has made more than 300 requests in this minute.',
  () => 'rate limit exceeded',
);

export const internalError = defineError(
  500,
  'internal_error',
  'An unexpected error.',
  () => 'internal server error',
);

const UNAVAILABLE: ErrorKind = {
  status: 503,
  code: 'unavailable',
  meaning: 'Something that the service depends on is briefly unavailable.',
};

/** A dependency is throttled, timed out or down: the client retries with exponential backoff. */
export const unavailable = /* @__PURE__ */ Object.assign(
  (what: string, cause?: unknown) =>
    new ApiError(UNAVAILABLE, `${what} is briefly unavailable. Try again.`, { cause }),
  UNAVAILABLE,
);
