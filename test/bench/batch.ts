import { startEngines } from '../../infra/local/engines.ts';
import type { AnswerResult, BatchedAnswer } from '../../shared/schemas/inspections/answer.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { startedInspection } from '../inspections/fixtures.ts';
import { field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { compare, heading, line } from './sizes.ts';
import { print } from './table.ts';

/** The numbers of answers in one request. The larger one is the maximum. */
const SIZES = [50, 500] as const;
/** Ten times the answers may take eleven times as long: the number of transactions grows too. */
const GOAL = 11;
const ROUNDS = [25, 25];
const FIELDS_PER_SECTION = 20;
/** Of this many fields, the first one decides whether the others are visible. */
const FIELDS_PER_QUESTION = 4;

const FIELDS = Math.max(...SIZES);
const fieldId = (position: number): string => uuid(position + 1_000);
const sectionId = (position: number): string => uuid(Math.floor(position / FIELDS_PER_SECTION) + 1);
const isQuestion = (position: number): boolean => position % FIELDS_PER_QUESTION === 0;

const newField = (position: number) => {
  if (isQuestion(position)) return field(0, 'yes_no', { id: fieldId(position) });
  const question = fieldId(position - (position % FIELDS_PER_QUESTION));
  const visible_if = { field_id: question, op: 'eq', value: true };
  return field(0, 'text', { id: fieldId(position), visible_if });
};

const CONTENT = {
  sections: Array.from({ length: FIELDS / FIELDS_PER_SECTION }, (_section, number) => ({
    id: sectionId(number * FIELDS_PER_SECTION),
    title: `Bay ${number}`,
    fields: Array.from({ length: FIELDS_PER_SECTION }, (_field, position) =>
      newField(number * FIELDS_PER_SECTION + position),
    ),
  })),
};

let sent = 0;

/** New answers to the first `count` fields, as an app sends them after it was offline. */
const newAnswers = (count: number): Partial<BatchedAnswer>[] =>
  Array.from({ length: count }, (_, position) => ({
    section_id: sectionId(position),
    field_id: fieldId(position),
    value: isQuestion(position) ? true : `Tight, no play, measured as number ${sent}`,
    note: `Visit ${sent}`,
    client_mutation_id: `mutation-${(sent += 1)}`,
  }));

/** Saves `size` answers. @returns milliseconds of processor time in this process, without the database engine */
const save =
  (person: Person, { id }: Inspection) =>
  async (size: number): Promise<number> => {
    const body = { responses: newAnswers(size) };
    const start = process.cpuUsage();
    const { results } = await person.answers.save({ params: { inspection_id: id }, body });
    const { user, system } = process.cpuUsage(start);
    const saved = (results as AnswerResult[]).filter(({ status }) => status === 'saved').length;
    if (saved !== size) throw new Error(`${saved} of ${size} answers saved`);
    return (user + system) / 1_000;
  };

export const measure = async (): Promise<void> => {
  process.env['LOG_LEVEL'] = 'silent';
  const engines = await startEngines({ dataDir: null });
  try {
    const person = await newPerson('Bench');
    const inspection = await startedInspection(person, { family: { content: CONTENT } });
    const run = save(person, inspection);
    // Both sizes are measured on an inspection in which every field is answered.
    for (let round = 0; round < 5; round += 1) await run(FIELDS);
    print(
      `batch: a request that saves many answers compared with one that saves few, in an inspection with ${FIELDS} fields and conditions`,
      heading('answers in the request', SIZES),
      [line('ms of processor time', await compare(SIZES, ROUNDS, run), GOAL)],
      'Real, warm handlers on the embedded engine. Medians; the sizes are measured in turns.',
    );
  } finally {
    await engines.stop();
  }
};
