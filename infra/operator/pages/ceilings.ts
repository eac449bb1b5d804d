import { RENEW_BEFORE_MS, SESSION_SECONDS } from '../../../shared/base/tenancy.ts';
import { MAX_REQUESTS_PER_MINUTE } from '../../../shared/organizations/authentication.ts';
import { MAX_BATCH } from '../../../shared/schemas/inspections/answer.ts';
import { SHARDS } from '../../../shared/table/keys.ts';
import { MAX_EVENTS } from '../../../shared/table/outbox/outbox.ts';
import type { Catalogue } from '../../catalogue.ts';
import { THROTTLE } from '../../gateway.ts';
import { MAX_CONCURRENCY } from '../../limits.ts';

/** Quotas of AWS for an account and region, as they are before anybody asks for more, and limits that nobody can raise. */
const AWS = {
  /** Units that a partition writes in a second (DynamoDB, "Best practices for designing partition keys"). */
  partitionUnits: 1_000,
  /** Requests in a second to all APIs (API Gateway, "Quotas"). */
  gatewayRequests: 10_000,
  /** AssumeRole in a second (IAM, "IAM and AWS STS quotas"). */
  sessions: 600,
  /** Instances of all functions at the same time (Lambda, "Quotas"). */
  instances: 1_000,
  /** Units that a table on demand writes in a second, once it has grown (DynamoDB, "Quotas"). */
  tableUnits: 40_000,
  /** Units that a new table on demand writes in a second (DynamoDB, "On-demand capacity mode"). */
  newTableUnits: 4_000,
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

/** Events of a request that saves answers, whether it is one or many. */
export const EVENTS_OF_SAVED_ANSWERS = 1;

/** A limit of the deployment: what it is, how it is computed, what raises it, and what says that it is near. */
interface Ceiling {
  what: string;
  /** With its unit. */
  most: string;
  arithmetic: string;
  mend: string;
  /** The metric, and the id of its alarm in the stack. */
  metric: string;
  alarm: string;
}

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

/** The limits that a deployment meets first when it grows. */
export const ceilings = (catalogue: Pick<Catalogue, 'workers'>): Ceiling[] => {
  const reserved = reservedFor(catalogue);
  const left = AWS.instances - reserved;
  return [
    ...(['machines', 'people'] as const).map((audience) => {
      const { rate, burst } = THROTTLE[audience];
      return {
        what: `Requests to the API for ${audience}`,
        most: `${shown(rate)} a second, ${shown(burst)} at once`,
        arithmetic:
          audience === 'machines'
            ? `${shown(rate)} ÷ (${MAX_REQUESTS_PER_MINUTE} ÷ 60) = ${shown(rate / (MAX_REQUESTS_PER_MINUTE / 60))} keys at their full rate. More is answered 429.`
            : `A person who works sends about one request in 5 seconds: ${shown(rate)} × 5 = ${shown(rate * 5)} people. More is answered 429.`,
        mend: `THROTTLE in infra/gateway.ts, as long as both APIs together stay below the ${shown(AWS.gatewayRequests)} a second of the account; AWS raises these.`,
        metric: 'AWS/ApiGateway Count',
        alarm: audience === 'machines' ? 'NearThrottle' : 'PeopleNearThrottle',
      };
    }),
    {
      what: 'Requests that run at the same time',
      most: `${shown(left)}, about ${shown(left / (ASSUMED.requestMs / 1_000))} requests a second`,
      arithmetic: `${shown(AWS.instances)} instances of the account − ${shown(reserved)} that the workers reserve = ${shown(left)}; ÷ ${ASSUMED.requestMs} ms that a request takes.`,
      mend: 'Ask AWS for a higher quota of concurrent executions. Until it is granted, -c reservedConcurrency=false gives requests all of it.',
      metric: 'ThrottledRequests',
      alarm: 'ThrottledRequests',
    },
    {
      what: 'Sessions of the tenant role',
      most: `${shown(AWS.sessions)} AssumeRole a second`,
      arithmetic: `An instance needs a session for each organization that it serves, and renews it after ${shown(sessionSeconds)} s: ${shown(AWS.sessions)} × ${shown(sessionSeconds)} = ${shown(AWS.sessions * sessionSeconds)} pairs of an instance and an organization, such as 1,000 organizations in ${shown((AWS.sessions * sessionSeconds) / 1_000)} instances.`,
      mend: 'Ask AWS for a higher rate of AssumeRole. -c rowLevelSecurity=false needs no sessions, and leaves the other two walls between organizations.',
      metric: 'SessionFailure',
      alarm: 'SessionFailures',
    },
    {
      what: 'Events of one organization: its partition of the outbox',
      most: `${shown(outboxEvents)} a second`,
      arithmetic: `${shown(AWS.partitionUnits)} units ÷ (${OUTBOX_WRITES_OF_EVENT} writes × ${UNITS.transaction} units of a transaction) = ${shown(outboxEvents)} events of up to 1 KB. DynamoDB splits a partition that is hot for long, but rows that follow each other in time stay on one side.`,
      mend: 'Spread the partition of the outbox over shards, as counters are: the stream hands rows on wherever they are, and the sweep finds them by an index.',
      metric: 'AWS/DynamoDB WriteThrottleEvents of the table',
      alarm: 'WriteThrottles',
    },
    {
      what: 'Requests that save answers in one organization',
      most: `${shown(answerSaves)} a second`,
      arithmetic: `Each is ${EVENTS_OF_SAVED_ANSWERS} event: ${shown(outboxEvents)} ÷ ${EVENTS_OF_SAVED_ANSWERS}. One request may save up to ${MAX_BATCH} answers. In one inspection, whose row each of them changes: 1,000 ms ÷ ${ASSUMED.transactionMs} ms = ${shown(1_000 / ASSUMED.transactionMs)}.`,
      mend: 'Clients send answers in batches. Then as for events.',
      metric: 'AWS/DynamoDB WriteThrottleEvents of the table',
      alarm: 'WriteThrottles',
    },
    {
      what: 'The order of events of one organization: the row of its sequence',
      most: `${shown((MAX_EVENTS * 1_000) / ASSUMED.transactionMs)} events a second`,
      arithmetic: `Transactions that move the sequence follow each other: 1,000 ms ÷ ${ASSUMED.transactionMs} ms × ${MAX_EVENTS} events of one transaction. When events come one by one, ${shown(1_000 / ASSUMED.transactionMs)}; they wait in the stream meanwhile, and more of them share the next transaction.`,
      mend: 'MAX_EVENTS in shared/table/outbox/outbox.ts, up to the 100 rows of a transaction. Events of several organizations do not wait for each other.',
      metric: 'AWS/Lambda IteratorAge of handOnOutbox',
      alarm: 'HandOnOutboxLag',
    },
    {
      what: 'Rows of the outbox of all organizations: the shards of its index',
      most: `${shown((SHARDS * AWS.partitionUnits) / (2 * UNITS.index))} a second`,
      arithmetic: `${SHARDS} shards × ${shown(AWS.partitionUnits)} units ÷ 2 writes, because a row enters the index and leaves it.`,
      mend: 'More SHARDS in shared/table/keys.ts: one release reads them, the next one writes them.',
      metric: 'AWS/DynamoDB WriteThrottleEvents of by_due',
      alarm: 'WriteThrottlesbydue',
    },
    {
      what: 'Writes of the whole table',
      most: `${shown(AWS.tableUnits)} units a second, and ${shown(AWS.newTableUnits)} when it is new`,
      arithmetic: `A table on demand doubles what it takes within 30 minutes: ${shown(AWS.newTableUnits)} units are ${shown(AWS.newTableUnits / (OUTBOX_WRITES_OF_EVENT * UNITS.transaction))} events a second without anything else.`,
      mend: 'aws dynamodb update-table --warm-throughput before a large import; ask AWS for a higher quota of the table.',
      metric: 'AWS/DynamoDB WriteThrottleEvents of the table',
      alarm: 'WriteThrottles',
    },
  ];
};
