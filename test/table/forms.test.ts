import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord, SQSEvent } from 'aws-lambda';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../shared/base/caller.ts';
import { createQueueWorker } from '../../shared/http/worker/worker-handler.ts';
import { change, workOf } from '../../shared/table/change.ts';
import { systemClient } from '../../shared/table/client.ts';
import { hasValues } from '../../shared/table/conditions.ts';
import { FORM, UPGRADES } from '../../shared/table/forms.ts';
import { type Key, keys } from '../../shared/table/keys.ts';
import * as deadLetters from '../../shared/table/outbox/dead-letters.ts';
import { dueAt, dueRows } from '../../shared/table/outbox/due.ts';
import { writtenRows } from '../../shared/table/outbox/outbox.ts';
import { getRow, getRows, getSystemRows, queryRows, withoutKeys } from '../../shared/table/rows.ts';
import { tryWrite, writeRow } from '../../shared/table/single-write.ts';
import * as write from '../../shared/table/writes.ts';
import { between, impatient, installFaults } from '../support/faults.ts';
import { newPerson } from '../support/people.ts';

installFaults();
impatient(2_000);

/** A row of an area: in form 1 it has a width and a height, in form 2 also a size, in form 3 a unit of that. */
interface Area {
  width: number;
  height: number;
  size: number;
  unit: string;
  note?: string;
}

const inForm3 = { size: 12, unit: 'm²', [FORM]: 3 };
const OLD = { width: 3, height: 4 };

let caller: Caller;

beforeAll(async () => {
  ({ caller } = await newPerson('Ageing'));
});

beforeEach(() => {
  const upgrades = [
    (row: { [attribute: string]: unknown }) => ({
      ...row,
      size: Number(row['width']) * Number(row['height']),
    }),
    ({ unit = 'm²', ...row }: { [attribute: string]: unknown }) => ({ ...row, unit }),
  ];
  Object.assign(UPGRADES, { CLIENT: upgrades, outbox: upgrades });
});
afterEach(() => {
  for (const kind of Object.keys(UPGRADES)) delete UPGRADES[kind as keyof typeof UPGRADES];
});

/** The row at a key, as an area. */
const areaAt = ({ pk, sk }: Key): Key<Area> => ({ pk, sk });

const newKey = (): Key<Area> => areaAt(keys.one(caller, 'CLIENT', uuidv7()));

/** Stores a row as an earlier or a later release does. */
const stored = async (key: Key, attributes: object): Promise<Key<Area>> => {
  await systemClient().send(
    new PutCommand({ TableName: process.env['TABLE_NAME'], Item: { ...key, ...attributes } }),
  );
  return areaAt(key);
};

/** A row with its form, as it is stored: nothing is upgraded. */
const asStored = async (key: Key<Area>): Promise<object | undefined> => {
  const upgrades = { ...UPGRADES };
  for (const kind of Object.keys(UPGRADES)) delete UPGRADES[kind as keyof typeof UPGRADES];
  const row = await getRow(caller, key);
  Object.assign(UPGRADES, upgrades);
  return row;
};

