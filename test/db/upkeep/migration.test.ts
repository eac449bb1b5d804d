import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../../shared/base/caller.ts';
import { systemClient } from '../../../shared/db/table/client.ts';
import { formAt, FORM, type Stored, UPGRADES } from '../../../shared/db/table/forms.ts';
import { keys } from '../../../shared/db/table/keys.ts';
import { getSystemRows } from '../../../shared/db/table/rows.ts';
import { scanPage } from '../../../shared/db/table/scan.ts';
import { migrate } from '../../../shared/db/upkeep/migration.ts';
import { type Fault, installFaults, killAfter, withFault } from '../../support/faults.ts';
import { useOwnTable } from '../../support/own-table.ts';
import { newPerson } from '../../support/people.ts';

installFaults();
// A migration reads the whole table, which the files of the lane on AWS's engine share.
useOwnTable();

const OLD_ROWS = 12;
/** Rows of a page. */
const RATE = 10;

let caller: Caller;
let other: Caller;

beforeAll(() => {
  UPGRADES.CLIENT = [({ label, ...row }) => ({ ...row, labels: [label] })];
});
afterAll(() => {
  delete UPGRADES.CLIENT;
});

beforeEach(async () => {
  const { rows } = await scanPage(undefined, 1_000);
  for (const { pk, sk } of rows) {
    await systemClient().send(new DeleteCommand({ TableName: process.env['TABLE_NAME'], Key: { pk, sk } }));
  }
  [{ caller }, { caller: other }] = [await newPerson('Old'), await newPerson('Old as well')];
  for (const owner of [caller, other]) {
    for (let n = 0; n < OLD_ROWS; n += 1) {
      const Item = { ...keys.one(owner, 'CLIENT', uuidv7()), label: `client ${n}` };
      await systemClient().send(new PutCommand({ TableName: process.env['TABLE_NAME'], Item }));
    }
  }
});

/** Runs without waiting. @returns the result, and how long it would have waited, in milliseconds */
const run = async (options: { org?: string; dryRun?: boolean } = {}) => {
  const waits: number[] = [];
  const pause = async (milliseconds: number) => waits.push(milliseconds);
  return { ...(await migrate({ dryRun: false, rate: RATE, pause, ...options })), waits };
};

const allRows = async (): Promise<Stored[]> => (await scanPage(undefined, 1_000)).rows;

/** The clients of both organizations by their forms. */
const forms = async () => {
  const clients = (await allRows()).filter(({ pk }) => pk.endsWith('#CLIENT'));
  return [caller, other].map(({ org_id }) =>
    clients.filter(({ pk }) => pk.includes(org_id)).map((row) => row[FORM] ?? 1),
  );
};

const [OLD, NEW] = [1, 2].map((form) => Array.from({ length: OLD_ROWS }, () => form));

describe('migrate', () => {
  test('stores every row in the form of this release, no faster than it may, and counts them', async () => {
    const total = (await allRows()).length;
    const { read, outdated, waits } = await run();
    expect(await forms()).toEqual([NEW, NEW]);
    expect(outdated).toBe(2 * OLD_ROWS);
    const organizations = `organization ${formAt(keys.organization(caller))}`;
    expect(read).toMatchObject({ 'CLIENT 1': 2 * OLD_ROWS, [organizations]: 2 });
    // Its own row may stand before or behind the page that is read.
    const { 'migration 1': _, ...others } = read;
    expect(Object.values(others).reduce((sum, count) => sum + count)).toBe(total);
    expect(waits.length).toBeGreaterThan(2);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(1_000);
    const row = (await allRows()).find(({ pk }) => pk.endsWith('#CLIENT'));
    expect(row).toEqual({ pk: row!.pk, sk: row!.sk, labels: [expect.stringMatching(/^client /)], [FORM]: 2 });
    expect(await run()).toMatchObject({ outdated: 0, read: { 'CLIENT 2': 2 * OLD_ROWS } });
  });

  test('counts alone in a dry run, and writes nothing', async () => {
    const before = await allRows();
    expect(await run({ dryRun: true })).toMatchObject({ outdated: 2 * OLD_ROWS });
    expect(await allRows()).toEqual(before);
  });

  test('leaves the rows of other organizations', async () => {
    expect(await run({ org: caller.org_id })).toMatchObject({ outdated: OLD_ROWS });
    expect(await forms()).toEqual([NEW, OLD]);
  });

  test('of one organization reads nothing of others, and goes on where it was killed', async () => {
    const { org_id: org } = caller;
    for (let calls = 1; ; calls += 5) {
      for (const row of (await allRows()).filter(
        ({ pk }) => pk.startsWith(`ORG#${org}`) && pk.endsWith('#CLIENT'),
      )) {
        const Item = { pk: row.pk, sk: row.sk, label: 'again' };
        await systemClient().send(new PutCommand({ TableName: process.env['TABLE_NAME'], Item }));
      }
      const { fault, isReached } = killAfter(calls, true);
      await withFault(fault, () => run({ org })).catch(() => undefined);
      const foreign: string[] = [];
      const watching: Fault = ({ command, input, send }) => {
        if (command === 'Scan' || JSON.stringify(input).includes(other.org_id)) foreign.push(command);
        return send();
      };
      await withFault(watching, () => run({ org }));
      expect(foreign).toEqual([]);
      expect(await forms()).toEqual([NEW, OLD]);
      expect(await getSystemRows([keys.migration(org)])).toEqual([undefined]);
      if (!isReached()) break;
    }
  });

  test('goes on where it was killed, at any call, and reads no page twice that it had finished', async () => {
    const total = (await allRows()).length;
    for (const isDone of [false, true]) {
      for (let calls = 1; ; calls += 7) {
        for (const row of (await allRows()).filter(({ pk }) => pk.endsWith('#CLIENT'))) {
          const Item = { pk: row.pk, sk: row.sk, label: 'again' };
          await systemClient().send(new PutCommand({ TableName: process.env['TABLE_NAME'], Item }));
        }
        const { fault, isReached } = killAfter(calls, isDone);
        await withFault(fault, run).catch(() => undefined);
        const [left] = await getSystemRows([keys.migration('ALL')]);
        let scans = 0;
        const counting: Fault = ({ command, send }) => {
          scans += Number(command === 'Scan');
          return send();
        };
        await withFault(counting, run);
        expect(await forms()).toEqual([NEW, NEW]);
        expect(await getSystemRows([keys.migration('ALL')])).toEqual([undefined]);
        const done = Object.values(left?.read ?? {}).reduce((sum, count) => sum + count, 0);
        expect(scans).toBeLessThanOrEqual(Math.ceil((total + 1 - done) / RATE) + 1);
        if (!isReached()) break;
      }
    }
  });
});
