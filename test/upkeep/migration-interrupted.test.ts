import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { systemClient } from '../../shared/table/client.ts';
import { keys } from '../../shared/table/keys.ts';
import { getSystemRows } from '../../shared/table/rows.ts';
import { type Fault, installFaults, killAfter, withFault } from '../support/faults.ts';
import { allRows, caller, forms, NEW, OLD, OLD_ROWS, other, RATE, run, useOldRows } from './old-rows.ts';

installFaults();
useOldRows();

describe('migrate', () => {
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
