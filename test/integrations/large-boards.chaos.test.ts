import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type KeyEntry, ROOT } from '../../infra/catalogue.ts';
import { newGateway } from '../../infra/local/gateway.ts';
import { installAwslambda } from '../../infra/local/lambda.ts';
import type { Endpoint } from '../support/call.ts';
import { type Fault, installFaults, withFault } from '../support/faults.ts';
import { heldMemory, MemoryMeter } from '../support/memory.ts';
import { newPerson, type Person } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { newConnection, newSource, sync } from './fixtures.ts';

installFaults();

/** Items of the board that is read, of one with a tenth of them, and of the one that is synced. */
const MANY = scaled(10_000, 20_000);
const FEW = MANY / 10;
const SYNCED = scaled(5_000, 20_000);

/** The vendor has a process of its own, so that its memory is not measured. */
const BOARDS = [...new Set([FEW, MANY, SYNCED])];
const boardOf = (items: number): string => String(90 + BOARDS.indexOf(items));

/** Bytes by which memory grows in any case, such as those of compiled code. */
const NOISE = 5 * 1024 ** 2;

let monday: ChildProcess;
let connection_id: string;
let person: Person;
beforeAll(async () => {
  const file = join(ROOT, 'test/support/processes/serve-monday.ts');
  monday = fork(file, BOARDS.map(String), { execArgv: [], stdio: 'inherit' });
  const [{ url, token }] = (await once(monday, 'message')) as [{ url: string; token: string }];
  process.env['MONDAY_API_URL'] = url;
  person = await newPerson('Large');
  connection_id = (await newConnection(person, { credential: { api_token: token } })).id;
});
afterAll(() => {
  delete process.env['MONDAY_API_URL'];
  monday.disconnect();
});

/** How much more memory is held at most while something is done, in bytes. */
const growthOf = async (work: (meter: MemoryMeter) => Promise<unknown>): Promise<number> => {
  const before = new MemoryMeter();
  before.measure();
  const during = new MemoryMeter();
  await work(during);
  during.measure();
  return during.heap + during.buffers - before.heap - before.buffers;
};

describe('GET /integrations/connections/{connection_id}/items', () => {
  const FILE = 'functions/integrations/list-items.ts';
  let server: Server;
  beforeAll(async () => {
    jest.resetModules();
    installAwslambda();
    const operation = {
      file: FILE,
      area: 'integrations',
      ...jest.requireActual<Endpoint & Pick<KeyEntry, 'handler'>>(join(ROOT, FILE)),
    };
    server = newGateway({ operations: [operation], onFailure: () => {} });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Reads a board's items without keeping them. @returns their number, and whether the reply is whole */
  const readBoard = async (board_id: string, meter: MemoryMeter) => {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1/integrations/connections/${connection_id}/items?board_id=${board_id}`;
    const request = get(url, { headers: { authorization: `Bearer ${person.key}` } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.setEncoding('utf8');
    let [items, chunks, length, first, rest, last] = [0, 0, 0, '', '', ''];
    for await (const chunk of response as AsyncIterable<string>) {
      const text = rest + chunk;
      for (const [, id] of text.matchAll(/\{"id":"(\d+)","name":"/g)) {
        if (!(id! > last || id!.length > last.length)) throw new Error(`${id} after ${last}`);
        last = id!;
        items += 1;
      }
      rest = text.slice(Math.max(0, text.lastIndexOf('{"id":"')));
      if (/^\{"id":"\d+","name":"/.test(rest)) rest = rest.slice(1);
      first ||= chunk;
      length += chunk.length;
      chunks += 1;
      if (chunks % 20 === 0) meter.measure();
    }
    expect([response.statusCode, first[0], rest.at(-1)]).toEqual([200, '[', ']']);
    return { items, length };
  };

  test(`200 with a board of ${MANY} items as a whole, in the memory that one of ${FEW} takes`, async () => {
    await readBoard(boardOf(FEW), new MemoryMeter());
    let few = { items: 0, length: 0 };
    const ofFew = await growthOf(async (meter) => {
      few = await readBoard(boardOf(FEW), meter);
    });
    let many = { items: 0, length: 0 };
    const ofMany = await growthOf(async (meter) => {
      many = await readBoard(boardOf(MANY), meter);
    });
    expect([few.items, many.items]).toEqual([FEW, MANY]);
    expect(many.length).toBeGreaterThan(few.length * 9);
    // The whole reply has some 1.7 KB an item.
    expect(ofMany).toBeLessThan(Math.max(ofFew, NOISE) * 2);
  });
});

/** The mean of some numbers. */
const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/**
 * Bytes that a sync may keep of a row: several times what it knows of one, for memory is measured with some noise, which
 * weighs more among fewer rows. The row itself, with its values, takes more than a thousand.
 */
const MAX_KEPT_BYTES = scaled(500, 250);

describe('a sync', () => {
  test(`of ${SYNCED} items keeps next to nothing of the rows that it has taken, for the first time and again`, async () => {
    const source = await newSource(person, {
      connection_id,
      target_ref: 'response_sets',
      board_id: boardOf(SYNCED),
      mappings: { label: 'name' },
    });
    /** Syncs in one run. @returns its counts, and by how much the memory of its last third exceeds that of its first */
    const syncOnce = async (commandsBetween: number) => {
      const held: number[] = [];
      let commands = 0;
      const measure: Fault = ({ send }) => {
        commands += 1;
        if (commands % commandsBetween === 0) held.push(heldMemory());
        return send();
      };
      const { counts } = await withFault(measure, () => sync(person, source));
      const third = Math.floor(held.length / 3);
      return { counts, samples: held.length, growth: mean(held.slice(-third)) - mean(held.slice(0, third)) };
    };
    const runs = [await syncOnce(scaled(5, 20)), await syncOnce(scaled(1, 3))];
    expect(runs.map(({ counts }) => counts)).toMatchObject([{ created: SYNCED }, { unchanged: SYNCED }]);
    for (const { samples, growth } of runs) {
      expect(samples).toBeGreaterThan(15);
      expect(growth).toBeLessThan((SYNCED * MAX_KEPT_BYTES * 2) / 3);
    }
  });
});
