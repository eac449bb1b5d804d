import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { handler as generateInspections } from '../../functions/workers/generate-inspections.ts';
import { handler as notifyDue } from '../../functions/workers/notify-due.ts';
import { handler as startDueSyncs } from '../../functions/workers/start-due-syncs.ts';
import { handler as sweepOutbox } from '../../functions/workers/sweep-outbox.ts';
import { handler as takeDueWebhooks } from '../../functions/workers/take-due-webhooks.ts';
import { type KeyEntry, keyOperations, type OperationEntry, ROOT } from '../../infra/catalogue.ts';
import { createTable } from '../../infra/local/engines/resources.ts';
import type { Caller } from '../../shared/base/caller.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import { seal } from '../../shared/outside/sealing.ts';
import { renderHtml } from '../../shared/reports/html/render-html.ts';
import { ReportPayload } from '../../shared/schemas/reports/report-payload.ts';
import { kindOf } from '../../shared/table/keys.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { type Difference, RECHECK } from '../../shared/upkeep/consistency/row-checks.ts';
import { GOOD_TOKEN } from '../integrations/memory-vendor.ts';
import { documentOf } from '../reports/document/support.ts';
import { renderedReport } from '../reports/fixtures/reports.ts';
import { call, type Request } from '../support/call.ts';
import { operationEntries } from '../support/catalogue.ts';
import { drain } from '../support/drain.ts';
import { newPerson } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { freezeData } from './data.ts';
import { type Outcome, readEverything } from './everything.ts';
import {
  folderOf,
  frozenCode,
  frozenObjects,
  type FrozenRow,
  frozenRows,
  keyOf,
  RELEASES,
} from './frozen.ts';
import { STATES } from './states.ts';

/*
 * What `npm run freeze` has kept of a release, under the newest code: everything is read, every worker does what is due,
 * and `org check` finds nothing. Then both take turns on the same rows, as they do while a release is rolled out, and
 * after a rollback. The newest code itself is frozen here and read as well, so that the command can be relied on.
 */

/** Rows of one BatchWriteItem (Amazon DynamoDB API Reference). */
const MAX_BATCH = 25;

RECHECK.pauseMs = 1;

const NEWEST = mkdtempSync(join(tmpdir(), 'release-'));

/** An organization with a report. */
const reported = async (): Promise<Caller> => {
  const person = await newPerson('Reported');
  await renderedReport(person);
  return person.caller;
};

beforeAll(async () => {
  const states = STATES.filter((_, position) => position % scaled(120, 6) === 0);
  await freezeData(NEWEST, [...states, STATES.at(-1)!, reported]);
  await promisify(execFile)(process.execPath, ['test/releases/bundle.ts', NEWEST], { cwd: ROOT });
});
afterAll(() => rmSync(NEWEST, { recursive: true }));

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

/** Stores the rows and objects of a release, in a table of its own. */
const restore = async (folder: string): Promise<FrozenRow[]> => {
  const table = `test-${randomUUID()}`;
  await createTable(table);
  process.env['TABLE_NAME'] = table;
  const rows = await Promise.all(frozenRows(folder).map(resealed));
  const client = new DynamoDBClient();
  for (let start = 0; start < rows.length; start += MAX_BATCH) {
    const requests = rows.slice(start, start + MAX_BATCH).map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: requests } }));
  }
  const bucket = new S3Client({ forcePathStyle: true });
  for (const { key: Key, type: ContentType, body } of frozenObjects(folder)) {
    const Body = Buffer.from(body, 'base64');
    await bucket.send(new PutObjectCommand({ Bucket: process.env['BUCKET_NAME'], Key, ContentType, Body }));
  }
  return rows;
};

/** The operations of a release, as its code declares and carries them out. */
const operationsOf = (folder: string): KeyEntry[] => {
  // A module there finds the packages with native parts, which are not in the bundle.
  const cache = join(ROOT, 'node_modules/.cache/releases');
  mkdirSync(cache, { recursive: true });
  const module = join(cache, `${process.pid}.cjs`);
  writeFileSync(module, frozenCode(folder));
  const exported = jest.requireActual<Record<string, OperationEntry>>(module);
  rmSync(module);
  return keyOperations(
    Object.entries(exported).flatMap(([file, { operation, handler }]) =>
      operation ? [{ file, area: file.split('/')[1]!, operation, handler }] : [],
    ),
  );
};

describe.each([...RELEASES.map(folderOf), NEWEST])('%s', (folder) => {
  let rows: FrozenRow[];
  let callers: Caller[];

  beforeAll(async () => {
    rows = await restore(folder);
    callers = rows
      .filter((row) => kindOf(keyOf(row)) === 'organization')
      .map(({ id }) => ({ org_id: id!.S!, user_id: 'operator', name: 'operator' }));
    expect(callers.length).toBeGreaterThan(3);
  });

  const differences = async (): Promise<Difference[]> => {
    const found: Difference[] = [];
    for (const caller of callers)
      found.push(...(await checkOrganization(caller, { repair: false })).differences);
    return found;
  };

  test('has left what `org check` expects', async () => {
    expect(await differences()).toEqual([]);
  });

  test('is read by all operations', async () => {
    const outcome: Outcome = { faults: [], replied: new Set() };
    for (const caller of callers) {
      const own = rows.map(keyOf).filter(({ pk }) => pk.startsWith(`ORG#${caller.org_id}`));
      const { key } = await apiKeys.create(caller, { name: 'Reader', access: 'read_only', expires: 'never' });
      await readEverything(keyOperations(operationEntries()), { as: key }, own, outcome);
    }
    expect(outcome.faults).toEqual([]);
    expect(outcome.replied.size).toBeGreaterThan(60);
  });

  test('has payloads of reports that are what the reference says, and can be drawn', () => {
    const payloads = frozenObjects(folder).filter(({ key }) => key.endsWith('/payload.json.gz'));
    expect(payloads.length).toBeGreaterThan(0);
    for (const { body } of payloads) {
      const json: unknown = JSON.parse(gunzipSync(Buffer.from(body, 'base64')).toString());
      const payload = ReportPayload.parse(json);
      expect(renderHtml(documentOf(payload), new Map())).toContain(payload.inspection.name);
    }
  });

  test('is worked on by all workers, and `org check` still finds nothing', async () => {
    const refused = [];
    for (const caller of callers) refused.push(...(await drain(caller)));
    expect(refused).toEqual([]);
    for (const run of [generateInspections, notifyDue, startDueSyncs, takeDueWebhooks, sweepOutbox])
      await run();
    for (const caller of callers) await drain(caller);
    expect(await differences()).toEqual([]);
  });

  test('takes turns with the newest code, request by request', async () => {
    const turns = [operationsOf(folder), keyOperations(operationEntries())].map(
      (entries) => new Map(entries.map((entry) => [entry.operation.id, entry])),
    );
    let turn = 0;
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

    for (const reads of [0, 1]) {
      expect([reads, await send('getInspection', { params })]).toMatchObject([
        reads,
        { status: 'completed' },
      ]);
    }
    for (const answers of [await send('listAnswers', { params }), await send('listAnswers', { params })])
      expect(JSON.stringify(answers)).toContain('the last');
    const sequences = (await send('listEvents', { query: { limit: 200 } })).map(
      (event: { sequence: number }) => event.sequence,
    );
    expect(sequences).toEqual(sequences.map((_: number, position: number) => position + 1));
    expect((await checkOrganization(caller, { repair: false })).differences).toEqual([]);
  });
});
