import { parseArgs } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { startEngines } from '../../infra/local/engines.ts';
import { lineOf, rowIn } from '../../infra/operator/organizations/folder.ts';
import { OUTBOX_WRITES_OF_EVENT, SESSIONS_OF_ORGANIZATION } from '../../infra/operator/pages/ceilings.ts';
import { aliasOf } from '../../shared/base/tenancy.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import { handOn } from '../../shared/outside/hand-on.ts';
import { putRows } from '../../shared/table/bulk.ts';
import type { OutboxRow } from '../../shared/table/entities/machinery.ts';
import { scanPage } from '../../shared/table/scan.ts';
import { print, rounded } from '../bench/table.ts';
import { newClient, newInspection, start } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { outboxOf } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { openTableDoor, type Seen, type TableDoor, TRANSACTION_MS } from './table-door.ts';

/*
 * A working minute of many organizations: inspectors save answers, integrations read and write, and the stream hands the
 * events on. It runs on the embedded engine, behind a door that counts and that refuses conflicting transactions as
 * DynamoDB does. One process stands for one environment of Lambda that serves all organizations, which is the worst case
 * for sessions and connections: a deployed function serves a part of them.
 */

const USAGE = `Usage: npm run load -- [--orgs 1000] [--minutes 10] [--requests 5] [--at-once 50]
--orgs: how many organizations there are. One number is measured after 10, 100 and so on, so that it shows what grows;
several numbers, such as 10,200, are measured as they are. --minutes: when it ends, with what it has measured by then.
--requests: of each organization. --at-once: requests that run at the same time.`;

/** How much of the time that is left the set-up may take, and then the requests; the stream has the rest. */
const SHARES = { setUp: 0.5, requests: 0.7 } as const;

const MINUTE_MS = 60_000;

/** A part of the time from now to an end. */
const partOf = (end: number, share: number): number => {
  const now = performance.now();
  return now + (end - now) * share;
};

/** Inspectors of each organization who save answers of one inspection at the same time. */
const FIELDS = 8;

/** Organizations that are set up at the same time: few, so that no call of it waits for a free connection. */
const SET_UP_AT_ONCE = 4;

/** More rows than an organization has when it is set up. */
const MAX_ROWS = 10_000;

const KEY = { name: 'Load', access: 'read_write', expires: 'never' } as const;

/** Events that the stream hands on together, and batches at the same time: one for each of its shards. */
const EVENTS_A_BATCH = 100;
const SHARDS = 4;

interface Tenant {
  person: Person;
  inspection: string;
}

const firstTenant = async (): Promise<Tenant> => {
  const person = await newPerson('Organization');
  const content = contentWith(...Array.from({ length: FIELDS }, (_, n) => field(2 + n)));
  const { id: template_family_id } = await publishedFamily(person.key, { content });
  const { id } = await newInspection(person, { template_family_id });
  await start(person.key, { id });
  await handOn(await outboxOf(person.caller));
  return { person, inspection: id };
};

/**
 * A first organization, whose rows others are copies of, with a key each: far sooner there than by their requests.
 * @returns makes another one
 */
const tenantsLikeTheFirst = async (): Promise<() => Promise<Tenant>> => {
  const { person, inspection } = await firstTenant();
  const { caller } = person;
  const { rows } = await scanPage(undefined, MAX_ROWS, caller.org_id);
  // Those of keys stand by the hash of a secret.
  const lines = rows.filter(({ pk }) => !pk.startsWith('KEY#')).map(lineOf);
  return async () => {
    const own = { ...caller, org_id: uuidv7() };
    const copied = lines.map((line) =>
      rowIn(line.replaceAll(caller.org_id, own.org_id).replaceAll(aliasOf(caller), aliasOf(own))),
    );
    await putRows(copied);
    const { key, id, user_id } = await apiKeys.create(own, KEY);
    return { person: { ...person, ...as(key), key, caller: { ...own, key_id: id, user_id } }, inspection };
  };
};

/**
 * Runs work for each item, so much of it at a time, until the time has come.
 * @returns for how many items
 */
const each = async <Item>(
  items: readonly Item[],
  { atOnce, end = Infinity }: { atOnce: number; end?: number },
  work: (item: Item, position: number) => Promise<unknown>,
): Promise<number> => {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length && performance.now() < end) {
      const position = next;
      next += 1;
      await work(items[position]!, position);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return next;
};

