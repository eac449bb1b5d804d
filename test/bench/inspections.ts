import * as listAssignedInspections from '../../functions/inspections/list-assigned-inspections.ts';
import * as listInspections from '../../functions/inspections/list-inspections.ts';
import { startEngines } from '../../infra/local/engines.ts';
import * as answers from '../../shared/inspections/answers/save.ts';
import { inspectionRecords } from '../../shared/inspections/rows/inspection-records.ts';
import { BatchedAnswer } from '../../shared/schemas/inspections/answer.ts';
import type { Inspection, Participant } from '../../shared/schemas/inspections/inspection.ts';
import { withoutKeys } from '../../shared/table/rows.ts';
import { inspectionOf } from '../answers/fixtures.ts';
import { advance, newInspection, startedInspection } from '../inspections/fixtures.ts';
import { as, type Endpoint } from '../support/call.ts';
import { field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { multiply } from './multiply.ts';
import { compare, heading, line, timed } from './sizes.ts';
import { type Line, print } from './table.ts';
import { callsOf } from './traffic.ts';

/** The numbers of inspections of the two organizations. `--scale` reduces the larger one. */
const ORGANIZATIONS = [1_000, 200_000] as const;
/** The numbers of inspections that are assigned to the caller. */
const ASSIGNED = [100, 1_000] as const;
/** The numbers of answers of the two inspections. */
const ANSWERS = [100, 10_000] as const;
/** One answer in this many fails and has a finding. */
const FAILING = 20;
/** One inspection in this many is still open. */
const OPEN = 10;
const PAGE = 50;
const OFTEN = [25, 25];
const SELDOM = [7, 7];
const GOAL = 1.5;
/** The goal for work on every answer: the ratio of the times per answer. */
const PER_ANSWER = 1.5;
/** The goal for saving one answer, which reads and writes the state of all answers. */
const PER_SAVE = 6;

const FIELDS = 50;
const ROOM = uuid(1);
const CHECK = (position: number): string => uuid(position + 2);

const CONTENT = {
  sections: [
    {
      id: ROOM,
      title: 'Rooms',
      repeat: {},
      fields: Array.from({ length: FIELDS }, (_, position) =>
        field(position + 2, 'pass_fail_na', { finding: { create: 'auto', severity: 'minor' } }),
      ),
    },
  ],
  scoring: { enabled: true },
};

interface Answered {
  size: number;
  person: Person;
  inspection: Inspection;
}

/** An inspection with `size` answers, and the findings of the failed ones. */
const answered = async (person: Person, template_family_id: string, size: number): Promise<Answered> => {
  const inspection = await startedInspection(person, { template_family_id });
  const sent = Array.from({ length: size }, (_, number) =>
    BatchedAnswer.parse({
      section_id: ROOM,
      field_id: CHECK(number % FIELDS),
      instance_index: Math.floor(number / FIELDS),
      value: number % FAILING === 0 ? 'fail' : 'pass',
    }),
  );
  await answers.replaceAll(person.caller, inspection.id, sent);
  const { progress, findings_count } = await inspectionOf(person, inspection);
  if (progress.answered !== size || findings_count !== size / FAILING) {
    throw new Error(`${progress.answered} answers and ${findings_count} findings`);
  }
  return { size, person, inspection };
};

interface Organization {
  person: Person;
  familyId: string;
}

/** An organization with `size` inspections, some of them assigned to the caller. */
const newOrganization = async (size: number, assigned: number): Promise<Organization> => {
  const person = await newPerson(`Bench of ${size}`);
  const { key, caller } = person;
  const { id: familyId } = await publishedFamily(key, {
    content: CONTENT,
    requires_approval: true,
    settings: { approval: { allow_api: true, four_eyes: false } },
  });
  const { id } = await newInspection(person, { template_family_id: familyId });
  const own: Participant = {
    user_id: caller.user_id,
    name: caller.name,
    role: 'inspector',
    section_ids: [],
    status: 'assigned',
    submitted_at: null,
    reopened_at: null,
  };
  const every = Math.floor(size / assigned);
  await multiply(person, withoutKeys(await inspectionRecords.get(caller, id)), size - 1, (number, like) => ({
    ...(number % OPEN === 0 ? {} : { status: 'completed' as const, completed_at: like.created_at }),
    participants: number % every === 0 ? [own] : [],
  }));
  return { person, familyId };
};

let saved = 0;
const save = ({ person, inspection }: Answered) =>
  person.answers.replace({
    params: { inspection_id: inspection.id },
    body: { section_id: ROOM, field_id: CHECK(1), value: 'pass', note: `Seen ${(saved += 1)} times` },
  });

/** Submits an inspection and has it sent back. @returns milliseconds of the submission */
const submit = async ({ person, inspection }: Answered): Promise<number> => {
  const start = performance.now();
  await advance(person.key, inspection);
  const taken = performance.now() - start;
  await advance(person.key, inspection, { decision: 'request_changes', comment: 'Again' });
  return taken;
};

const score = ({ person, inspection }: Answered) =>
  person.inspections.getScore({ params: { inspection_id: inspection.id } });

const pageOf = async (
  endpoint: Endpoint,
  { person }: Organization,
  query: Record<string, string>,
): Promise<void> => {
  const page = (await as(person).must(endpoint, { query: { ...query, limit: PAGE } })) as unknown[];
  if (page.length !== PAGE) throw new Error(`${page.length} inspections on a page`);
};

const READS: Record<string, (organization: Organization) => Promise<unknown>> = {
  'a page by status': (each) => pageOf(listInspections, each, { status: 'scheduled' }),
  'a page by family': (each) => pageOf(listInspections, each, { template_family_id: each.familyId }),
  'a page of assigned inspections': (each) => pageOf(listAssignedInspections, each, {}),
  'the summary': ({ person }) => person.inspections.summarize(),
};

const answerLines = async (subjects: readonly Answered[]): Promise<Line[]> => {
  const perAnswer = (times: readonly number[]) =>
    times.map((time, position) => (time / subjects[position]!.size) * 1_000);
  return [
    line('save an answer, calls', await callsOf(subjects, save), 1),
    line('  ms', await compare(subjects, OFTEN, timed(save)), PER_SAVE),
    line('submit, µs per answer', perAnswer(await compare(subjects, SELDOM, submit)), PER_ANSWER),
    line(
      'explain the score, µs per answer',
      perAnswer(await compare(subjects, SELDOM, timed(score))),
      PER_ANSWER,
    ),
  ];
};

const listLines = async (organizations: readonly Organization[]): Promise<Line[]> => {
  const lines: Line[] = [];
  for (const [what, read] of Object.entries(READS)) {
    lines.push(line(`${what}, calls`, await callsOf(organizations, read), 1));
    lines.push(line('  ms', await compare(organizations, OFTEN, timed(read)), GOAL));
  }
  return lines;
};

/** @param scale a factor for the size of the larger organization */
export const measure = async (scale: number): Promise<void> => {
  process.env['LOG_LEVEL'] = 'silent';
  const engines = await startEngines({ dataDir: null });
  try {
    const [few, most] = ORGANIZATIONS;
    const sizes = [few, Math.max(few, most * scale)];
    const organizations: Organization[] = [];
    for (const [position, size] of sizes.entries()) {
      organizations.push(await newOrganization(size, ASSIGNED[position]!));
    }
    const { person, familyId } = organizations.at(-1)!;
    const subjects: Answered[] = [];
    for (const size of ANSWERS) subjects.push(await answered(person, familyId, size));
    print(
      `inspections: work on an inspection with many answers, one in ${FAILING} of them failed with a finding, among ${sizes[1]!.toLocaleString('en')} inspections`,
      heading('answers of the inspection', ANSWERS),
      await answerLines(subjects),
    );
    print(
      `inspections: pages of ${PAGE}, with ${ASSIGNED.map((count) => count.toLocaleString('en')).join(' and ')} assigned to the caller`,
      heading('inspections in the organization', sizes),
      await listLines(organizations),
      'Real, warm handlers on the embedded engine. Medians; the sizes are measured in turns.',
    );
  } finally {
    await engines.stop();
  }
};
