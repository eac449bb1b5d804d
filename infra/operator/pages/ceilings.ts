import { RENEW_BEFORE_MS, SESSION_SECONDS } from '../../../shared/base/tenancy.ts';
import { type Audience, audienceOf, routesOf } from '../../../shared/http/operation/surface.ts';
import { MAX_REQUESTS_PER_MINUTE } from '../../../shared/organizations/authentication.ts';
import { MAX_BATCH } from '../../../shared/schemas/inspections/answer.ts';
import { SHARDS } from '../../../shared/table/keys.ts';
import { MAX_EVENTS } from '../../../shared/table/outbox/outbox.ts';
import type { Catalogue } from '../../catalogue.ts';
import { AUDIENCES, MAX_PATH_NODES, nodesOf, THROTTLE } from '../../gateway.ts';
import { MAX_CONCURRENCY, MAX_STACK_PERCENT, MAX_TEMPLATE } from '../../limits.ts';

/** Quotas of AWS for an account and region, as they are before anybody asks for more, and limits that nobody can raise. */
const AWS = {
  /** Units that a partition writes in a second. */
  partitionUnits: 1_000,
  /** Requests in a second to all APIs. */
  gatewayRequests: 10_000,
  /** AssumeRole in a second. */
  sessions: 600,
  /** Instances of all functions at the same time. */
  instances: 1_000,
  /** Units that a table on demand writes in a second, once it has grown. */
  tableUnits: 40_000,
  /** Units that a new table on demand writes in a second. */
  newTableUnits: 4_000,
  /** Encrypt, Decrypt and GenerateDataKey in a second, in a region with the smallest quota. */
  keyRequests: 10_000,
  /** Mails of an account that may write to addresses of its own alone. */
  sandboxMails: { day: 200, second: 1 },
} as const;

/** Where AWS says its numbers. */
const SOURCES = {
  partition: 'Amazon DynamoDB, "Best practices for designing and using partition keys effectively"',
  table: 'Amazon DynamoDB, "Quotas" and "On-demand capacity mode"',
  transactions: 'Amazon DynamoDB, "Amazon DynamoDB transactions: how it works"',
  gateway: 'Amazon API Gateway, "Quotas for REST APIs"',
  sessions: 'AWS IAM, "IAM and AWS STS quotas"',
  instances: 'AWS Lambda, "Lambda quotas"',
  keys: 'AWS KMS, "Request quotas"',
  mails: 'Amazon SES, "Service quotas in Amazon SES"',
  stacks: 'AWS CloudFormation, "Understand CloudFormation quotas"',
} as const;

/** What a ceiling is computed with beside the constants. Tests and the load kit measure both. */
const ASSUMED = {
  /** How long a request takes that reads and writes, in milliseconds. */
  requestMs: 100,
  /** How long DynamoDB holds the items of a transaction, with the way there and back, in milliseconds. */
  transactionMs: 20,
} as const;

/** Units of writing a row of up to 1 KB: in a transaction, where DynamoDB writes it twice, and to an index. */
const UNITS = { transaction: 2, index: 1 } as const;

/** An event is one row of the outbox of its organization, which is written and later removed. */
export const OUTBOX_WRITES_OF_EVENT = 2;

/** An instance opens one session for an organization, which its functions keep for all requests. */
export const SESSIONS_OF_ORGANIZATION = 1;

/** Events of a request that saves answers, whether it is one or many. */
export const EVENTS_OF_SAVED_ANSWERS = 1;

/** What says that a ceiling is near: a metric with the id of its alarm in the stack, or what fails before a deployment. */
type Warning = { metric: string; alarm: string } | { before: string };

/** A limit of the deployment: what it is, how it is computed, what raises it, and what says that it is near. */
type Ceiling = Warning & {
  what: string;
  /** With its unit. */
  most: string;
  arithmetic: string;
  /** Where the numbers of AWS stand. */
  source: string;
  /** What customers see of it. */
  noticed: string;
  mend: string;
};

const shown = (number: number): string => Math.floor(number).toLocaleString('en');

const outboxEvents = AWS.partitionUnits / (OUTBOX_WRITES_OF_EVENT * UNITS.transaction);

