import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { put } from './workbook.ts';

/** Readers of lines take these for ends of lines, although they stand in texts. */
const escapedEnds = (json: string): string =>
  json.replaceAll('\u2028', String.raw`\u2028`).replaceAll('\u2029', String.raw`\u2029`);

/** Rows that wait until all are there. */
interface WaitingRows<Row> {
  /** @throws Error of the file */
  add: (row: Row) => Promise<void>;
  /** All rows in their order, once; none can be added afterwards. @throws Error of the file */
  all: () => AsyncGenerator<Row>;
  /** Ends them, also in the middle. */
  remove: () => Promise<void>;
}

/**
 * Rows that wait in a file of the system's temporary folder, so that their number needs no memory. A row is whatever
 * JSON keeps.
 */
export const waitingRows = async <Row>(): Promise<WaitingRows<Row>> => {
  const folder = await mkdtemp(join(tmpdir(), 'rows-'));
  const path = join(folder, 'rows.jsonl');
  // An error without a listener would end the process. Each write looks for it.
  const file = createWriteStream(path).on('error', () => undefined);
  return {
    add: (row) => put(file, `${escapedEnds(JSON.stringify(row))}\n`),
    all: async function* () {
      file.end();
      await finished(file);
      for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity }))
        yield JSON.parse(line) as Row;
    },
    remove: async () => {
      file.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
