import { actionStates, inspectionStates } from './states.ts';

/** What holds for every operation: the document's description, in Markdown. */
export const INTRODUCTION = `
Field inspections for an organization: templates, inspections and their answers, findings, reports, and the
clients, locations, members and documents they refer to.

# Authentication

Every request carries \`Authorization: Bearer <API key>\`. A key starts with \`ak_\`. A signed-in admin creates it in
the admin app (Settings, API keys), where it is shown once; a lost key is revoked and replaced, it cannot be
recovered. It belongs to one organization and reaches that organization's data alone: another organization's
resource is a \`404\` like one that never existed. Its access is *read & write* or *read only*, and a read-only key
that writes is answered \`403\`, as is every key on an operation that needs a signed-in person. Revocation and expiry
hold from the next request on.

A key acts under a service identity of its own. This is the caller that \`me\`, \`self\`, \`mine\` and \`assigned\` mean,
and it can be a participant and an assignee.

# Conventions

- Ids are UUIDs. Timestamps are ISO 8601 in UTC, to the millisecond: \`2026-03-02T09:30:00.000Z\`.
- Request bodies are JSON (\`application/json\`), files are \`multipart/form-data\`. An unknown field is a \`422\`.
- PATCH writes the fields that are present and no others; \`null\` clears a field that may be null, objects of a
  declared shape merge, arrays and free-form objects are replaced. \`{}\` changes nothing.
- What a 2xx has confirmed is visible in every later GET by id and in every unfiltered list.
- Replies may gain fields. Ignore those you do not know.
- A reply of more than 6 MB is compressed, and a \`409\` for a client that does not accept gzip; complete lists are of any
  length.

# Errors

A failed request is answered with one field, \`detail\`: a text for your logs, not for display. For \`422\` it is the
list of everything that is wrong with the request.

| Status | Meaning | What to do |
|---|---|---|
| 400 | The body cannot be read, or refers to something the organization does not have | Correct the request |
| 401 | The key is missing, malformed, revoked or expired | Replace the key |
| 403 | The key may not do this | Use another key, or a person |
| 404 | Does not exist, or not for this organization | |
| 409 | Contradicts the current state, which the text names | Fetch the resource again before retrying |
| 422 | Path, query or body do not have the declared form | Correct the request |
| 429 | Too many requests | Wait until the current minute ends |
| 500 | An unexpected error | Retry with exponential backoff |
| 503 | A dependency is briefly unavailable | Retry with exponential backoff |

An entry of a \`422\` says where (\`loc\`: \`body\`, \`query\`, \`path\` or \`header\`, or \`content\`
of a template as it stands, then the names on the way to the value),
what (\`msg\`) and of which kind (\`type\`, such as \`missing\` or \`string_too_short\`). Of more than 4 MB of them the
last one counts the others.

# Rate limit

300 requests per minute and key, counted in fixed minutes of the clock. Above it every request is a \`429\` until the
minute ends. No rate-limit headers are sent.

# Paging

A list without \`limit\` is the complete result, however long. With \`limit\` (1 to 200) it is one page, and while there
is more its \`Link\` header has the next one's address: \`<…>; rel="next"\`. The \`cursor\` in it is opaque and holds for
the same operation and filters. \`updated_since\` narrows a list to what has changed. \`GET /locations\` pages by
\`limit\` and \`offset\`: stop when a page holds fewer rows than \`limit\`.

# Idempotency

Any POST may carry an \`Idempotency-Key\`, remembered for 24 hours per API key and operation. Repeated with the same
body, it is answered with the first reply, marked \`Idempotent-Replayed: true\`; with another body it is a \`422\`, and
while the first request still runs a \`409\`. Send one wherever a repeated request would do harm, and retry without fear.

# Concurrent changes

A resource with a \`version\` moves it on with each change, and its replies carry it as \`ETag\` too. Send the version you know as \`expected_version\`, or as
\`If-Match: "<version>"\`, and the change is refused with a \`409\` if someone else was faster.
`.trim();

