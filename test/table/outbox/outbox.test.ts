import { handler as sweep } from '../../../functions/workers/sweep-outbox.ts';
import { handOn } from '../../../shared/outside/hand-on.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import { Inspection } from '../../../shared/schemas/inspections/inspection.ts';
import { present } from '../../../shared/schemas/projection.ts';
import { change, workOf } from '../../../shared/table/change.ts';
import type { OutboxRow } from '../../../shared/table/entities/machinery.ts';
import { keys } from '../../../shared/table/keys.ts';
import { listEvents } from '../../../shared/table/outbox/list-events.ts';
import { appendEvents, emit, enqueue } from '../../../shared/table/outbox/outbox.ts';
import { getRow, queryRows } from '../../../shared/table/rows.ts';
import type { Write } from '../../../shared/table/writes.ts';
import { newInspection } from '../../inspections/fixtures.ts';
import { anyBytes, seeded } from '../../support/chance.ts';
import { useClock } from '../../support/clock.ts';
import {
  chaos,
  type Fault,
  impatient,
  installFaults,
  on,
  sdkError,
  timeout,
  withFault,
} from '../../support/faults.ts';
import { notedEvent, outboxOf } from '../../support/outbox.ts';
import { newPerson, type Person } from '../../support/people.ts';

installFaults();
impatient(2_000);

let person: Person;

beforeEach(async () => {
  person = await newPerson('Teller');
});

const rowOf = (write: Write) => write.item.Put!.Item as OutboxRow;

/** Commits outbox rows, and returns them as the stream delivers them. */
const commit = async (...writes: Write[]): Promise<OutboxRow[]> => {
  await change(person.caller, () => ({ writes, reply: undefined }));
  return writes.map(rowOf);
};

const event = (number = 0) => notedEvent(person.caller, number);

const listedEvents = async (): Promise<Event[]> => {
  const listing = await listEvents(person.caller, {});
  return 'rows' in listing ? Array.fromAsync(listing.rows) : listing.page;
};

const remainingRows = async (): Promise<unknown[]> =>
  Array.fromAsync(queryRows(person.caller, { partition: keys.outbox.partition(person.caller) }));

describe('appendEvents', () => {
  test('numbers events from 1 without a gap or a repetition, however often and concurrently they are delivered', async () => {
    const random = seeded(7);
    const rows: OutboxRow[] = [];
    for (let batch = 0; batch < 4; batch += 1) {
      rows.push(...(await commit(...Array.from({ length: 30 }, (_, number) => event(batch * 30 + number)))));
    }
    const delivery = async () => {
      const shuffled = rows.toSorted(() => random() - 0.5).slice(0, 20 + Math.floor(random() * 60));
      await appendEvents(person.caller, shuffled).catch((error: unknown) =>
        expect(error).toMatchObject({ status: 503 }),
      );
    };
    await withFault(chaos(random, { refused: 0.15, lost: 0.15 }), () =>
      Promise.all(Array.from({ length: 6 }, delivery)),
    );
    await appendEvents(person.caller, rows);
    const events = await listedEvents();
    expect(events.map(({ sequence }) => sequence)).toEqual(rows.map((_, position) => position + 1));
    expect(new Set(events.map(({ id }) => id))).toEqual(new Set(rows.map(({ id }) => id)));
    expect(await remainingRows()).toEqual([]);
  });

  test('appends an event once when another delivery is faster between two of its reads', async () => {
    const rows = await commit(event(), event());
    let overtaken = false;
    await withFault(
      async ({ command, send }) => {
        const output = await send();
        if (command !== 'TransactWriteItems' && !overtaken) {
          overtaken = true;
          await appendEvents(person.caller, rows);
        }
        return output;
      },
      () => appendEvents(person.caller, rows),
    );
    expect((await listedEvents()).map(({ sequence }) => sequence)).toEqual([1, 2]);
  });
});

describe('events of resources that fill a row', () => {
  const MAX_TRANSACTION_BYTES = 4_000_000;
  /** More than a transaction may hold, as text that hardly gets smaller. */
  const LARGE = 11;

  test('fit into rows, and are appended in as many transactions as it takes', async () => {
    const inspection = await newInspection(person);
    await appendEvents(person.caller, await outboxOf(person.caller));
    // Each row is compressed by itself, so all may have the same text.
    const text = anyBytes(296_000).toString('base64');
    const rows: OutboxRow[] = [];
    for (let number = 0; number < LARGE; number += 1) {
      const data = present(Inspection, inspection, { start_answers: { number, text } });
      rows.push(...(await commit(emit(workOf(person.caller), 'inspection.updated', data))));
    }
    const sizes: number[] = [];
    const weigh: Fault = ({ input, send }) => {
      const { TransactItems = [] } = input as { TransactItems?: { Put?: { Item: { body?: Uint8Array } } }[] };
      sizes.push(TransactItems.reduce((sum, { Put }) => sum + (Put?.Item.body?.length ?? 0), 0));
      return send();
    };
    await withFault(weigh, () => appendEvents(person.caller, rows));
    // Each counts twice, as it is created here and removed there. The embedded engine takes more than DynamoDB does.
    expect(Math.max(...sizes)).toBeGreaterThan(MAX_TRANSACTION_BYTES / 4);
    expect(Math.max(...sizes)).toBeLessThan(MAX_TRANSACTION_BYTES / 2);
    expect(await remainingRows()).toEqual([]);
    const large = (await listedEvents()).slice(-LARGE);
    expect(large.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(large.map(({ data }) => (data as Inspection).start_answers['number'])).toEqual(
      rows.map((_, position) => position),
    );
  });
});

describe('handOn', () => {
  test('sends tasks to their queue, appends events, and deletes the rows of both', async () => {
    const rows = await commit(
      event(),
      enqueue(workOf(person.caller), 'render', { inspection_id: 'i', report_id: 'r' }),
      event(),
    );
    await handOn(rows);
    await handOn(rows);
    expect(await listedEvents()).toHaveLength(2);
    expect(await remainingRows()).toEqual([]);
  });

  test.each([
    ['a time-out', timeout()],
    ['an outage', sdkError('ServiceUnavailable', { $metadata: { httpStatusCode: 503 } })],
  ])('keeps a task that its queue did not accept because of %s', async (_, error) => {
    const rows = await commit(
      enqueue(workOf(person.caller), 'render', { inspection_id: 'i', report_id: 'r' }),
    );
    const down = on(
      ({ client }) => client === 'SQSClient',
      () => Promise.reject(error),
    );
    await withFault(down, () => handOn(rows));
    expect(await remainingRows()).toHaveLength(1);
    await handOn(rows);
    expect(await remainingRows()).toEqual([]);
  });
});

describe('sweepOutbox', () => {
  useClock();

  test('hands on old rows that the stream missed, and leaves new ones to the stream', async () => {
    const old = event(1);
    rowOf(old).by_due_at = new Date(Date.now() - 121_000).toISOString();
    const young = event(2);
    rowOf(young).by_due_at = new Date(Date.now() - 30_000).toISOString();
    await commit(old, young);
    await sweep();
    expect((await listedEvents()).map(({ id }) => id)).toEqual([rowOf(old).id]);
    expect(await getRow(person.caller, keys.outbox(person.caller, rowOf(young).id))).toBeDefined();
  });
});