describe('a row of an older form', () => {
  test('has the form of this release wherever it is read', async () => {
    const key = await stored(newKey(), OLD);
    const row = { ...key, ...OLD, ...inForm3 };
    expect(await getRow(caller, key)).toEqual(row);
    expect(await getRows(caller, [key])).toEqual([row]);
    expect(await getSystemRows([key])).toEqual([row]);
    const { pk: partition, sk } = key;
    const all = await Array.fromAsync(queryRows<Area>(caller, { partition }));
    expect(all.find((each) => each.sk === sk)).toEqual(row);
    const sizes = await Array.fromAsync(queryRows<Area>(caller, { partition, only: ['size'] }));
    expect(sizes.find((each) => each.sk === sk)!.size).toBe(12);
    expect(withoutKeys(row)).toEqual({ ...OLD, size: 12, unit: 'm²' });
  });

  test('is upgraded by what it lacks alone', async () => {
    const key = await stored(newKey(), { ...OLD, size: 13, [FORM]: 2 });
    expect(await getRow(caller, key)).toMatchObject({ size: 13, unit: 'm²', [FORM]: 3 });
  });

  test('is found by an index as its key', async () => {
    const by_client = `ORG#${caller.org_id}#x`;
    const key = await stored(newKey(), { ...OLD, by_client });
    const found = queryRows(caller, { partition: by_client, index: 'by_client' });
    expect(await Array.fromAsync(found)).toEqual([{ ...key, by_client }]);
  });

  test('is upgraded where a worker finds it, as a record of the stream and as a message of a queue', async () => {
    const id = uuidv7();
    const task = { id, org_id: caller.org_id, outbox: 'mail', data: {}, ...OLD };
    const key = await stored(keys.outbox(caller, id), { ...task, ...dueAt('OUTBOX', id, '2026-01-01') });
    const row = { ...key, ...task, ...inForm3 };
    const pages = await Array.fromAsync(dueRows('OUTBOX', new Date()));
    expect(pages.flat().find((each) => each.id === id)).toMatchObject(row);
    const NewImage = marshall({ ...key, ...task }) as NonNullable<DynamoDBRecord['dynamodb']>['NewImage'];
    expect(writtenRows([{ dynamodb: { NewImage: NewImage! } }])).toEqual([row]);
    const received: unknown[] = [];
    const worker = createQueueWorker({ id: 'w', summary: '', source: { queue: 'mail' } }, async (each) => {
      received.push(each);
    });
    const attributes = { ApproximateReceiveCount: '1' };
    const Records = [{ messageId: id, body: JSON.stringify({ ...key, ...task }), attributes }];
    await worker({ Records } as unknown as SQSEvent);
    expect(received).toEqual([row]);
  });

  test('is upgraded when it is put back from the dead letters', async () => {
    const id = uuidv7();
    const key = keys.outbox(caller, id);
    const work = { ...key, id, org_id: caller.org_id, outbox: 'mail', data: {}, ...OLD };
    const letter = deadLetters.deadLetter(workOf(caller), {
      id,
      what: 'mail',
      reason: '',
      attempts: 6,
      work,
    });
    await change(caller, () => ({ writes: [letter], reply: undefined }));
    await deadLetters.redrive(caller, id);
    expect(await asStored(areaAt(key))).toMatchObject(inForm3);
  });

  test.each([
    [
      'in a transaction',
      (written: write.Write<Area>) => change(caller, () => ({ writes: [written], reply: 0 })),
    ],
    ['by itself', (written: write.Write<Area>) => writeRow(caller, written)],
  ])('is upgraded as a whole by an update of one attribute %s', async (_, commit) => {
    const key = await stored(newKey(), OLD);
    await commit(write.update(key, { set: { note: 'new' } }, hasValues({ width: 3 })));
    expect(await asStored(key)).toEqual({ ...key, ...OLD, ...inForm3, note: 'new' });
    await commit(write.update(key, { set: { note: 'newer' } }));
    expect(await asStored(key)).toMatchObject({ ...inForm3, note: 'newer' });
  });

  test('satisfies a condition on what an upgrade has added', async () => {
    const key = await stored(newKey(), OLD);
    const other = await stored(newKey(), OLD);
    await change(caller, () => ({
      writes: [
        write.replace({ ...key, ...OLD, size: 12, unit: 'cm²' }, hasValues({ size: 12 })),
        write.check(other, undefined, hasValues({ unit: 'm²' })),
      ],
      reply: undefined,
    }));
    expect(await asStored(key)).toMatchObject({ unit: 'cm²', [FORM]: 3 });
    const third = await stored(newKey(), OLD);
    expect(await tryWrite(caller, write.remove(third, hasValues({ size: 11 })))).toEqual({
      isWritten: false,
      row: { ...third, ...OLD, ...inForm3 },
    });
    expect((await tryWrite(caller, write.remove(third, hasValues({ size: 12 })))).isWritten).toBe(true);
  });

  test('loses no change that another release makes while it is upgraded', async () => {
    const places = await between({
      prepare: () => stored(newKey(), OLD),
      work: (key) => writeRow(caller, write.update(key, { set: { note: 'new' } })),
      // As the first release does, which knows one form alone.
      act: async (key) => {
        const { CLIENT, ...others } = UPGRADES;
        delete UPGRADES.CLIENT;
        const written = write.update(key, { set: { width: 5 } });
        Object.assign(UPGRADES, { ...others, CLIENT });
        await writeRow(caller, written);
      },
      check: async (key) => {
        expect(await getRow(caller, key)).toMatchObject({ width: 5, unit: 'm²', note: 'new', [FORM]: 3 });
        expect((await getRow(caller, key))!.size).toBe(20);
      },
    });
    expect(places).toBeGreaterThan(1);
  });

  test('is written with its form where there was none', async () => {
    const [created, counted] = [newKey(), newKey()];
    await writeRow(caller, write.create({ ...created, ...OLD, size: 12, unit: 'm²' }));
    await writeRow(caller, write.update(counted, { add: { size: 1 } }));
    expect(await asStored(created)).toMatchObject({ [FORM]: 3 });
    expect(await asStored(counted)).toEqual({ ...counted, size: 1, [FORM]: 3 });
  });
});

describe('a row of a newer form', () => {
  const NEWER = { width: 3, height: 4, size: 12, unit: 'm²', floor: 2, [FORM]: 9 };

  test('is read as it is, and keeps what only the newer release knows when it is changed', async () => {
    const key = await stored(newKey(), NEWER);
    const row = (await getRow(caller, key))!;
    expect(row).toEqual({ ...key, ...NEWER });
    await writeRow(
      caller,
      write.replace<Area>({ ...withoutKeys(row), ...key, width: 6 }, hasValues({ width: 3 })),
    );
    // It has the form of the release that has written it, so that the newer one brings its attributes in step again.
    expect(await asStored(key)).toEqual({ ...key, ...NEWER, width: 6, [FORM]: 3 });
  });

  test('has the older form again after an update, also that of the first release', async () => {
    const key = await stored(newKey(), NEWER);
    await writeRow(caller, write.update(key, { set: { width: 7 } }));
    expect(await asStored(key)).toEqual({ ...key, ...NEWER, width: 7, [FORM]: 3 });
    delete UPGRADES.CLIENT;
    await writeRow(caller, write.update(key, { set: { width: 8 } }));
    const { [FORM]: _, ...first } = NEWER;
    expect(await asStored(key)).toEqual({ ...key, ...first, width: 8 });
  });
});
