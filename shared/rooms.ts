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
    holds: 'what everything stands on: errors, the caller, the request, languages and their texts',
    aws: ['client-sts', 'node-http-handler', 'types'],
    packages: ['lru-cache'],
  },
  { name: 'schemas', holds: 'the nouns of the wire, as zod schemas', packages: ['zod'] },
  {
    name: 'domain',
    holds:
      'the rules, pure: tested without AWS, HTTP or a database; the forms of ODK and KoboToolbox as well',
    packages: [
      'csv-parse',
      'fraction.js',
      'hucre',
      'ical-generator',
      'ical.js',
      'jsep',
      'saxes',
      'temporal-polyfill',
      'uuid',
    ],
  },
  {
    name: 'table',
    holds: 'the table: keys, reads, writes, transactions, lists',
    aws: ['client-dynamodb', 'lib-dynamodb', 'util-dynamodb', 'core'],
  },
  {
    name: 'organizations',
    holds: 'organizations, their members, keys and links, people who sign in, and addresses outside',
  },
  {
    name: 'files',
    holds: 'documents, uploads that are under way, and objects in the bucket',
    aws: ['client-s3', 'lib-storage', 's3-presigned-post', 's3-request-presigner'],
  },
  { name: 'places', holds: 'client accounts, regions, locations and assets' },
  { name: 'notices', holds: 'notifications, who gets them, and which mails wait' },
  { name: 'templates', holds: 'template families, versions, content, report layouts' },
  {
    name: 'http',
    holds: 'what every endpoint and worker runs in, and the pages that the server draws',
    aws: ['client-sqs'],
  },
  {
    name: 'inspections',
    holds:
      'inspections, and what belongs to one: answers, findings, corrective actions, corrections, certificates',
  },
  { name: 'issues', holds: 'issues, their categories and public links' },
  { name: 'schedules', holds: 'inspection schedules, their overrides, and what they create' },
  {
    name: 'outside',
    holds: 'the ways out: addresses that customers and vendors give, the identity provider, queues, KMS',
    aws: ['client-kms', 'client-sqs'],
    isOutgoing: true,
  },
  {
    name: 'reports',
    holds: 'reports and exports: their rows, what they are made from, and how they are drawn',
  },
  {
    name: 'webhooks',
    holds: 'customers’ endpoints, and the deliveries of events to them',
    isOutgoing: true,
  },
  { name: 'integrations', holds: 'vendors, connections, sources, their runs and the rows that they bring' },
  {
    name: 'upkeep',
    holds: 'what goes on over many rows: deletions, transfers, bulk changes, reminders, checks and repairs',
  },
  { name: 'forms', holds: 'the pages on which people with a link write: issues, actions, signatures' },
  { name: 'mail', holds: 'mails, composed and sent', aws: ['client-sesv2'] },
];
