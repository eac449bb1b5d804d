import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import type * as z from 'zod';
import { handler as generateInspections } from '../../functions/workers/generate-inspections.ts';
import { handler as handOnOutbox } from '../../functions/workers/hand-on-outbox.ts';
import { handler as notifyDue } from '../../functions/workers/notify-due.ts';
import { handler as startDueSyncs } from '../../functions/workers/start-due-syncs.ts';
import { handler as sweepOutbox } from '../../functions/workers/sweep-outbox.ts';
import { handler as takeDueWebhooks } from '../../functions/workers/take-due-webhooks.ts';
import { functionName, keyOperations, type OperationEntry, ROOT } from '../../infra/catalogue.ts';
import { createTable } from '../../infra/local/engines/resources.ts';
import type { Caller } from '../../shared/base/caller.ts';
import * as apiKeys from '../../shared/db/organization/api-keys.ts';
import { type Key, kindOf } from '../../shared/db/table/keys.ts';
import { scanPage } from '../../shared/db/table/scan.ts';
import { checkOrganization } from '../../shared/db/upkeep/consistency/check.ts';
import { type Difference, RECHECK } from '../../shared/db/upkeep/consistency/row-checks.ts';
import { seal } from '../../shared/secrets/sealing.ts';
import { GOOD_TOKEN } from '../integrations/memory-vendor.ts';
import { call, type Request } from '../support/call.ts';
import { operationEntries } from '../support/catalogue.ts';
import { startClock } from '../support/clock.ts';
import { newPerson } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { drain } from './drain.ts';
import { type Outcome, readEverything } from './everything.ts';
import { frozenCode, frozenObjects, type FrozenRow, frozenRows, keyOf, RELEASES } from './frozen.ts';
import { STATES } from './states.ts';

/*
 * The data of each release, as `npm run freeze` has left it, under the newest code: everything is read, every worker does
 * what is due, and `org check` finds nothing. The code of the release then reads what the newest code has made of it,
 * because both run side by side while a release is rolled out, and after a rollback.
 */

/** Operations for which a token is needed that is stored nowhere. */
const NEEDS_A_TOKEN = new Set(['get-public-link-card']);

/** Operations that need what is not in the frozen code: programs and fonts to draw with, and the tests' own vendor. */
const NEEDS_MORE = new Set([
  'get-report-preview',
  'list-boards',
  'list-columns',
  'list-subitem-columns',
  'list-items',
  'get-item',
  'list-item-children',
]);

/** Rows that older releases do not write. `org check --repair` adds them after the update, as the changelog says. */
const ADDED = new Set([
  'schedule by location',
  'inspection that nobody has started',
  'finding in lists',
  'finding by its question or asset',
  'corrective action in lists',
  'action by label',
  'what is counted',
  'numbers',
]);

/** Rows that older releases write as well, but without the fields of later ones: copies for lists. Repair completes them. */
const COPIES = new Set(['location by name']);

const HOUR_MS = 3_600_000;
/** Organizations that are read in parallel. */
const MAX_PARALLEL = 3;

const eachOf = async (callers: readonly Caller[], work: (caller: Caller) => Promise<void>): Promise<void> => {
  const left = callers.values();
  const next = async (): Promise<void> => {
    for (const caller of left) await work(caller);
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL }, next));
};

/** Rows of one BatchWriteItem (Amazon DynamoDB API Reference). */
const MAX_BATCH = 25;

RECHECK.pauseMs = 1;

/** Secrets are sealed by a key that no other run of the tests has. */
const resealed = async (row: FrozenRow): Promise<FrozenRow> => {
  const key = keyOf(row);
  const caller = { org_id: key.pk.split('#')[1]!, user_id: 'operator', name: 'operator' };
  if (kindOf(key) === 'CONNECTION' && row['credential']!.S) {
    const credential = JSON.stringify({ api_token: GOOD_TOKEN });
    return { ...row, credential: { S: await seal(caller, { connection: key.sk }, credential) } };
  }
  if (kindOf(key) !== 'WEBHOOK') return row;
  return { ...row, secret: { S: await seal(caller, { webhook: key.sk }, `whsec_${btoa(randomUUID())}`) } };
};

const orgOf = (row: FrozenRow): string => row['org_id']?.S ?? keyOf(row).pk.split('#')[1]!;

/** Rows of a few organizations, among which is a row of each kind. Those of no organization stay. */
const fewOf = (rows: readonly FrozenRow[]): FrozenRow[] => {
  const byOrg = Map.groupBy(rows, orgOf);
  const kindsOf = (some: readonly FrozenRow[]) => new Set(some.map((row) => kindOf(keyOf(row))));
  const known = new Set<unknown>();
  const kept = new Set<string>();
  for (const [org, own] of [...byOrg].toSorted(([, a], [, b]) => kindsOf(b).size - kindsOf(a).size)) {
    const kinds = kindsOf(own);
    if (kinds.isSubsetOf(known)) continue;
    kept.add(org);
    for (const kind of kinds) known.add(kind);
  }
  return rows.filter((row) => kept.has(orgOf(row)) || !byOrg.has(orgOf(row)));
};