const read = ({ person, inspection }: Tenant) =>
  person.inspections.get({ params: { inspection_id: inspection } });

/** What the requests do, in turns: three of five write, which is more than usual. */
const MIX: readonly ((tenant: Tenant, turn: number) => Promise<unknown>)[] = [
  ({ person, inspection }, turn) =>
    person.answers.replace({
      params: { inspection_id: inspection },
      body: { section_id: uuid(1), field_id: uuid(2 + (turn % FIELDS)), value: `Answer ${turn}` },
    }),
  read,
  ({ person }) => newClient(person),
  ({ person }) => person.events.list({ query: { limit: 20 } }),
  ({ person, inspection }, turn) =>
    person.answers.replace({
      params: { inspection_id: inspection },
      body: { section_id: uuid(1), field_id: uuid(2 + ((turn + 1) % FIELDS)), value: `Answer ${turn}` },
    }),
];

/** A partition without the ids in it. */
const shapeOf = (partition: string): string =>
  partition.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…').replace(/[0-9a-f]{40,}/g, '…');

const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((total, count) => total + count, 0);

/** The partition that is used most, and the share of all uses that it has. */
const hottestOf = ({ partitions }: Seen): string[] => {
  const [[partition, count] = ['–', 0]] = [...partitions].toSorted(([, one], [, other]) => other - one);
  return [shapeOf(partition), String(count), `${rounded((100 * count) / Math.max(1, sum(partitions)))}%`];
};

interface Load {
  /** How many organizations were asked for, and how many there was time for. */
  wanted: number;
  organizations: number;
  requests: number;
  refused: number;
  sent: Seen;
  handedOn: Seen;
  events: number;
  /** Rows of the outbox after the requests. */
  waited: number;
}

interface Kit {
  requests: number;
  atOnce: number;
  door: TableDoor;
  end: number;
  newTenant: () => Promise<Tenant>;
}

const loadOf = async (wanted: number, { requests, atOnce, door, end, newTenant }: Kit): Promise<Load> => {
  const tenants: Tenant[] = [];
  const setUp = { atOnce: SET_UP_AT_ONCE, end: partOf(end, SHARES.setUp) };
  await each(Array.from({ length: wanted }), setUp, async () => {
    tenants.push(await newTenant());
  });
  const organizations = tenants.length;
  if (organizations === 0) throw new Error('There was no time for one organization: give --minutes more.');
  // What the set-up has left for the stream.
  const waiting = async (): Promise<OutboxRow[]> => {
    const found: OutboxRow[] = [];
    await each(tenants, { atOnce: SET_UP_AT_ONCE }, async ({ person }) => {
      found.push(...(await outboxOf(person.caller)));
    });
    return found;
  };
  const handAll = async (rows: readonly OutboxRow[], until: number): Promise<number> => {
    const batches = Array.from({ length: Math.ceil(rows.length / EVENTS_A_BATCH) }, (_, n) =>
      rows.slice(n * EVENTS_A_BATCH, (n + 1) * EVENTS_A_BATCH),
    );
    let count = 0;
    await each(batches, { atOnce: SHARDS, end: until }, async (batch) => {
      await handOn(batch);
      count += batch.length;
    });
    return count;
  };
  await handAll(await waiting(), end);
  process.env['TENANT_ROLE_ARN'] = 'arn:aws:iam::123456789012:role/tenant';
  process.env['TENANT_SESSION_POLICY'] = '{}';
  door.read();

  let refused = 0;
  const turns = Array.from({ length: requests * organizations }, (_, n) => n);
  const sending = { atOnce, end: partOf(end, SHARES.requests) };
  const sentRequests = await each(turns, sending, async (n) => {
    const tenant = tenants[n % organizations]!;
    const turn = Math.floor(n / organizations);
    await MIX[turn % MIX.length]!(tenant, turn).catch(() => (refused += 1));
  });
  const sent = door.read();
  delete process.env['TENANT_ROLE_ARN'];
  delete process.env['TENANT_SESSION_POLICY'];

  const rows = (await waiting()).toSorted((one, other) => (one.id < other.id ? -1 : 1));
  door.read();
  const events = await handAll(rows, end);
  return {
    wanted,
    organizations,
    requests: sentRequests,
    refused,
    sent,
    handedOn: door.read(),
    events,
    waited: rows.length,
  };
};

