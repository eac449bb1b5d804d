import * as replaceAnswer from '../../functions/answers/replace-answer.ts';
import * as getInspectionScore from '../../functions/inspections/get-inspection-score.ts';
import * as listAssignedInspections from '../../functions/inspections/list-assigned-inspections.ts';
import * as listInspections from '../../functions/inspections/list-inspections.ts';
import * as summarizeInspections from '../../functions/inspections/summarize-inspections.ts';
import { startEngines } from '../../infra/local/engines.ts';
import * as answers from '../../shared/db/answers/answers.ts';
import * as inspections from '../../shared/db/inspections/inspections.ts';
import { withoutKeys } from '../../shared/db/table/rows.ts';
import { BatchedAnswer } from '../../shared/schemas/inspections/answer.ts';
import type { Inspection, Participant } from '../../shared/schemas/inspections/inspection.ts';
import { inspectionOf } from '../answers/fixtures.ts';
import { advance, begun, newInspection } from '../inspections/fixtures.ts';
import { made } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { field, publishedFamily, uuid } from '../templates/fixtures.ts';
import { multiply } from './multiply.ts';
import { compare, heading, line, timed } from './sizes.ts';
import { type Line, print } from './table.ts';
import { traffic } from './traffic.ts';

/** By how many inspections they have; the larger's number is what `--scale` makes smaller. */
const ORGANIZATIONS = [1_000, 200_000] as const;
/** How many of them are assigned to the caller. */
const ASSIGNED = [100, 1_000] as const;
/** By how many answers they have. */
const ANSWERS = [100, 10_000] as const;
/** One in so many answers has failed, and led to a finding. */
const FAILING = 20;
/** One in so many inspections is still to be done. */
const OPEN = 10;
const PAGE = 50;
const OFTEN = [25, 25];
const SELDOM = [7, 7];
const GOAL = 1.5;
/** Of what is done once for each answer: as much for each in the larger. */
const PER_ANSWER = 1.5;
/** Of saving one: the state of all answers is read and written, and little else. */
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
        field(position + 2, { type: 'pass_fail_na', finding: { create: 'auto', severity: 'minor' } }),
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

/** An inspection with so many answers, and findings of those that have failed. */
const answered = async (person: Person, template_family_id: string, size: number): Promise<Answered> => {
  const inspection = await begun(person, { template_family_id });
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

/** An organization of so many inspections, some of them assigned to the caller. */
const organization = async (size: number, assigned: number): Promise<Organization> => {
  const person = await newPerson(`Bench of ${size}`);
  const { key, caller } = person;
  const { id: familyId } = await publishedFamily(key, {
    content: CONTENT,
    requires_approval: true,
    settings: { approval: { allow_api: true } },
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
  await multiply(person, withoutKeys(await inspections.get(caller, id)), size - 1, (number, like) => ({
    ...(number % OPEN === 0 ? {} : { status: 'completed' as const, completed_at: like.created_at }),
    participants: number % every === 0 ? [own] : [],
  }));
  return { person, familyId };
};

/** Calls of one of these, for each subject. */
const callsOf = async <Subject>(
  subjects: readonly Subject[],
  run: (subject: Subject) => Promise<unknown>,
): Promise<number[]> => {
  const counts = [];
  for (const subject of subjects) {
    await run(subject);
    counts.push((await traffic(async () => void (await run(subject)))).calls);
  }
  return counts;
};

let saved = 0;
const save = ({ person, inspection }: Answered) =>
  made(replaceAnswer, {
    as: person.key,
    params: { inspection_id: inspection.id },
    body: { section_id: ROOM, field_id: CHECK(1), value: 'pass', note: `Seen ${(saved += 1)} times` },
  });

/** Hands an inspection in, and takes that back. */
const handIn = async ({ person, inspection }: Answered): Promise<number> => {
  const begin = performance.now();
  await advance(person.key, inspection);
  const taken = performance.now() - begin;
  await advance(person.key, inspection, { decision: 'request_changes', comment: 'Again' });
  return taken;
};

const score = ({ person, inspection }: Answered) =>
  made(getInspectionScore, { as: person.key, params: { inspection_id: inspection.id } });

const pageOf = async (
  endpoint: Parameters<typeof made>[0],
  { person }: Organization,
  query: Record<string, string>,
): Promise<void> => {
  const page = (await made(endpoint, { as: person.key, query: { ...query, limit: PAGE } })) as unknown[];
  if (page.length !== PAGE) throw new Error(`${page.length} inspections on a page`);
};

const READS: Record<string, (organization: Organization) => Promise<unknown>> = {
  'a page by status': (each) => pageOf(listInspections, each, { status: 'scheduled' }),
  'a page by family': (each) => pageOf(listInspections, each, { template_family_id: each.familyId }),
  'a page of what is assigned': (each) => pageOf(listAssignedInspections, each, {}),
  'the summary': ({ person }) => made(summarizeInspections, { as: person.key }),
};

const answerLines = async (subjects: readonly Answered[]): Promise<Line[]> => {
  const perAnswer = (times: readonly number[]) =>
    times.map((time, position) => (time / subjects[position]!.size) * 1_000);
  return [
    line('save an answer, calls', await callsOf(subjects, save), 1),
    line('  ms', await compare(subjects, OFTEN, timed(save)), PER_SAVE),
    line('hand in, µs per answer', perAnswer(await compare(subjects, SELDOM, handIn)), PER_ANSWER),
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

/** @param scale of the larger organization */
export const measure = async (scale: number): Promise<void> => {
  process.env['LOG_LEVEL'] = 'silent';
  const engines = await startEngines({ dataDir: null });
  try {
    const [few, most] = ORGANIZATIONS;
    const sizes = [few, Math.max(few, most * scale)];
    const organizations: Organization[] = [];
    for (const [position, size] of sizes.entries()) {
      organizations.push(await organization(size, ASSIGNED[position]!));
    }
    const { person, familyId } = organizations.at(-1)!;
    const subjects: Answered[] = [];
    for (const size of ANSWERS) subjects.push(await answered(person, familyId, size));
    print(
      `inspections: what one of many answers takes, a twentieth of them failed with a finding, among ${sizes[1]!.toLocaleString('en')} inspections`,
      heading('answers of the inspection', ANSWERS),
      await answerLines(subjects),
    );
    print(
      `inspections: pages of ${PAGE}, with ${ASSIGNED.map((count) => count.toLocaleString('en')).join(' and ')} assigned to the caller`,
      heading('inspections in the organization', sizes),
      await listLines(organizations),
      'Real handlers on the embedded engine, warm; medians, taken in turns.',
    );
  } finally {
    await engines.stop();
  }
};
