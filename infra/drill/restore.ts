import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { DeleteTableCommand, DynamoDBClient, ListTablesCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import type { Caller } from '../../shared/base/caller.ts';
import { canonicalJson } from '../../shared/base/encoding.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import * as clientAccounts from '../../shared/places/client-accounts/client-accounts.ts';
import * as locations from '../../shared/places/locations/locations.ts';
import { NewClientAccount } from '../../shared/schemas/client-account.ts';
import { NewLocation } from '../../shared/schemas/location.ts';
import { putRows } from '../../shared/table/bulk.ts';
import type { Stored } from '../../shared/table/forms.ts';
import type { Key } from '../../shared/table/keys.ts';
import { scanPage } from '../../shared/table/scan.ts';
import { TABLE } from '../../shared/table/table.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { startEngines } from '../local/engines.ts';
import { DYNAMODB_ENGINES, type DynamoDbEngine } from '../local/engines/dynamodb.ts';
import { createBareTable } from '../local/engines/resources.ts';
import { doctorCommands } from '../operator/doctor.ts';
import { lineOf, linesOf, rowIn } from '../operator/organizations/folder.ts';
import { restoreCommands } from '../operator/restore.ts';

/*
 * Restores a table, and lets the service go on with it: as `operator restore-plan` says, on an engine of this machine. An
 * engine has no point-in-time recovery, so the rows are exported to a file and written into a table that lacks what a
 * restored one lacks, and two indexes besides.
 */

const USAGE = `Usage: npm run drill -- [--engine ${DYNAMODB_ENGINES.join('|')}] [--locations 200]
--locations: of the largest of its organizations.`;

/** Organizations of the table; those after the first have few rows. */
const ORGANIZATIONS = 3;

/** Rows that are read, and written, together. */
const PAGE = 500;

/** All rows of the table that TABLE_NAME names. */
async function* allRows(): AsyncGenerator<Stored> {
  let next: Key | undefined;
  do {
    const page = await scanPage(next, PAGE);
    yield* page.rows;
    next = page.next;
  } while (next);
}

/** The rows of the table, and those of each index, as numbers and one hash of all rows. */
const described = async (): Promise<Record<string, number | string>> => {
  const hashes: string[] = [];
  for await (const row of allRows()) hashes.push(createHash('sha256').update(lineOf(row)).digest('hex'));
  const client = new DynamoDBClient();
  const inIndexes = await Promise.all(
    TABLE.indexes.map(async ({ name }) => {
      const { Count = 0 } = await client.send(
        new ScanCommand({ TableName: process.env['TABLE_NAME'], IndexName: name, Select: 'COUNT' }),
      );
      return [name, Count] as const;
    }),
  );
  client.destroy();
  return {
    rows: hashes.length,
    sha256: createHash('sha256').update(hashes.toSorted().join('\n')).digest('hex').slice(0, 16),
    ...Object.fromEntries(inIndexes),
  };
};

/** Writes all rows into a file, a line each. */
const exportRows = async (file: string): Promise<number> => {
  const out = createWriteStream(file);
  let count = 0;
  for await (const row of allRows()) {
    out.write(`${lineOf(row)}\n`);
    count += 1;
  }
  out.end();
  await finished(out);
  return count;
};

/** Writes the rows of a file into the table that TABLE_NAME names. */
const importRows = async (file: string): Promise<void> => {
  const rows: Stored[] = [];
  for await (const line of linesOf(file)) {
    rows.push(rowIn(line));
    if (rows.length === PAGE) await putRows(rows.splice(0));
  }
  await putRows(rows.splice(0));
};

/** The records of a stream, from its beginning. */
const recordsOf = async (StreamArn: string): Promise<number> => {
  const client = new DynamoDBStreamsClient();
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn }));
  let count = 0;
  for (const { ShardId } of StreamDescription?.Shards ?? []) {
    const { ShardIterator } = await client.send(
      new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
    );
    // One page holds all that the drill writes after the stream was turned on.
    const { Records = [] } = await client.send(new GetRecordsCommand({ ShardIterator }));
    count += Records.length;
  }
  client.destroy();
  return count;
};

/** Says how a step went, and remembers whether all were right. */
const steps = () => {
  let isRight = true;
  return {
    say: (what: string, ok: boolean, seen: unknown): void => {
      isRight &&= ok;
      process.stdout.write(`${ok ? 'ok    ' : 'FAILED'}  ${what.padEnd(48)}  ${JSON.stringify(seen)}\n`);
    },
    areRight: () => isRight,
  };
};