/** Areas in the order of the reference; the keys are folders under `functions/`. */
export const AREAS: Record<string, { name: string; description: string }> = {
  templates: {
    name: 'Templates',
    description:
      'A family is a template through time; its versions are drafts or published. Inspections keep the version they began with. Report layouts say how the reports of a family look.',
  },
  inspections: {
    name: 'Inspections',
    description: `From scheduled to completed: participants, answers, approval, sign-off, and the corrections of a completed inspection.\n\n${inspectionStates()}`,
  },
  findings: {
    name: 'Findings',
    description: 'What an inspection found to be wrong.',
  },
  'corrective-actions': {
    name: 'Corrective actions',
    description: `What is done about a finding, by whom and by when, until someone verifies it.\n\n${actionStates()}`,
  },
  reports: {
    name: 'Reports',
    description: 'Rendered reports, their exports in other formats, and sending them by e-mail.',
  },
  schedules: {
    name: 'Schedules',
    description:
      'Recurring inspections: recurrence rules in the schedule’s own time zone, with overrides of single occurrences.',
  },
  issues: {
    name: 'Issues',
    description:
      'What people report between inspections, from inside or through a public link, and its triage.',
  },
  'client-accounts': {
    name: 'Client accounts',
    description: 'The organization’s clients, for whom inspections are done.',
  },
  locations: {
    name: 'Locations',
    description: 'Where inspections take place: sites, buildings, areas, equipment.',
  },
  members: {
    name: 'Members and profile',
    description:
      'The people and keys of the organization, and the caller’s own profile, preferences and notifications.',
  },
  documents: { name: 'Documents', description: 'Uploaded files, as evidence or for reference.' },
  organization: { name: 'Organization', description: 'The organization’s own record and logo.' },
  integrations: {
    name: 'Integrations',
    description: 'Connections to other systems, and the lists that are synced from them.',
  },
  events: {
    name: 'Events',
    description: 'What happened, in order, for those who catch up without webhooks.',
  },
  ai: {
    name: 'AI',
    description: 'Features for a signed-in person. An API key is answered `403` by every one of them.',
  },
};

/** Areas that the reference shows together with another one. */
export const SHOWN_WITH: Readonly<Record<string, string>> = {
  answers: 'inspections',
  corrections: 'inspections',
  me: 'members',
  notifications: 'members',
};

/** The error replies by status, each with the words the service itself uses. */
export const ERRORS = {
  400: {
    name: 'BadRequest',
    description: 'The body cannot be read, or it refers to something the organization does not have.',
    detail: 'approver_id is not a member of the organization',
  },
  401: {
    name: 'Unauthorized',
    description: 'The key is missing, malformed, revoked or expired.',
    detail: 'missing, malformed or unknown API key',
  },
  403: {
    name: 'Forbidden',
    description: 'The key is known, but it may not do this.',
    detail: 'forbidden by row-level security',
  },
  404: {
    name: 'NotFound',
    description: 'Does not exist, or is not visible to the organization.',
    detail: 'inspection not found',
  },
  409: {
    name: 'Conflict',
    description: 'The request contradicts the current state, which the text names.',
    detail: 'the inspection is completed',
  },
  422: {
    name: 'Unprocessable',
    description: 'Everything about the request that does not have the declared form.',
    detail: [{ loc: ['body', 'name'], msg: 'Field required', type: 'missing' }],
  },
  429: {
    name: 'TooManyRequests',
    description: 'More than 300 requests in this minute.',
    detail: 'rate limit exceeded',
  },
  500: { name: 'InternalServerError', description: 'An unexpected error.', detail: 'internal server error' },
  503: {
    name: 'Unavailable',
    description: 'Something the service depends on is briefly unavailable; try again.',
    detail: 'report rendering is briefly unavailable, try again',
  },
} as const;