/** Stores the rows and objects of a release, in a table of its own. */
const restore = async (release: string): Promise<FrozenRow[]> => {
  const table = `test-${randomUUID()}`;
  await createTable(table);
  process.env['TABLE_NAME'] = table;
  const rows = await Promise.all(scaled(fewOf, (all: FrozenRow[]) => all)(frozenRows(release)).map(resealed));
  const client = new DynamoDBClient();
  for (let start = 0; start < rows.length; start += MAX_BATCH) {
    const requests = rows.slice(start, start + MAX_BATCH).map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: requests } }));
  }
  const bucket = new S3Client({ forcePathStyle: true });
  for (const { key: Key, type: ContentType, body } of frozenObjects(release)) {
    const object = {
      Bucket: process.env['BUCKET_NAME'],
      Key,
      ContentType,
      Body: Buffer.from(body, 'base64'),
    };
    await bucket.send(new PutObjectCommand(object));
  }
  return rows;
};

/** What the code of a release exports, by the files of its functions. */
const modulesOf = (release: string): Record<string, OperationEntry> => {
  // A module there finds the packages with native parts, which are not in the bundle.
  const folder = join(ROOT, 'node_modules/.cache/releases');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${release}-${process.pid}.cjs`);
  writeFileSync(file, frozenCode(release));
  return jest.requireActual(file);
};

/** The operations of a release, as its code declares and carries them out. */
const operationsOf = (release: string): OperationEntry[] =>
  Object.entries(modulesOf(release)).flatMap(([path, { operation, handler }]) =>
    operation && !NEEDS_MORE.has(functionName({ file: path }))
      ? [{ file: path, area: path.split('/')[1]!, operation, handler }]
      : [],
  );

/** Settings in the content of templates that a release refuses to show, because it does not know them. */
const LATER_SETTINGS = ['due_by_severity', 'priority_by_severity', 'business_days'];

/**
 * What of a reply later releases may have more of: kinds of entries in a history, types of events, and in events
 * schedules without a rule, which count from the last visit.
 */
const LATER_VALUES: Readonly<Record<string, string>> = {
  kind: 'invalid_value',
  type: 'invalid_union',
  rrule: 'too_small',
};

/** Whether a reply is refused only for such values. */
const isLaterKind = (fault: unknown): boolean => {
  const { issues = [] } = fault as Partial<z.ZodError>;
  return issues.length > 0 && issues.every(({ code, path }) => LATER_VALUES[String(path.at(-1))] === code);
};

/** The faults that are not about a template with such settings, nor about later kinds of entries. */
const withoutLaterSettings = (faults: readonly { path: string; fault: unknown }[]): unknown[] => {
  const templates = faults.flatMap(({ path, fault }) => {
    const text = (fault as Partial<Error>).message ?? '';
    return LATER_SETTINGS.some((name) => text.includes(name))
      ? [/"template_id":"([^"]+)/.exec(path)?.[1]]
      : [];
  });
  return faults.filter(
    ({ path, fault }) =>
      !isLaterKind(fault) && !templates.some((id) => id !== undefined && path.includes(id)),
  );
};

describe.each(RELEASES)('release %s', (release) => {
  let frozen: FrozenRow[];
  let callers: Caller[];

  beforeAll(async () => {
    frozen = await restore(release);
    const ended = Math.max(...frozen.map(({ updated_at }) => Date.parse(updated_at?.S ?? '') || 0));
    startClock(ended + HOUR_MS);
    callers = frozen
      .filter((row) => kindOf(keyOf(row)) === 'organization')
      .map(({ id }) => ({ org_id: id!.S!, user_id: 'operator', name: 'operator' }));
  });

  afterAll(() => {
    jest.useRealTimers();
  });

  const differences = async (): Promise<[org: string, difference: Difference][]> => {
    const found: [string, Difference][] = [];
    await eachOf(callers, async (caller) => {
      const report = await checkOrganization(caller, { repair: false });
      found.push(...report.differences.map((each): [string, Difference] => [caller.org_id, each]));
    });
    return found;
  };

  /** Reads organizations by the operations of one release. */
  const read = async (operations: readonly OperationEntry[], whose = callers): Promise<Outcome> => {
    const outcome: Outcome = { faults: [], replied: new Set() };
    const rows: Key[] = [];
    for (let next: Key | undefined; ;) {
      const page = await scanPage(next, 10_000);
      rows.push(...page.rows);
      next = page.next;
      if (!next) break;
    }
    await eachOf(whose, async (caller) => {
      const own = rows.filter(({ pk }) => pk.startsWith(`ORG#${caller.org_id}`));
      const { key } = await apiKeys.create(caller, { name: 'Reader', access: 'read_only', expires: 'never' });
      await readEverything(keyOperations(operations), { as: key }, own, outcome);
    });
    return outcome;
  };

  test('leaves what `org check` expects, but for what its repair after the update adds', async () => {
    const unexpected = (await differences()).filter(([, { what }]) => !ADDED.has(what));
    expect(unexpected).toEqual([]);
    await eachOf(callers, async (caller) => void (await checkOrganization(caller, { repair: true })));
    expect(await differences()).toEqual([]);
  });

  test('is read by all operations', async () => {
    const { faults, replied } = await read(operationEntries());
    expect(faults).toEqual([]);
    // The release has no resources that only newer operations show.
    const known = Object.keys(modulesOf(release));
    const gets = operationEntries().filter(
      ({ operation, file }) => operation.method === 'GET' && known.includes(file),
    );
    expect(gets.length).toBeGreaterThan(60);
    expect(gets.map(functionName).filter((name) => !replied.has(name) && !NEEDS_A_TOKEN.has(name))).toEqual(
      [],
    );
  });

  test('is worked on by all workers, and `org check` still finds nothing', async () => {
    const waiting = frozen.filter((row) => kindOf(keyOf(row)) === 'outbox');
    const [handedOn, ...others] = callers;
    const Records = waiting
      .filter((row) => row['org_id']!.S === handedOn!.org_id)
      .map((NewImage) => ({ dynamodb: { NewImage } }));
    await handOnOutbox({ Records } as unknown as DynamoDBStreamEvent);
    const refused = [];
    for (const caller of others) {
      for (const queue of await drain(caller)) refused.push([caller.org_id, queue]);
    }
    expect(refused).toEqual([]);
    for (const run of [generateInspections, notifyDue, startDueSyncs, takeDueWebhooks, sweepOutbox])
      await run();
    for (const caller of callers) await drain(caller);
    expect(await differences()).toEqual([]);
  });

  test('reads by its own code what the newest code has made of it', async () => {
    const { faults, replied } = await read(operationsOf(release));
    expect(faults).toEqual([]);
    expect(replied.size).toBeGreaterThan(60);
  });

  test('reads by its own code what requests of the newest code lead to', async () => {
    const made: Caller[] = [];
    // Some, because most states differ in what leads to them rather than in their rows.
    for (const makeState of STATES.filter((_, position) => position % scaled(30, 3) === 0))
      made.push(await makeState());
    // In every second organization the work begins, and the rest waits.
    for (const [position, caller] of made.entries()) if (position % 2 === 0) await drain(caller, 1);
    const { faults, replied } = await read(operationsOf(release), made);
    expect(withoutLaterSettings(faults)).toEqual([]);
    expect(replied.size).toBeGreaterThan(60);
  });

  test.each(scaled([0], [0, 1]))(
    'takes turns with the newest code, request by request (%d goes first)',
    async (first) => {
      const turns = [operationsOf(release), operationEntries()].map(
        (entries) => new Map(keyOperations(entries).map((entry) => [entry.operation.id, entry])),
      );
      let turn = first;
      const { caller, key } = await newPerson('Turns');
      const send = async (id: string, request: Omit<Request, 'as'>) => {
        turn = 1 - turn;
        const { status, body } = await call(turns[turn]!.get(id)!, { as: key, ...request });
        expect([id, turn, status < 300 ? 'done' : body]).toEqual([id, turn, 'done']);
        return body;
      };
      const [section, one, two] = [randomUUID(), randomUUID(), randomUUID()];
      const fields = [one, two].map((id) => ({ id, type: 'text', label: id }));
      const content = { sections: [{ id: section, title: 'Deck', fields }] };

      const { id: location_id } = await send('createLocation', { body: { name: 'Crane 9' } });
      await send('updateLocation', { params: { location_id }, body: { name: 'Crane 10' } });
      const family = await send('createFamily', { body: { name: 'Cranes', content } });
      await send('publishTemplate', { params: { template_id: family.draft_version_id } });
      const participants = [{ user_id: caller.user_id, role: 'inspector' }];
      const { id: inspection_id } = await send('createInspection', {
        body: { template_family_id: family.id, location_id, participants },
      });
      const params = { inspection_id };
      await send('startInspection', { params });
      for (const value of ['good', 'better', 'best'])
        for (const field_id of [one, two])
          await send('saveAnswers', {
            params,
            body: { responses: [{ section_id: section, field_id, value }] },
          });
      // A step more, so that the next one saves over an answer of the other release.
      await send('getInspection', { params });
      const last = { section_id: section, field_id: one, value: 'the last' };
      await send('saveAnswers', { params, body: { responses: [last] } });
      expect((await send('advanceInspection', { params })).status).toBe('completed');
      await drain(caller);

      const replies = [await send('getInspection', { params }), await send('getInspection', { params })];
      for (const reply of replies) expect(reply).toMatchObject({ status: 'completed' });
      for (const answers of [await send('listAnswers', { params }), await send('listAnswers', { params })])
        expect(JSON.stringify(answers)).toContain('the last');
      const sequences = (await send('listEvents', { query: { limit: 200 } })).map(
        (event: { sequence: number }) => event.sequence,
      );
      expect(sequences).toEqual(sequences.map((_: number, n: number) => n + 1));
      const { differences: found } = await checkOrganization(caller, { repair: true });
      expect(found.filter(({ what }) => !ADDED.has(what) && !COPIES.has(what))).toEqual([]);
      expect((await checkOrganization(caller, { repair: false })).differences).toEqual([]);
    },
  );
});