const linesOf = ({ wanted, organizations, requests, refused, sent, handedOn, events }: Load): string[][] => {
  const those = `${organizations < wanted ? `${organizations} of ${wanted}` : wanted} organizations`;
  return [
    [
      `${those}, ${requests} requests`,
      rounded(sum(sent.calls) / requests),
      String(sent.conflicts),
      String(refused),
      String(sent.sessions),
      String(sent.connections),
      ...hottestOf(sent),
    ],
    [
      `${those}, ${events} events handed on`,
      rounded(sum(handedOn.calls) / Math.max(1, events)),
      String(handedOn.conflicts),
      '–',
      '–',
      String(handedOn.connections),
      ...hottestOf(handedOn),
    ],
  ];
};

const outboxWrites = ({ writes }: Seen): number =>
  sum(new Map([...writes].filter(([partition]) => partition.endsWith('#OUTBOX'))));

/** What the page of ceilings computes with, and what was measured of it. */
const measuredOf = ({ organizations, sent, handedOn, events, waited }: Load): string[][] => [
  [
    'writes of the outbox for an event',
    rounded(outboxWrites(sent) / Math.max(1, waited) + outboxWrites(handedOn) / Math.max(1, events)),
    String(OUTBOX_WRITES_OF_EVENT),
  ],
  [
    'sessions of an organization in an instance',
    rounded(sent.sessions / organizations),
    String(SESSIONS_OF_ORGANIZATION),
  ],
];

const whole = (text: string): number => {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 10_000)
    throw new Error(`${text} is no whole number from 1 to 10000`);
  return number;
};

/** One number with the powers of ten before it, so that it shows what grows. */
const sizesOf = (orgs: string): number[] => {
  const [most, ...others] = orgs.split(',').map(whole) as [number, ...number[]];
  if (others.length > 0) return [most, ...others];
  return [...[10, 100, 1_000].filter((size) => size < most), most];
};

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      orgs: { type: 'string', default: '1000' },
      minutes: { type: 'string', default: '10' },
      requests: { type: 'string', default: '5' },
      'at-once': { type: 'string', default: '50' },
    },
  });
  return {
    orgs: sizesOf(values.orgs),
    minutes: whole(values.minutes),
    requests: whole(values.requests),
    atOnce: whole(values['at-once']),
  };
};

const main = async ({ orgs, minutes, requests, atOnce }: ReturnType<typeof readOptions>): Promise<void> => {
  const end = performance.now() + minutes * MINUTE_MS;
  process.env['LOG_LEVEL'] ??= 'silent';
  const engines = await startEngines({ dataDir: null, isGuarded: false });
  const door = await openTableDoor(engines.environment['AWS_ENDPOINT_URL_DYNAMODB']!);
  Object.assign(process.env, { AWS_ENDPOINT_URL_DYNAMODB: door.url, AWS_ENDPOINT_URL_STS: door.url });
  try {
    const newTenant = await tenantsLikeTheFirst();
    const loads: Load[] = [];
    for (const [position, organizations] of orgs.entries()) {
      const share = 1 / (orgs.length - position);
      loads.push(await loadOf(organizations, { requests, atOnce, door, newTenant, end: partOf(end, share) }));
    }
    print(
      `Load: ${atOnce} requests at once, of each organization in turn; ${MIX.length} kinds, of which 3 write`,
      [
        '',
        'calls each',
        'conflicts',
        'refused',
        'AssumeRole',
        'connections',
        'hottest partition',
        'uses',
        'share',
      ],
      loads.flatMap(linesOf),
      `A transaction holds its items for ${TRANSACTION_MS} ms or longer. Conflicts are tried again; refused are those that failed even so.`,
    );
    print(
      'What the page of ceilings (/operate/ceilings) computes with',
      ['', 'measured', 'computed with'],
      measuredOf(loads.findLast(({ events }) => events > 0) ?? loads[0]!),
    );
    if (loads.some(({ organizations, wanted }) => organizations < wanted))
      process.stdout.write(
        `\nThere was no time for all organizations: give --minutes more than ${minutes}.\n`,
      );
  } finally {
    door.close();
    await engines.stop();
  }
};

const optionsOrUsage = (): ReturnType<typeof readOptions> | undefined => {
  try {
    return readOptions();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
    process.exitCode = 2;
    return undefined;
  }
};

const options = optionsOrUsage();
if (options) await main(options);
