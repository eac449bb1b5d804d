import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../shared/base/caller.ts';
import { systemClient } from '../../shared/table/client.ts';
import { FORM, type Stored, UPGRADES } from '../../shared/table/forms.ts';
import { keys } from '../../shared/table/keys.ts';
import { scanPage } from '../../shared/table/scan.ts';
import { migrate } from '../../shared/upkeep/migration.ts';
import { useOwnTable } from '../support/own-table.ts';
import { newPerson } from '../support/people.ts';

export const OLD_ROWS = 12;
/** Rows of a page. */
export const RATE = 10;

export let caller: Caller;
export let other: Caller;

/**
 * Gives each test a table with two organizations, whose client accounts are of an older form. It is not the table that
 * the files on AWS's engine share, because a migration reads all of it.
 */
export const useOldRows = (): void => {
  useOwnTable();
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
};

/** Runs without waiting. @returns the result, and how long it would have waited, in milliseconds */
export const run = async (options: { org?: string; dryRun?: boolean } = {}) => {
  const waits: number[] = [];
  const pause = async (milliseconds: number) => waits.push(milliseconds);
  return { ...(await migrate({ dryRun: false, rate: RATE, pause, ...options })), waits };
};

export const allRows = async (): Promise<Stored[]> => (await scanPage(undefined, 1_000)).rows;

/** The clients of both organizations by their forms. */
export const forms = async () => {
  const clients = (await allRows()).filter(({ pk }) => pk.endsWith('#CLIENT'));
  return [caller, other].map(({ org_id }) =>
    clients.filter(({ pk }) => pk.includes(org_id)).map((row) => row[FORM] ?? 1),
  );
};

export const [OLD, NEW] = [1, 2].map((form) => Array.from({ length: OLD_ROWS }, () => form));