const answerSaves = outboxEvents / EVENTS_OF_SAVED_ANSWERS;

const sessionSeconds = SESSION_SECONDS - RENEW_BEFORE_MS / 1_000;

/** How many instances the workers keep for themselves. */
const reservedFor = ({ workers }: Pick<Catalogue, 'workers'>): number =>
  workers.reduce((sum, { worker: { source } }) => {
    if ('queue' in source) return sum + MAX_CONCURRENCY.queue;
    return sum + ('stream' in source ? MAX_CONCURRENCY.stream : MAX_CONCURRENCY.clock);
  }, 0);

/** The resources of an operation: its function, role, log, version, alias, and the group of its rollout. */
const RESOURCES_OF_OPERATION = 6;

/** The operations of the area that has most. */
const mostOperations = ({ operations }: Pick<Catalogue, 'operations'>): [string, number] =>
  Object.entries(Object.groupBy(operations, ({ area }) => area))
    .map(([area, own]): [string, number] => [area, own!.length])
    .reduce((most, each) => (each[1] > most[1] ? each : most), ['none', 0]);

const nodesOfAudience = ({ operations }: Pick<Catalogue, 'operations'>, audience: Audience): number =>
  nodesOf(
    operations
      .flatMap(({ operation }) => routesOf(operation))
      .filter((route) => audienceOf(route) === audience)
      .map(({ path }) => path),
  ).size;

/** What keeps room in a template. */
const TEMPLATES_TEST =
  'npm run test:cloud prints the share of each stack, with and without a canary, and fails above 60%';

