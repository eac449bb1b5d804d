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
import { MemoryMeter } from '../support/memory.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newConnection, newSource, sync } from './fixtures.ts';

jest.setTimeout(300_000);
installFaults();

/** Boards by the number of their items. The vendor has a process of its own, so that its memory is not measured. */
const BOARDS = { 2_000: '90', 10_000: '91', 20_000: '92' } as const;

/** Bytes by which memory grows in any case, such as those of compiled code. */
const NOISE = 5 * 1024 ** 2;

let monday: ChildProcess;
let connection_id: string;
let person: Person;
beforeAll(async () => {
  const file = join(ROOT, 'test/support/processes/serve-monday.ts');
  monday = fork(file, Object.keys(BOARDS), { execArgv: [], stdio: 'inherit' });
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
      if (chunks % 5 === 0) meter.measure();
    }
    expect([response.statusCode, first[0], rest.at(-1)]).toEqual([200, '[', ']']);
    return { items, length };
  };

  test('200 with a board of 20,000 items as a whole, in the memory that one of 2,000 takes', async () => {
    await readBoard(BOARDS[2_000], new MemoryMeter());
    let few = { items: 0, length: 0 };
    const ofFew = await growthOf(async (meter) => {
      few = await readBoard(BOARDS[2_000], meter);
    });
    let many = { items: 0, length: 0 };
    const ofMany = await growthOf(async (meter) => {
      many = await readBoard(BOARDS[20_000], meter);
    });
    expect([few.items, many.items]).toEqual([2_000, 20_000]);
    expect(many.length).toBeGreaterThan(few.length * 9);
    // The whole reply has some 35 MB.
    expect(ofMany).toBeLessThan(Math.max(ofFew, NOISE) * 2);
  });
});

describe('a sync', () => {
  test('of 20,000 items takes hardly more memory than one of 10,000, for the first time and again', async () => {
    /** Syncs in one run, and measures at every 50th command. */
    const syncOf = async (board_id: string) => {
      const mappings = { label: 'name' };
      const source = await newSource(person, {
        connection_id,
        target_ref: 'response_sets',
        board_id,
        mappings,
      });
      const once = async () => {
        let counts: object = {};
        const growth = await growthOf(async (meter) => {
          let commands = 0;
          const measure: Fault = ({ send }) => {
            commands += 1;
            if (commands % 50 === 0) meter.measure();
            return send();
          };
          counts = (await withFault(measure, () => sync(person, source))).counts;
        });
        return { counts, growth };
      };
      return [await once(), await once()];
    };
    await syncOf(BOARDS[2_000]);
    const few = await syncOf(BOARDS[10_000]);
    const many = await syncOf(BOARDS[20_000]);
    expect([...few, ...many].map(({ counts }) => counts)).toMatchObject([
      { created: 10_000 },
      { unchanged: 10_000 },
      { created: 20_000 },
      { unchanged: 20_000 },
    ]);
    for (const [position, { growth }] of many.entries()) {
      expect(growth).toBeLessThan(Math.max(few[position]!.growth, NOISE) * 1.5);
    }
  });
});
