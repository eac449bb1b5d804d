import { Writable } from 'node:stream';
import type { Context } from 'aws-lambda';
import * as getInspection from '../../functions/inspections/get-inspection.ts';
import * as summarizeInspections from '../../functions/inspections/summarize-inspections.ts';
import * as createReport from '../../functions/reports/create-report.ts';
import * as renderReport from '../../functions/workers/render-report.ts';
import { startEngines } from '../../infra/local/engines.ts';
import { installAwslambda } from '../../infra/local/lambda.ts';
import * as inspections from '../../shared/db/inspections/inspections.ts';
import { withoutKeys } from '../../shared/db/table/rows.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { answer, begun, newClient, newInspection, newLocation } from '../inspections/fixtures.ts';
import { call, type Endpoint, made } from '../support/call.ts';
import { deliver, outboxOf } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { contentWith, field, publishedFamily, uuid } from '../templates/fixtures.ts';
import { multiply } from './multiply.ts';
import { compare, heading, line, timed } from './sizes.ts';
import { print, rounded } from './table.ts';

const SIZES = [100, 10_000, 100_000] as const;
const GOAL = 1.5;
const FIELDS = 10;
/** One in so many is still to be done. */
const OPEN = 10;
/** What is over in milliseconds. */
const OFTEN = [40, 40, 40];
const FAR = '2099-01-01T00:00:00.000Z';

/** An organization of a size, and the inspection that is worked on in it. */
interface Grown {
  size: number;
  person: Person;
  inspection: Inspection;
}

const grown = async (size: number): Promise<Grown> => {
  const person = await newPerson(`Bench of ${size}`);
  const { key, caller } = person;
  const fields = Array.from({ length: FIELDS }, (_, index) => field(index + 2));
  const { id: template_family_id } = await publishedFamily(key, { content: contentWith(...fields) });
  const { id: client_account_id } = await newClient(person);
  const { id: location_id } = await newLocation(person, client_account_id);
  const setup = { template_family_id, client_account_id, location_id };
  const { id } = await newInspection(person, setup);
  const inspection = await begun(person, setup);
  for (const { id: fieldId } of fields) await answer(person, inspection, fieldId, 'Tight, no play');
  await multiply(person, withoutKeys(await inspections.get(caller, id)), size - 2, (number, like) =>
    number % OPEN === 0 ? { due_at: FAR } : { status: 'completed', completed_at: like.created_at },
  );
  const { total } = await made(summarizeInspections, { as: key });
  if (total !== size) throw new Error(`${total} inspections instead of ${size}`);
  return { size, person, inspection };
};

const ROW = /"is_overdue":/g;

/** A client that reads a streamed reply and keeps only the count of its rows. */
class Counted extends Writable {
  status = 0;
  rows = 0;

  announce({ statusCode }: { statusCode: number }): this {
    this.status = statusCode;
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
  async ({ person, size }: Grown): Promise<void> => {
    const stream = new Counted();
    const run = handler as (event: unknown, stream: Counted, context: Context) => Promise<void>;
    const buffered = async (event: unknown, context: Context) => {
      await run(event, stream, context);
      return { statusCode: stream.status, headers: {}, body: '' };
    };
    const { status } = await call({ operation, handler: buffered }, { as: person.key });
    if (status !== 200 || stream.rows !== size)
      throw new Error(`${status} with ${stream.rows} rows of ${size}`);
  };

const inspectionOf = ({ person, inspection }: Grown) => ({
  as: person.key,
  params: { inspection_id: inspection.id },
});

/** A report, asked for and drawn; what the queue between takes is no matter of size. */
const report = async (organization: Grown): Promise<number> => {
  const { person } = organization;
  let begin = performance.now();
  const { id } = await made(createReport, { ...inspectionOf(organization), body: {} });
  const asked = performance.now() - begin;
  const task = (await outboxOf(person.caller)).find(({ data }) => data['report_id'] === id)!;
  begin = performance.now();
  if (!(await deliver(renderReport.handler, task))) throw new Error('a report was not drawn');
  return asked + performance.now() - begin;
};

/** @param scale of all organizations but the smallest */
export const measure = async (scale: number): Promise<void> => {
  const sizes = SIZES.map((size, position) => (position === 0 ? size : size * scale));
  process.env['LOG_LEVEL'] = 'silent';
  // Before the list's handler is imported, which looks for it.
  installAwslambda();
  const listInspections = await import('../../functions/inspections/list-inspections.ts');
  const engines = await startEngines({ dataDir: null });
  try {
    const organizations: Grown[] = [];
    for (const size of sizes) organizations.push(await grown(size));
    let value = 0;
    const saveAnswer = ({ person, inspection }: Grown) =>
      answer(person, inspection, uuid(2), `${(value += 1)} mm`);
    const get = (organization: Grown) => made(getInspection, inspectionOf(organization));
    const summarize = ({ person }: Grown) => made(summarizeInspections, { as: person.key });

    const lists = await compare(organizations, [9, 3, 1], timed(listAll(listInspections)));
    const perRow = lists.map((milliseconds, position) => (milliseconds / sizes[position]!) * 1_000);
    const lines = [
      line('save an answer, ms', await compare(organizations, OFTEN, timed(saveAnswer)), GOAL),
      line('get an inspection, ms', await compare(organizations, OFTEN, timed(get)), GOAL),
      line('summary without filters, ms', await compare(organizations, OFTEN, timed(summarize)), GOAL),
      line('create and draw a report, ms', await compare(organizations, [7, 7, 7], report), GOAL),
      line('complete list, streamed, µs per row', perRow, GOAL),
      ['  of it in all, ms', ...lists.map(rounded)],
    ];
    print(
      'growth: what a request takes in organizations of more and more inspections, against the smallest',
      heading('inspections in the organization', sizes),
      lines,
      'Real handlers on the embedded engine; medians, taken in turns.',
    );
  } finally {
    await engines.stop();
  }
};