/** The limits that a deployment meets first when it grows. */
export const ceilings = (catalogue: Catalogue): Ceiling[] => {
  const reserved = reservedFor(catalogue);
  const left = AWS.instances - reserved;
  const [largest, operations] = mostOperations(catalogue);
  const mostResources = (MAX_TEMPLATE.resources * MAX_STACK_PERCENT) / 100;
  return [
    ...AUDIENCES.map((audience) => {
      const { rate, burst } = THROTTLE[audience];
      return {
        what: `Requests to the API for ${audience}`,
        most: `${shown(rate)} a second, ${shown(burst)} at once`,
        arithmetic:
          audience === 'machines'
            ? `${shown(rate)} ÷ (${MAX_REQUESTS_PER_MINUTE} ÷ 60) = ${shown(rate / (MAX_REQUESTS_PER_MINUTE / 60))} keys at their full rate. More is answered 429.`
            : `A person who works sends about one request in 5 seconds: ${shown(rate)} × 5 = ${shown(rate * 5)} people. More is answered 429.`,
        source: SOURCES.gateway,
        noticed: '429 for whoever sends at that moment. Clients wait and send again.',
        mend: `THROTTLE in infra/gateway.ts, as long as both APIs together stay below the ${shown(AWS.gatewayRequests)} a second of the account; AWS raises these.`,
        metric: 'AWS/ApiGateway Count',
        alarm: audience === 'machines' ? 'NearThrottle' : 'PeopleNearThrottle',
      };
    }),
    {
      what: 'Requests that run at the same time',
      most: `${shown(left)}, about ${shown(left / (ASSUMED.requestMs / 1_000))} requests a second`,
      arithmetic: `${shown(AWS.instances)} instances of the account − ${shown(reserved)} that the workers reserve = ${shown(left)}; ÷ ${ASSUMED.requestMs} ms that a request takes.`,
      source: SOURCES.instances,
      noticed: '503 for some requests. Workers go on, because their instances are reserved.',
      mend: 'Ask AWS for a higher quota of concurrent executions. Until it is granted, -c reservedConcurrency=false gives requests all of it.',
      metric: 'ThrottledRequests',
      alarm: 'ThrottledRequests',
    },
    {
      what: 'Sessions of the tenant role',
      most: `${shown(AWS.sessions)} AssumeRole a second`,
      arithmetic: `An instance needs a session for each organization that it serves, and renews it after ${shown(sessionSeconds)} s: ${shown(AWS.sessions)} × ${shown(sessionSeconds)} = ${shown(AWS.sessions * sessionSeconds)} pairs of an instance and an organization, such as 1,000 organizations in ${shown((AWS.sessions * sessionSeconds) / 1_000)} instances.`,
      source: SOURCES.sessions,
      noticed: '503 for requests of organizations that an instance has not served for a while; others go on.',
      mend: 'Ask AWS for a higher rate of AssumeRole. -c rowLevelSecurity=false needs no sessions, and leaves the other two walls between organizations.',
      metric: 'SessionFailure',
      alarm: 'SessionFailures',
    },
    {
      what: 'Events of one organization: its partition of the outbox',
      most: `${shown(outboxEvents)} a second`,
      arithmetic: `${shown(AWS.partitionUnits)} units ÷ (${OUTBOX_WRITES_OF_EVENT} writes × ${UNITS.transaction} units of a transaction) = ${shown(outboxEvents)} events of up to 1 KB. DynamoDB splits a partition that is hot for long, but rows that follow each other in time stay on one side.`,
      source: `${SOURCES.partition}; ${SOURCES.transactions}`,
      noticed:
        '503 for some changes of that organization, which have not happened. Reading goes on, and so do other organizations.',
      mend: 'Spread the partition of the outbox over shards, as counters are: the stream hands rows on wherever they are, and the sweep finds them by an index.',
      metric: 'AWS/DynamoDB WriteThrottleEvents of the table',
      alarm: 'WriteThrottles',
    },
    {
      what: 'Requests that save answers in one organization',
      most: `${shown(answerSaves)} a second`,
      arithmetic: `Each is ${EVENTS_OF_SAVED_ANSWERS} event: ${shown(outboxEvents)} ÷ ${EVENTS_OF_SAVED_ANSWERS}. One request may save up to ${MAX_BATCH} answers. In one inspection, whose row each of them changes: 1,000 ms ÷ ${ASSUMED.transactionMs} ms = ${shown(1_000 / ASSUMED.transactionMs)}.`,
      source: `${SOURCES.partition}; ${SOURCES.transactions}`,
      noticed: '503 for some answers of that organization; an app keeps them and sends them again.',
      mend: 'Clients send answers in batches. Then as for events.',
      metric: 'AWS/DynamoDB WriteThrottleEvents of the table',
      alarm: 'WriteThrottles',
    },
    {
      what: 'The order of events of one organization: the row of its sequence',
      most: `${shown((MAX_EVENTS * 1_000) / ASSUMED.transactionMs)} events a second`,
      arithmetic: `Transactions that move the sequence follow each other: 1,000 ms ÷ ${ASSUMED.transactionMs} ms × ${MAX_EVENTS} events of one transaction. When events come one by one, ${shown(1_000 / ASSUMED.transactionMs)}; they wait in the stream meanwhile, and more of them share the next transaction.`,
      source: `${SOURCES.transactions}; npm run load counts the conflicts`,
      noticed: 'Nothing is refused. Events, webhooks and mails of that organization come later.',
      mend: 'MAX_EVENTS in shared/table/outbox/outbox.ts, up to the 100 rows of a transaction. Events of several organizations do not wait for each other.',
      metric: 'AWS/Lambda IteratorAge of handOnOutbox',
      alarm: 'HandOnOutboxLag',
    },
    {
      what: 'Rows of the outbox of all organizations: the shards of its index',
      most: `${shown((SHARDS * AWS.partitionUnits) / (2 * UNITS.index))} a second`,
      arithmetic: `${SHARDS} shards × ${shown(AWS.partitionUnits)} units ÷ 2 writes, because a row enters the index and leaves it.`,
      source: SOURCES.partition,
      noticed:
        '503 for some changes of all organizations, because a throttled index refuses writes to the table.',
      mend: 'More SHARDS in shared/table/keys.ts: one release reads them, the next one writes them.',
      metric: 'AWS/DynamoDB WriteThrottleEvents of by_due',
      alarm: 'WriteThrottlesbydue',
    },
    {
      what: 'Writes of the whole table',
      most: `${shown(AWS.tableUnits)} units a second, and ${shown(AWS.newTableUnits)} when it is new`,
      arithmetic: `A table on demand doubles what it takes within 30 minutes: ${shown(AWS.newTableUnits)} units are ${shown(AWS.newTableUnits / (OUTBOX_WRITES_OF_EVENT * UNITS.transaction))} events a second without anything else.`,
      source: SOURCES.table,
      noticed: '503 for some changes of all organizations.',
      mend: 'aws dynamodb update-table --warm-throughput before a large import; ask AWS for a higher quota of the table.',
      metric: 'AWS/DynamoDB WriteThrottleEvents of the table',
      alarm: 'WriteThrottles',
    },
    {
      what: 'Use of the keys of KMS',
      most: `${shown(AWS.keyRequests)} a second, more in large regions`,
      arithmetic: `The table asks once in five minutes for each caller, and the bucket for many files at once, so requests hardly count. Each sync and each delivery to a webhook opens a secret: ${shown(AWS.keyRequests)} of them a second, ${shown(AWS.keyRequests / MAX_CONCURRENCY.queue)} times what each of the ${MAX_CONCURRENCY.queue} instances of a worker would have to do.`,
      source: SOURCES.keys,
      noticed: 'Syncs and deliveries come later. Changes of secrets are answered 503.',
      mend: 'Ask AWS for a higher rate of cryptographic operations.',
      metric: 'KeyFailure',
      alarm: 'KeyFailures',
    },
    {
      what: 'Mails',
      most: `${AWS.sandboxMails.second} a second and ${AWS.sandboxMails.day} a day in a new account; then what SES grants`,
      arithmetic: `aws sesv2 get-account --query SendQuota says what is granted. With ${MAX_CONCURRENCY.queue} instances and about 1 s for a mail, the worker sends up to ${MAX_CONCURRENCY.queue} a second; what SES refuses is tried again for about 13 minutes, and is then a dead letter. An organization has a limit of its own for a day (operator org set).`,
      source: SOURCES.mails,
      noticed: 'Mails come later. Notices are in the app and in the API at once.',
      mend: 'Ask AWS for production access and a higher quota; then operator dead-letters redrive --what mail.',
      metric: 'AWS/SQS ApproximateAgeOfOldestMessage of MailQueue',
      alarm: 'MailQueueAge',
    },
    {
      what: 'Resources of one stack: the operations of an area',
      most: `${shown(Math.floor(mostResources / RESOURCES_OF_OPERATION))} operations`,
      arithmetic: `${MAX_STACK_PERCENT}% of ${MAX_TEMPLATE.resources} resources ÷ ${RESOURCES_OF_OPERATION} of an operation with a canary. The largest area, ${largest}, has ${operations}.`,
      source: SOURCES.stacks,
      noticed: 'Nothing: a deployment would be refused.',
      mend: 'Give some of its operations an area of their own, in functions/. Their functions get new names, and the former ones go when the new ones are there.',
      before: TEMPLATES_TEST,
    },
    {
      what: 'Size of one template: the routes of both APIs',
      most: `${shown(MAX_TEMPLATE.bytes)} bytes`,
      arithmetic: `Both bodies stand in the main template, of which ${MAX_STACK_PERCENT}% are ${shown((MAX_TEMPLATE.bytes * MAX_STACK_PERCENT) / 100)} bytes.`,
      source: SOURCES.stacks,
      noticed: 'Nothing: a deployment would be refused.',
      mend: 'Put the body of an API into the bucket of assets (ApiDefinition.fromAsset), where it may have 6 MB.',
      before: TEMPLATES_TEST,
    },
    ...AUDIENCES.map((audience) => {
      const nodes = nodesOfAudience(catalogue, audience);
      return {
        what: `Path nodes of the API for ${audience}`,
        most: shown(MAX_PATH_NODES),
        arithmetic: `It has ${nodes}, so ${MAX_PATH_NODES - nodes} are left. /a/{id}/b has four with the root, and paths share those that they begin with.`,
        source: SOURCES.gateway,
        noticed: 'Nothing: synth fails, and says how many there are.',
        mend: 'Ask AWS for more resources of an API, and raise MAX_PATH_NODES in infra/cloud/api/body.ts.',
        before: 'npm run test:cloud names how many are left, and fails when it is less than a tenth',
      };
    }),
  ];
};
