import { Writable } from 'node:stream';
import type { Context } from 'aws-lambda';
import * as renderReport from '../../functions/workers/render-report.ts';
import { startEngines } from '../../infra/local/engines.ts';
import { installAwslambda } from '../../infra/local/lambda.ts';
import { inspectionRecords } from '../../shared/inspections/rows/inspection-records.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { withoutKeys } from '../../shared/table/rows.ts';
import { answer, newClient, newInspection, newLocation, startedInspection } from '../inspections/fixtures.ts';
import { as, type Endpoint } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { multiply } from './multiply.ts';
import { compare, heading, line, timed } from './sizes.ts';
import { print, rounded } from './table.ts';

const SIZES = [100, 10_000, 100_000] as const;
const GOAL = 1.5;
const FIELDS = 10;
/** One inspection in this many is still open. */
const OPEN = 10;
/** The rounds of what takes only milliseconds, by size. */
const OFTEN = [40, 40, 40];
const FAR = '2099-01-01T00:00:00.000Z';

/** An organization with `size` inspections, and the one that the requests work on. */
interface Sample {
  size: number;
  person: Person;
  inspection: Inspection;
}

const newSample = async (size: number): Promise<Sample> => {
  const person = await newPerson(`Bench of ${size}`);
  const { key, caller } = person;
  const fields = Array.from({ length: FIELDS }, (_, index) => field(index + 2));
  const { id: template_family_id } = await publishedFamily(key, { content: contentWith(...fields) });
  const { id: client_account_id } = await newClient(person);
  const { id: location_id } = await newLocation(person, client_account_id);
  const setup = { template_family_id, client_account_id, location_id };
  const { id } = await newInspection(person, setup);
  const inspection = await startedInspection(person, setup);
  for (const { id: fieldId } of fields) await answer(person, inspection, fieldId, 'Tight, no play');
  await multiply(person, withoutKeys(await inspectionRecords.get(caller, id)), size - 2, (number, like) =>
    number % OPEN === 0 ? { due_at: FAR } : { status: 'completed', completed_at: like.created_at },
  );
  const { total } = await as(key).inspections.summarize();
  if (total !== size) throw new Error(`${total} inspections instead of ${size}`);
  return { size, person, inspection };
};

const ROW = /"is_overdue":/g;

/** Reads a streamed reply and counts its rows. */
class Counted extends Writable {
  status = 0;
  headers: Record<string, string> = {};
  rows = 0;

  announce({ statusCode, headers }: { statusCode: number; headers: Record<string, string> }): this {
    this.status = statusCode;
    this.headers = headers;
    return this;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.rows += chunk.toString().match(ROW)?.length ?? 0;
    done();
  }
}

/** Reads the complete list of inspections. */
const listAll =
  ({ operation, handler }: Endpoint) =>
  async ({ person, size }: Sample): Promise<void> => {
    const stream = new Counted();
    const run = handler as (event: unknown, stream: Counted, context: Context) => Promise<void>;
    const buffered = async (event: unknown, context: Context) => {
      await run(event, stream, context);
      // The rows were read as they came. The content type tells `call` to parse a body, which this reply has not.
      const { 'content-type': _type, 'content-encoding': _encoding, ...headers } = stream.headers;
      return { statusCode: stream.status, headers, body: '' };
    };
    const { status } = await as(person).call({ operation, handler: buffered });
    if (status !== 200 || stream.rows !== size)
      throw new Error(`${status} with ${stream.rows} rows of ${size}`);
  };

const inspectionOf = ({ inspection }: Sample) => ({ params: { inspection_id: inspection.id } });

/** Requests a report and renders it. @returns milliseconds, without the time in the queue, which has nothing to do with the size */
const report = async (organization: Sample): Promise<number> => {
  const { person } = organization;
  let start = performance.now();
  const { id } = await person.reports.create({ ...inspectionOf(organization), body: {} });
  const requested = performance.now() - start;
  const task = (await waitingTasks(person.caller)).find(({ data }) => data['report_id'] === id)!;
  start = performance.now();
  if (!(await deliver(renderReport.handler, task))) throw new Error('a report was not rendered');
  return requested + performance.now() - start;
};

/** @param scale a factor for the sizes of all organizations except the smallest */
export const measure = async (scale: number): Promise<void> => {
  const sizes = SIZES.map((size, position) => (position === 0 ? size : size * scale));
  process.env['LOG_LEVEL'] = 'silent';
  // The handler of the list looks for this global when it is imported.
  installAwslambda();
  const listInspections = await import('../../functions/inspections/list-inspections.ts');
  const engines = await startEngines({ dataDir: null });
  try {
    const organizations: Sample[] = [];
    for (const size of sizes) organizations.push(await newSample(size));
    let value = 0;
    const saveAnswer = ({ person, inspection }: Sample) =>
      answer(person, inspection, uuid(2), `${(value += 1)} mm`);
    const get = (organization: Sample) => as(organization.person).inspections.get(inspectionOf(organization));
    const summarize = ({ person }: Sample) => person.inspections.summarize();

    const lists = await compare(organizations, [9, 3, 1], timed(listAll(listInspections)));
    const perRow = lists.map((milliseconds, position) => (milliseconds / sizes[position]!) * 1_000);
    const lines = [
      line('save an answer, ms', await compare(organizations, OFTEN, timed(saveAnswer)), GOAL),
      line('get an inspection, ms', await compare(organizations, OFTEN, timed(get)), GOAL),
      line('summary without filters, ms', await compare(organizations, OFTEN, timed(summarize)), GOAL),
      line('create and render a report, ms', await compare(organizations, [7, 7, 7], report), GOAL),
      line('complete list, streamed, µs per row', perRow, GOAL),
      ['  the whole list, ms', ...lists.map(rounded)],
    ];
    print(
      'growth: the time of a request in larger organizations, compared with the smallest',
      heading('inspections in the organization', sizes),
      lines,
      'Real handlers on the embedded engine. Medians; the sizes are measured in turns.',
    );
  } finally {
    await engines.stop();
  }
};