/** An organization with client accounts and their locations. */
const newOrganization = async (count: number): Promise<Caller> => {
  const { org_id, admin_user_id } = await organizations.create('Restored', 'admin@example.com');
  const caller: Caller = { org_id, user_id: admin_user_id, name: 'drill' };
  const { id } = await clientAccounts.create(
    caller,
    NewClientAccount.parse({ name: 'Harbour Restaurant Group' }),
  );
  for (let n = 0; n < count; n += 1)
    await locations.create(caller, NewLocation.parse({ name: `Location ${n}`, client_account_id: id }));
  return caller;
};

/** @returns whether the service goes on with the restored table as with the former one */
const drill = async (folder: string, count: number): Promise<boolean> => {
  const { say, areRight } = steps();
  const former = process.env['TABLE_NAME']!;
  const callers: [Caller, ...Caller[]] = [await newOrganization(count)];
  while (callers.length < ORGANIZATIONS) callers.push(await newOrganization(1));
  const before = await described();
  say('the table', true, before);

  const file = join(folder, 'rows.ndjson');
  say('its rows are exported', (await exportRows(file)) === before['rows'], { file: 'rows.ndjson' });

  const client = new DynamoDBClient();
  await client.send(new DeleteTableCommand({ TableName: former }));
  const lostAt = performance.now();
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  client.destroy();
  say('the table is lost', !TableNames.includes(former), { tables: TableNames.length });

  const plan = await restoreCommands['restore-plan'].run({});
  const restored = `${former}-restored`;
  say(
    'the plan names the restored table',
    plan.filter(({ command }) => command.includes(restored)).length > 3,
    {
      steps: plan.length,
    },
  );
  await createBareTable(
    restored,
    TABLE.indexes.slice(0, -2).map(({ name }) => name),
  );
  process.env['TABLE_NAME'] = restored;
  await importRows(file);
  const bare = await doctorCommands.doctor.run({});
  const lacking = bare.findings.filter(({ what }) => what === 'the table').map(({ detail }) => detail);
  say('the doctor finds what it lacks', lacking.length === 4, lacking);

  const completed = await restoreCommands['restore-table'].run({});
  const expected = TABLE.indexes.slice(-2).map(({ name }) => name);
  say(
    'it gets its stream, indexes and time to live',
    completed.stream_turned_on &&
      completed.time_to_live_turned_on &&
      canonicalJson(completed.indexes_created) === canonicalJson(expected),
    completed,
  );
  const after = await described();
  say('it has the same rows, in every index', canonicalJson(after) === canonicalJson(before), after);

  const checks = [];
  for (const caller of callers) checks.push(await checkOrganization(caller, { repair: false }));
  say(
    'org check finds nothing, in every organization',
    checks.every(({ found, unsettled }) => found === 0 && unsettled === 0),
    { organizations: checks.length, rows: checks.map(({ checked }) => checked.rows) },
  );
  const told = await recordsOf(completed.stream_arn);
  await locations.create(callers[0], NewLocation.parse({ name: 'After the restore' }));
  const tells = (await recordsOf(completed.stream_arn)) - told;
  say('a change reaches its stream', tells > 0, { records: tells });
  const last = await doctorCommands.doctor.run({});
  say('the doctor finds nothing', last.ok, last.findings);
  const lost = Number(before['rows']) - Number(after['rows']);
  say('nothing is lost, and the service works again', lost === 0, {
    minutes: Math.round((performance.now() - lostAt) / 600) / 100,
    rows_lost: lost,
    point_in_time:
      'AWS restores to any second up to about five minutes ago: with the API closed until then, no row is lost',
  });
  return areRight();
};

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'dynoxide' },
    locations: { type: 'string', default: '200' },
  },
});
if (!DYNAMODB_ENGINES.includes(values.engine as DynamoDbEngine) || !/^\d{1,5}$/.test(values.locations)) {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 2;
} else {
  const folder = await mkdtemp(join(tmpdir(), 'drill-'));
  const engines = await startEngines({ dataDir: null, engine: values.engine as DynamoDbEngine });
  try {
    process.exitCode = (await drill(folder, Number(values.locations))) ? 0 : 1;
  } finally {
    await engines.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
