import type { ErrorKind } from '../../shared/base/api-error.ts';
import * as errors from '../../shared/base/errors.ts';
import {
  MAX_REFUSALS_PER_MINUTE,
  MAX_REQUESTS_PER_MINUTE,
} from '../../shared/organizations/authentication.ts';
import { SLOTS } from '../../shared/schemas/slots.ts';
import { actionStates, correctionStates, inspectionStates, issueStates } from './states.ts';

/** The rows of a table of all error codes, by their status. */
const errorCodes = (): string =>
  Object.values<ErrorKind>(errors)
    .toSorted((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
    .map(({ code, status, meaning }) => `| \`${code}\` | ${status} | ${meaning} |`)
    .join('\n');

/** How much may wait or run at the same time of what clients ask for. */
const waitingLimits = (): string =>
  Object.entries(SLOTS)
    .filter(([kind]) => kind !== 'WEBHOOK')
    .map(([, { most, noun }]) => `${most} ${noun}`)
    .join(', ');

/** What applies to every operation, in Markdown: the description of the document. */
export const INTRODUCTION = `
Field inspections for an organization: templates, inspections and their answers, findings, reports, and the
clients, locations, members and documents that these use.

The [chapters](/chapters) beside this reference show how integrations use it, from a key to a PDF, with programs in curl,
TypeScript and Python. [postman.json](/postman.json) has every request that a key sends as a collection for Postman, Bruno
or Insomnia: import it and set the variable \`api_key\`.

# Authentication

Send an API key with every request: \`Authorization: Bearer <API key>\`. A key starts with \`ak_\`. An admin of the
organization creates it in the admin app (Settings, API keys). The app shows the key only once, and a lost key cannot
be recovered: revoke it and create a new one.

A key belongs to one organization and reaches only the data of that organization. A resource of another organization
is a \`404\`, like a resource that never existed.

A key's access is *read & write* or *read only*. A read-only key gets a \`403\` when it tries to write. Every key gets
a \`403\` from an operation that needs a signed-in person. When a key is revoked or expires, the next request with it
fails.

An admin can limit a key to areas of the API (scopes) and to networks. A request outside them is a \`403\`; with the code
\`api_key_scope\`, \`detail\` names the scope that the key lacks. A key with scopes lists only the events of what it may
read, and it can have only these sent to a webhook.

An admin can also rotate a key, which gives it a new secret. The former secret still works for as long as the admin has
chosen. Both secrets are one key, also for the rate limit.

Each key acts as a service identity of its own. This identity is the caller that \`me\`, \`self\`, \`mine\` and
\`assigned\` refer to. It can be a participant of an inspection and an assignee.

# Acting for a person

An integration that many people use, such as a field app of your own, can send its requests for them. Two people must
have allowed it:

- An admin has given the key the right to act for members when they created it (*May act for members*). No key can give
  this right to itself.
- The member has allowed it for the organization, when they joined it or later in their profile in the app. They can
  withdraw it at any time. \`acting_consented_at\` of \`GET /members\` says for whom keys may act. For any other member the
  reply is a \`403\` with the code \`acting_not_allowed\`.

Send the header \`On-Behalf-Of: <user_id>\`. The description of an operation says whether it takes the header. The member
is then the caller in every respect: the participant whose part is submitted, the person who answers, decides, signs,
completes and verifies, and the one whom \`me\`, \`self\`, \`mine\` and \`assigned\` refer to.

The request has only the rights that the key and the member both have: a member whose role may not approve cannot
approve through a key either. A decision for a person is the person's, so it does not need
\`settings.approval.allow_api\`. But a template family can let only people decide who have signed in
(\`signed_in_only\`). Where a second person has to approve or verify, a key and the person who made it count as one. A key
that was used for the work cannot approve it for anybody.

Every record of such a change names the person and, as \`acted_via_key_id\`, the key. The rate limit and the idempotency
keys are those of the key. The same idempotency key with another person is another request, so it is a \`422\`.

A key without the right gets a \`403\`. So does a \`user_id\` that is unknown, of another organization, not active, or of
a key: all in the same words. An operation that does not take the header refuses it with a \`400\` and never ignores it,
because the change would be recorded as that of the key.

# The app

The app under \`/app\` is for signed-in people. They have a session instead of a key: a cookie, which a browser gets by
signing in at \`/app/sign-in\` and loses at \`/app/sign-out\`. An API key on \`/app\` is a \`401\`, and so is a session on
\`/v1\`. A member whose role the operation does not name gets a \`403\`.

A request that changes something has the header \`Origin\` with the address of the service. Browsers send it themselves,
and any other client must set it. A request without it, or with another address, is a \`403\` with the code
\`foreign_origin\`. So no page of another site can change anything in the name of a person who is signed in.

The app takes no \`Idempotency-Key\`. Everything else is as on \`/v1\`.

Signed-in people can use many GETs of \`/v1\` as well, below \`/app/v1\`: \`GET /v1/findings\` is \`GET /app/v1/findings\`
there. Parameters and reply are the same; the cookie takes the place of the key. The description of each such GET says
so.

# Conventions

- Ids are UUIDs. Timestamps are ISO 8601 in UTC with milliseconds: \`2026-03-02T09:30:00.000Z\`.
- Request bodies are JSON (\`application/json\`). Files are uploaded as \`multipart/form-data\`. An unknown field is a
  \`422\`.
- A boolean in a query or a form is \`true\` or \`false\`, in any case.
- All headers of a request together may have 10,240 bytes. An \`Idempotency-Key\` has 1 to 255 printable ASCII
  characters, an \`If-Match\` one version, an \`If-None-Match\` any number of entity tags.
- All text is UTF-8. Another \`charset\` is a \`400\`.
- PATCH changes only the fields that are in the request. \`null\` clears a field that may be null. Objects with
  declared fields are merged; arrays and free-form objects are replaced. \`{}\` changes nothing.
- After a 2xx reply, every GET by id and every list without a filter shows the change.
- Replies may gain new fields. Ignore fields that you do not know.
- HEAD is answered wherever GET is: the same status and headers, without a body.
- A \`201\` has the address of the new resource as \`Location\`, if it has one. A \`202\` always has a \`Location\`: the
  address where you can follow the progress. Replies of the app have no \`Location\`.
- A request body that is compressed (\`Content-Encoding\`) is a \`400\`.
- A reply larger than 6 MB is compressed with gzip. A client that does not accept gzip gets a \`409\` instead. Lists
  have no such limit.

# Names

One thing has one name in all operations, apart from names that are older than these rules (such as \`ca_id\` in paths).

| What | Its name |
|---|---|
| the version of a resource, for \`If-Match\` | \`version\`; in requests \`expected_version\` |
| the version of a template | \`template_id\`; its number in the family is \`version_number\` |
| the version of a draft’s content | \`content_version\`; in requests \`expected_content_version\` |
| a template over time | \`template_family_id\`; \`family_id\` below \`/templates\` |
| the name, type and size of a file | \`file_name\` (\`filename\` of an export), \`mime_type\`, \`size_bytes\` |
| the digest of a file; of a content or payload | \`sha256\`; \`content_hash\` |
| an address from which a file is fetched | \`url\` of what is a file, \`download_url\` of what has one |
| how many of something there are | \`<things>_count\`, with the noun in the plural; how often: \`<act>_count\` |
| a number among its kind, for people | \`number\` |
| when something happened; on which date | \`<act>_at\`; \`<act>_on\`, \`<thing>_date\` |
| who did it; with which key for another | \`<act>_by\`; \`<act>_via_key_id\`, else \`acted_via_key_id\` |
| what can be switched off by its owner | \`is_active\` where only that matters, else \`status\` with \`active\` and \`paused\` |
| a condition that holds or not | \`is_<adjective>\` |
| when something was last synced | \`last_synced_at\` of sources; \`last_sync_at\` of a vendor; \`synced_at\` of a row |
| why a request for a file failed | \`error\`, a text |
| what keeps something from working, until it is solved | \`problem\`, an object with \`kind\` or \`code\` and \`message\`; several: \`problems\` |
| the last failure of calls to others | \`last_failure\`, \`last_error\`: objects with their time |
| your own id | \`external_ref\`; the id at a synced system: \`external_id\` |
| a filter of a list | the name of the field that it compares; a span: \`<field>_after\`, \`<field>_before\`; a text: \`q\` |
| a list | an array with a \`Link\` header; with more to say than its rows: \`items\` and \`next_cursor\` |
| an operation | \`list\`, \`get\`, \`create\`, \`update\`, \`replace\`, \`delete\` and the resource; a step has its own verb |
| the same operation for signed-in people | \`app\` before its id |
| the form of a POST; of a PATCH; a component of requests that replies have too | \`New<Resource>\`; \`<Resource>Changes\`; \`<Name>Input\` |

# Errors

The body of a failed request has one field, \`detail\`. It is a text for your logs, not for display to users. In a
\`422\` it is a list of everything that is wrong with the request.

| Status | Meaning | What to do |
|---|---|---|
| 400 | The request or its body cannot be read, or it refers to something that the organization does not have | Correct the request |
| 401 | The key is missing, malformed, revoked or expired; there is no session, or it has ended | Use another key; sign in |
| 403 | The key or the person may not do this | Use a key with more access, or let a person do it |
| 404 | The resource does not exist, or it belongs to another organization | Check the id, and whose key it is |
| 409 | The request is not possible in the current state; \`detail\` names the reason | Fetch the resource again before you retry |
| 422 | The path, the query or the body does not have the declared form | Correct the request |
| 429 | Too many requests; with the code \`too_many_waiting\`: too much work that waits or runs | Wait until the current minute ends, or until some of that has ended |
| 500 | Unexpected error | Retry with exponential backoff |
| 503 | Something that the service depends on is briefly unavailable | Retry with exponential backoff |

The header \`X-Error-Code\` names the error for programs. Codes are stable; texts may change, and new codes may be
added. Each operation lists all that it can answer (\`x-error-codes\`). Its text names those that not every operation has.

| Code | Status | When, and what to do |
|---|---|---|
${errorCodes()}

Each entry in the list of a \`422\` describes one problem:

- \`loc\` is the place: \`body\`, \`query\`, \`path\` or \`header\`, or \`content\` for the stored content of a template,
  followed by the names that lead to the value.
- \`msg\` says what is wrong.
- \`type\` says it as a code for programs, such as \`missing\` or \`string_too_short\`.
- \`input\` is the refused value. An entry has it only where it helps.
- \`ctx\` has the limit that the value violates, such as \`min_length\`. An entry has it only if there is a limit.

A list of more than 4 MB is cut off, and its last entry says how many entries are missing.

# Rate limit

A key may send ${MAX_REQUESTS_PER_MINUTE} requests per minute. The operator of the service can set a higher number for an organization, and
a limit for all of its keys together. Minutes are those of the clock, so the count starts again at each full minute.
Until then, every further request is a \`429\`. Replies have no rate-limit headers.

A request from a network that the key does not allow is refused before it is counted, so it takes nothing from the key.
Only ${MAX_REFUSALS_PER_MINUTE} of them a minute are a \`403\`, and further ones a \`429\`.

A list without \`limit\` that takes longer than 5 seconds to send is a long reply. A key may have 20 of them at once.
While it has 20, its further lists are a \`429\`, and one more that becomes long is cut off.

Work that continues in the background is limited as well. At the same time, an organization may have waiting or running:
${waitingLimits()}. One more is a \`429\` with the code \`too_many_waiting\`, and \`detail\` says how many there are
and may be. Send the request again when one of them has ended.

# Paging

Without \`limit\`, a list is complete, however long it is. With \`limit\` (1 to 200), it is one page. While there are
more pages, the reply has a \`Link\` header with the address of the next one: \`<…>; rel="next"\`. The \`cursor\` in that
address is opaque. It is valid for the same operation with the same filters, and for all API keys of the
organization, also after the key that began the list was rotated or revoked. \`GET /locations\` has \`limit\` and \`offset\`
instead: stop when a page has fewer rows than \`limit\`.

\`updated_since\` limits a list to what has changed since then. Some fields change although their resource does not: those
that are read from other resources, whose descriptions say so, and those that follow from the time, such as
\`is_overdue\`. \`updated_since\` does not find such changes.

# Idempotency

Any POST that changes something may have an \`Idempotency-Key\` header. Every other request refuses it with a \`400\`. The
service remembers the key of a request that has succeeded for 24 hours, for this API key and this operation. If you send
the same body again, you get the first reply again, with \`Idempotent-Replayed: true\`. Another body with the same key is
a \`422\`. While the first request is still running, you get a \`409\`. A 4xx has
changed nothing and is not kept: the same key may be sent again, also with a corrected body. After a 5xx, or when no reply
has come, send the same request with the same key again: it is carried out once. Send the header
wherever a repeated request would do harm; then you can retry safely.

# Concurrent changes

The \`version\` of a resource increases with each change. To make sure that nobody has changed the resource since you
read it, send the version that you know, as \`expected_version\` or as \`If-Match: "<version>"\`. If the resource has
another version by then, you get a \`409\` and nothing is changed.

The version is that of the last resource in the path that has a \`version\`. To close a correction, for example, send
the version of its inspection. To save an answer, send the version of the answer.

Each reply that is such a resource has an \`ETag\`: \`"<version>-<digest>"\`. The tag changes whenever the reply changes. A
reply can change without the version, because it also shows what other resources say, such as counters, and what follows
from the time, such as \`is_overdue\`. If a change and a GET have the same reply, they have the same tag.

A GET of such a resource takes \`If-None-Match\` with the \`ETag\` of the reply that you have. If the reply would be the
same, you get a \`304\` without a body, which counts for the rate limit. Only whole tags match: \`If-None-Match: "3"\` gets the
whole reply.

\`If-Match\` takes a version, such as \`"3"\`, or the \`ETag\` of a reply, of which only the version counts. It guards what
the change would overwrite: the resource itself, and not the counters and names that a reply takes from others. A weak
tag (\`W/"…"\`) is a \`422\`. \`If-Match: *\` checks nothing.

An operation that cannot check \`If-Match\` or \`If-None-Match\` refuses the header with a \`400\`. It never ignores it.

# Browsers

A page of another origin cannot call \`/v1\`: no reply has the headers of CORS. This cannot be switched on, because
everybody who opens a page can read the key in it. Let the page call a server of your own, which holds the key.

# Working offline, and on two devices

A client may save answers long after they were given. Send the time of each as \`client_answered_at\`, because
\`answered_at\` is the time at which the service saved it. Send them with \`PUT …/responses/batch\`, each with a \`client_mutation_id\` of its own, and
repeat the request until it succeeds: no answer is saved twice.

Two devices may work on one inspection. Answers to different fields do not overwrite each other. Of two answers to the
same field the one that is saved last counts, unless the client names the version that it knows.
\`expected_version: 0\` means that there must be no answer yet: of two devices that send it, one gets a \`409\`.
\`PATCH …/responses\` changes a note without touching a value that another device has just saved.

Before a device adds an instance to a repeat section, it reserves an index with \`POST …/instances\`. Until the instance
is deleted, no other device gets this index, and the same \`client_instance_id\` gets the same instance.
`.trim();

/** The areas in the order of the reference. The keys are folders under `functions/`. */
export const AREAS: Record<string, { name: string; description: string }> = {
  templates: {
    name: 'Templates',
    description:
      'A template family is one template over time. Each of its versions is a draft or published. An inspection keeps the version that it began with. Report layouts define how the reports of a family look. A form that was made for ODK or KoboToolbox (an XLSForm) can be imported as a template: the reply says, cell by cell, what could not be imported. Any template can be exported as an XLSForm.',
  },
  inspections: {
    name: 'Inspections',
    description: `The life of an inspection, from scheduled to completed: its participants, answers, approval and sign-off, and the corrections of a completed inspection. A re-inspection asks again what failed, or everything. What passes resolves its finding, and the corrective actions of the finding wait for verification. The report of a re-inspection shows both answers.\n\n${inspectionStates()}\n\n${correctionStates()}`,
  },
  findings: {
    name: 'Findings',
    description: 'The problems that an inspection has found.',
  },
  'corrective-actions': {
    name: 'Corrective actions',
    description: `What someone does to correct a finding, until that is verified. An action may name a contact outside the organization, such as a contractor. The contact is mailed a link to this one action, adds photos as evidence and says that it is done; a member verifies it.\n\n${actionStates()}`,
  },
  issues: {
    name: 'Issues',
    description: `What members, programs and, by public links, strangers report; who looks after it, and what is done about it. A public link is a page on which anyone reports an issue without an account, photos included; its QR code can be printed.\n\n${issueStates()}`,
  },
  reports: {
    name: 'Reports',
    description:
      'Rendered reports, their exports in other formats, and sending them by email. A share link opens one report for anyone who has it, until it ends or is revoked.\n\nThe owner of an address that is no member’s is asked first. Before they have agreed, the address gets no notifications, no replies, and nothing that a request writes in the mail of a report. Every mail to such an address has a link that stops all of them. When too many mails of an organization bounce or are reported as unwanted, mails to such addresses wait until the operator of the service releases them (`mails.paused` of `GET /org`).',
  },
  schedules: {
    name: 'Schedules',
    description:
      'Recurring inspections. A schedule has a recurrence rule in its own time zone, and overrides for single occurrences. Every five minutes, the service creates the inspections that start within `create_ahead_days`: exactly one for each occurrence and location. After an outage of the service, it creates what was due meanwhile.\n\nA schedule is `paused` by a request, or while its template family is archived. What it misses while paused is not created later. It has `ended` when no occurrence lies ahead. While something that it needs is missing, it creates nothing, and `problem` says why.\n\nA rule leaves out the months that lack its day, such as the 31st or a fifth Friday. `warnings` and `left_out` say so, also in the preview. With `SKIP=BACKWARD` or `SKIP=FORWARD` in the rule (RFC 7529), a month without the 31st has an occurrence on its last day, or on the first day of the next month.',
  },
  'client-accounts': {
    name: 'Client accounts',
    description:
      'The clients that the organization carries out inspections for. Somebody at a client can get a weekly mail about its own locations (`digest`).',
  },
  regions: {
    name: 'Regions',
    description:
      'Areas that the organization defines, such as districts or franchise areas. Locations of any client account can be in a region, and a region can be part of another one.',
  },
  assets: {
    name: 'Assets',
    description:
      'The devices, machines and other things that are inspected, and the kinds that they are of. An asset is at a location, and may be moved to another one.',
  },
  'bulk-changes': {
    name: 'Bulk changes',
    description:
      'The same change of all rows that the filter of a list finds. A dry run first lists what would change and what is refused. Then exactly that is carried out, row by row. Rows that somebody else has changed meanwhile stay as they are.',
  },
  certificates: {
    name: 'Certificates',
    description:
      'Proofs that an asset or a location has passed an inspection. A certificate kind names the template family whose inspections issue it. The certificate is issued in the transaction that completes the inspection, with the next number of its series. It keeps the names of that moment, expires on its day, and can be suspended or revoked. When a correction lets its inspection fail, or the inspection is archived, the certificate is suspended. When the inspection counts as passed again, the certificate is valid again.\n\n`{base_url}/verify/{number}` needs no key. It tells anyone who has the number whether the certificate is valid, until when, and for what. Programs add `/json`. It shows no client account, no address, no people, and not why a certificate was suspended or revoked.',
  },
  locations: {
    name: 'Locations',
    description: 'The places of inspections: sites, buildings, areas, equipment.',
  },
  members: {
    name: 'Members and profile',
    description:
      'The people and API keys of the organization. The profile, preferences and notifications of the caller.',
  },
  documents: {
    name: 'Documents',
    description: 'Uploaded files, for evidence or for reference.',
  },
  organization: {
    name: 'Organization',
    description: 'The record and the logo of the organization.',
  },
  integrations: {
    name: 'Integrations',
    description:
      'Connections to other systems, and what is synced from them: locations, client accounts, lists of options, and people who may become members. A sync recognizes a row by the id of its item, or by the `identity_column` of the source. The fields that the source fills can be changed only at the other system (`409` here); all other fields are free. When an item has gone from the board, its row is deactivated, never deleted, and only after the whole board was read.',
  },
  events: {
    name: 'Events',
    description:
      'Everything that happened, in order. The data of an event is the resource as its GET shows it right after the change or, for a deletion, as it was before. It never has signed URLs or credentials. A client that reads all events of a resource knows what its list shows, apart from fields whose descriptions say that no event tells of them. New types may be added: ignore those that you do not know. The same document is the body of a webhook.',
  },
  webhooks: {
    name: 'Webhooks',
    description:
      'Subscriptions: the service sends each event to the addresses that want it, for all types (`*`), those of one kind (`inspection.*`) or single ones. A key subscribes with `POST /webhooks` and unsubscribes with `DELETE /webhooks/{webhook_id}`, as REST hooks do; an admin does the same in the app. The headers of a delivery are those of [Standard Webhooks](https://www.standardwebhooks.com), whose libraries check the signature; `webhook-id` stays the same when a delivery is repeated. Failed deliveries are attempted again for almost two days. After a longer outage, a replay sends everything since a time again.',
  },
  app: {
    name: 'App',
    description:
      'What signed-in people do in the admin app: their session, API keys, members, settings, the audit log. Each operation names the roles that may call it.',
  },
  ai: {
    name: 'AI',
    description: 'Features for signed-in people. An API key gets a `403` from all of them.',
  },
};

/** Areas that the reference shows as a part of another area. */
export const SHOWN_WITH: Readonly<Record<string, string>> = {
  answers: 'inspections',
  corrections: 'inspections',
  me: 'members',
  notifications: 'members',
};

/** What a reply of each status means, with an example that the service itself makes. */
export const ERRORS = {
  400: {
    name: 'BadRequest',
    description:
      'The request is not valid HTTP, its body cannot be read (for an operation without one: a body that is not JSON), or it refers to something that the organization does not have.',
    example: errors.referenceNotFound('approver_id'),
  },
  401: {
    name: 'Unauthorized',
    description:
      'The key is missing, malformed, revoked or expired; in the app: there is no session, or it has ended.',
    example: errors.apiKeyUnknown(),
  },
  403: {
    name: 'Forbidden',
    description: 'The key or the person is known, but may not do this.',
    example: errors.rowLevelSecurity(),
  },
  404: {
    name: 'NotFound',
    description: 'The resource does not exist, or it belongs to another organization.',
    example: errors.notFound('inspection'),
  },
  409: {
    name: 'Conflict',
    description: 'The request is not possible in the current state, which the text names.',
    example: errors.inspectionLocked('completed'),
  },
  422: {
    name: 'Unprocessable',
    description: 'The path, the query or the body does not have the declared form. Lists every problem.',
    example: errors.validationFailed([{ loc: ['body', 'name'], msg: 'Field required', type: 'missing' }]),
  },
  429: {
    name: 'TooManyRequests',
    description:
      'Too many requests: the key, or all keys of the organization together, have sent as many in this minute as they may, or the key has 20 long replies at once. With the code `too_many_waiting`: the organization has as much work waiting or running as it may have.',
    example: errors.rateLimitExceeded(),
  },
  500: {
    name: 'InternalServerError',
    description: 'An unexpected error.',
    example: errors.internalError(),
  },
  503: {
    name: 'Unavailable',
    description: 'Something that the service depends on is briefly unavailable. Try again.',
    example: errors.unavailable('Report rendering'),
  },
} as const;

/** The 403 of what signed-in people change. */
export const FOREIGN = {
  name: 'ForbiddenOrForeign',
  description:
    'The person may not do this. Or the header `Origin` is missing, or names another page than one of this service (`foreign_origin`). Browsers send `Origin` themselves; any other client sends the address of this service, such as `https://api.example.org`.',
  example: errors.foreignOrigin(),
} as const;
