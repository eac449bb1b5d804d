import { parseArgs } from 'node:util';
import { startEngines } from '../../infra/local/engines.ts';
import { handOn } from '../../shared/outside/hand-on.ts';
import type { OutboxRow } from '../../shared/table/entities/machinery.ts';
import { print, rounded } from '../bench/table.ts';
import { newClient, newInspection, start } from '../inspections/fixtures.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { outboxOf } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { openTableDoor, type Seen, TRANSACTION_MS } from './table-door.ts';

/*
 * A working minute of many organizations: inspectors save answers, integrations read and write, and the stream hands the
 * events on. It runs on the embedded engine, behind a door that counts and that refuses conflicting transactions as
 * DynamoDB does. One process stands for one environment of Lambda that serves all organizations, which is the worst case
 * for sessions and connections: a deployed function serves a part of them.
 */

const USAGE = `Usage: npm run load -- [--orgs 10,100,1000] [--requests 5] [--at-once 50]
--orgs: how many organizations there are; several numbers are measured one after the other. --requests: of each
organization. --at-once: requests that run at the same time.`;

/** Inspectors of each organization who save answers of one inspection at the same time. */
const FIELDS = 8;

/** Organizations that are set up at the same time: few, so that no call of it waits for a free connection. */
const SET_UP_AT_ONCE = 4;

/** Events that the stream hands on together, and batches at the same time: one for each of its shards. */
const EVENTS_A_BATCH = 100;
const SHARDS = 4;

interface Tenant {
  person: Person;
  inspection: string;
}

const newTenant = async (number: number): Promise<Tenant> => {
  const person = await newPerson(`Organization ${number}`);
  const content = contentWith(...Array.from({ length: FIELDS }, (_, n) => field(2 + n)));
  const { id: template_family_id } = await publishedFamily(person.key, { content });
  const { id } = await newInspection(person, { template_family_id });
  await start(person.key, { id });
  return { person, inspection: id };
};

/** Runs work for each item, so much of it at a time. */
const each = async <Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, position: number) => Promise<unknown>,
): Promise<void> => {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const position = next;
      next += 1;
      await work(items[position]!, position);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
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
  organizations: number;
  requests: number;
  refused: number;
  sent: Seen;
  handedOn: Seen;
  events: number;
}

const loadOf = async (
  organizations: number,
  { requests, atOnce, door }: { requests: number; atOnce: number; door: { read: () => Seen } },
): Promise<Load> => {
  const tenants: Tenant[] = [];
  await each(Array.from({ length: organizations }), SET_UP_AT_ONCE, async (_, n) => {
    tenants.push(await newTenant(n));
  });
  // What the set-up has left for the stream.
  const waiting = async (): Promise<OutboxRow[]> => {
    const found: OutboxRow[] = [];
    await each(tenants, SET_UP_AT_ONCE, async ({ person }) => {
      found.push(...(await outboxOf(person.caller)));
    });
    return found;
  };
  await handOn(await waiting());
  process.env['TENANT_ROLE_ARN'] = 'arn:aws:iam::123456789012:role/tenant';
  process.env['TENANT_SESSION_POLICY'] = '{}';
  door.read();

  let refused = 0;
  const turns = Array.from({ length: requests * organizations }, (_, n) => n);
  await each(turns, atOnce, async (n) => {
    const tenant = tenants[n % organizations]!;
    const turn = Math.floor(n / organizations);
    await MIX[turn % MIX.length]!(tenant, turn).catch(() => (refused += 1));
  });
  const sent = door.read();
  delete process.env['TENANT_ROLE_ARN'];
  delete process.env['TENANT_SESSION_POLICY'];

  const rows = (await waiting()).toSorted((one, other) => (one.id < other.id ? -1 : 1));
  door.read();
  const batches = Array.from({ length: Math.ceil(rows.length / EVENTS_A_BATCH) }, (_, n) =>
    rows.slice(n * EVENTS_A_BATCH, (n + 1) * EVENTS_A_BATCH),
  );
  await each(batches, SHARDS, (batch) => handOn(batch));
  return { organizations, requests: turns.length, refused, sent, handedOn: door.read(), events: rows.length };
};

const lineOf = ({ organizations, requests, refused, sent, handedOn, events }: Load): string[][] => [
  [
    `${organizations} organizations, ${requests} requests`,
    rounded(sum(sent.calls) / requests),
    String(sent.conflicts),
    String(refused),
    String(sent.sessions),
    String(sent.connections),
    ...hottestOf(sent),
  ],
  [
    `${organizations} organizations, ${events} events handed on`,
    rounded(sum(handedOn.calls) / Math.max(1, events)),
    String(handedOn.conflicts),
    '–',
    '–',
    String(handedOn.connections),
    ...hottestOf(handedOn),
  ],
];

const whole = (text: string): number => {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 10_000)
    throw new Error(`${text} is no whole number from 1 to 10000`);
  return number;
};

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      orgs: { type: 'string', default: '10,100,1000' },
      requests: { type: 'string', default: '5' },
      'at-once': { type: 'string', default: '50' },
    },
  });
  return {
    orgs: values.orgs.split(',').map(whole),
    requests: whole(values.requests),
    atOnce: whole(values['at-once']),
  };
};

const main = async ({ orgs, requests, atOnce }: ReturnType<typeof readOptions>): Promise<void> => {
  process.env['LOG_LEVEL'] ??= 'silent';
  const engines = await startEngines({ dataDir: null, isGuarded: false });
  const door = await openTableDoor(engines.environment['AWS_ENDPOINT_URL_DYNAMODB']!);
  Object.assign(process.env, { AWS_ENDPOINT_URL_DYNAMODB: door.url, AWS_ENDPOINT_URL_STS: door.url });
  try {
    const loads: Load[] = [];
    for (const organizations of orgs) loads.push(await loadOf(organizations, { requests, atOnce, door }));
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
      loads.flatMap(lineOf),
      `A transaction holds its items for ${TRANSACTION_MS} ms or longer. Conflicts are tried again; refused are those that failed even so.`,
    );
  } finally {
    door.close();
    await engines.stop();
  }
};

try {
  await main(readOptions());
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
  process.exitCode = 2;
}
