/** A folder of `shared/`, and what it may reach beside the rooms before it. */
export interface Room {
  /** Its path within `shared/`. */
  name: string;
  holds: string;
  /** The AWS packages (of `@aws-sdk` and `@smithy`) that it may import; none where left out. */
  aws?: readonly string[];
  /** The only npm packages that it may import; any but AWS's where left out. */
  packages?: readonly string[];
  /** It may call addresses that customers and vendors give. */
  isOutgoing?: true;
}

/**
 * The rooms of `shared/`, from the ground up: each may import those before it, and none after it. The rules of
 * `npm run check` and of the architecture test are made from this list.
 */
export const ROOMS: readonly Room[] = [
  {
    name: 'base',
    holds: 'what everything stands on: errors, the caller, the request, the environment',
    aws: ['client-sts', 'node-http-handler', 'types'],
    packages: ['lru-cache'],
  },
  { name: 'i18n', holds: 'languages, and texts that people read, one folder a language', packages: [] },
  { name: 'schemas', holds: 'the nouns of the wire, as zod schemas', packages: ['zod'] },
  {
    name: 'domain',
    holds: 'the rules, pure: tested without AWS, HTTP or a database',
    packages: ['fraction.js', 'ical-generator', 'ical.js', 'jsep', 'temporal-polyfill'],
  },
  {
    name: 'xlsform',
    holds: 'forms of ODK and KoboToolbox, read and written; pure as well',
    packages: ['csv-parse', 'hucre', 'saxes', 'uuid'],
  },
  {
    name: 'db/table',
    holds: 'the table: keys, reads, writes, transactions, lists',
    aws: ['client-dynamodb', 'lib-dynamodb', 'util-dynamodb', 'core'],
  },
  { name: 'db/links', holds: 'public links, by the hash of their token' },
  { name: 'db/members', holds: 'people and keys as members of an organization' },
  { name: 'db/addresses', holds: 'email addresses outside the organization, and what they have agreed to' },
  { name: 'db/organization', holds: 'organizations, API keys, authentication' },
  { name: 'db/people', holds: 'people who sign in: sessions, memberships, invitations' },
  { name: 'db/me', holds: 'the caller’s own profile and preferences' },
  { name: 'db/client-accounts', holds: 'client accounts' },
  { name: 'db/regions', holds: 'regions' },
  { name: 'db/locations', holds: 'locations, in the order of their names' },
  { name: 'db/documents', holds: 'documents and uploads that are under way' },
  { name: 'db/assets', holds: 'assets and their kinds' },
  { name: 'db/notifications', holds: 'notifications, who gets them, and their mails' },
  { name: 'db/templates', holds: 'template families, versions, content, report layouts' },
  {
    name: 'db/inspection-core',
    holds: 'the rows of an inspection that answers, findings and corrections change together',
  },
  { name: 'db/certificates', holds: 'certificates, their kinds, and how inspections issue them' },
  { name: 'db/findings', holds: 'findings' },
  { name: 'db/corrective-actions', holds: 'corrective actions' },
  { name: 'db/answers', holds: 'answers, and the findings that follow from them' },
  { name: 'db/inspections', holds: 'inspections: creation, steps, lists, scores' },
  { name: 'db/numbers', holds: 'numbers of inspections, findings and actions, by place and month' },
  { name: 'db/corrections', holds: 'corrections of completed inspections' },
  { name: 'db/reports', holds: 'reports, and what they are made from' },
  { name: 'db/integrations', holds: 'connections, sources, their runs and the rows that they bring' },
  { name: 'db/issues', holds: 'issues, their categories and public links' },
  { name: 'db/schedules', holds: 'inspection schedules, their overrides, and what they create' },
  {
    name: 'db/transfers',
    holds: 'locations that go to other client accounts, with all that is open there',
  },
  {
    name: 'db/bulk-changes',
    holds: 'the same change of all rows that a filter finds, and what becomes of each',
  },
  { name: 'db/webhooks', holds: 'customers’ endpoints, and the deliveries of events to them' },
  { name: 'db/upkeep', holds: 'deletions that go on, reminders, checks and repairs' },
  { name: 'pages', holds: 'pages for people who have a link, drawn by the server' },
  {
    name: 'http',
    holds: 'what every endpoint and worker runs in',
    aws: ['client-sqs'],
  },
  { name: 'events', holds: 'the queues that tasks are sent to', aws: ['client-sqs'] },
  {
    name: 'storage',
    holds: 'objects in the bucket',
    aws: ['client-s3', 'lib-storage', 's3-presigned-post', 's3-request-presigner'],
  },
  { name: 'issue-form', holds: 'the form of a public issue link: shown, checked and sent' },
  {
    name: 'action-form',
    holds: 'the pages of corrective actions for their contact, and what is sent on them',
  },
  { name: 'reports', holds: 'reports as PDF and HTML' },
  { name: 'signature-form', holds: 'the page on which a witness signs, and what is sent on it' },
  { name: 'mail', holds: 'mails, composed and sent', aws: ['client-sesv2'] },
  { name: 'sign-in', holds: 'calls to the identity provider (OpenID Connect)', isOutgoing: true },
  {
    name: 'outgoing',
    holds: 'the one way to addresses that customers and vendors give',
    packages: [],
    isOutgoing: true,
  },
  { name: 'secrets', holds: 'secrets that only KMS can open', aws: ['client-kms'], packages: [] },
  { name: 'integrations', holds: 'vendors, and what they know' },
  { name: 'webhooks', holds: 'calls to customers’ endpoints', isOutgoing: true },
];
