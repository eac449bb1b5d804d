import { startEngines } from '../../infra/local/engines.ts';
import { evaluate } from '../../shared/domain/content/conditions/evaluate.ts';
import { indexContent } from '../../shared/domain/content/content-index.ts';
import { progressOf } from '../../shared/domain/content/progress.ts';
import { explainScore } from '../../shared/domain/content/scoring/explain.ts';
import * as answers from '../../shared/inspections/answers/save.ts';
import { BatchedAnswer } from '../../shared/schemas/inspections/answer.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { Content } from '../../shared/schemas/templates/content.ts';
import { startedInspection } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { compare, heading, line, timed } from './sizes.ts';
import { type Line, print } from './table.ts';
import { callsOf } from './traffic.ts';

/** The numbers of fields of the two contents. The larger one is the maximum. */
const SIZES = [500, 5_000] as const;
/** The number of fields for each section, and for each instance of the last section. */
const FIELDS_OF = { section: 50 / 3, instance: 25 };
const OFTEN = [25, 25];
const SELDOM = [7, 7];
/** The goal for work on every field: the ratio of the times per field. The larger content fits no processor cache. */
const PER_FIELD = 2;
/** The goal for saving one answer, which reads and writes the state of all answers. */
const PER_ANSWER = 4;

const idOf = (section: number, position: number): string => uuid(1_000_000 + section * 1_000 + position);
const sectionId = (section: number): string => idOf(section, 999);

const yes = (field_id: string) => ({ field_id, op: 'eq', value: true });

/**
 * A content of sections in which a yes-or-no question decides whether three more are visible. The first question also
 * decides whether a fifth of the sections are visible, and the last section repeats.
 */
const contentOf = (fields: number): Content => {
  const sections = Math.round(fields / FIELDS_OF.section);
  const endOf = (section: number): number => Math.round(section * FIELDS_OF.section);
  return Content.parse({
    sections: Array.from({ length: sections }, (_, section) => ({
      id: sectionId(section),
      title: `Bay ${section}`,
      ...(section % 5 === 4 && { visible_if: yes(idOf(0, 0)) }),
      ...(section === sections - 1 && { repeat: {} }),
      fields: Array.from({ length: endOf(section + 1) - endOf(section) }, (_field, position) => {
        const condition = { visible_if: yes(idOf(section, position - (position % 4))) };
        const kinds = [
          { type: 'yes_no' },
          { type: 'pass_fail_na', allow_na: true, ...condition },
          { type: 'slider', max_score: 10, ...condition },
          { type: 'text', ...condition },
        ];
        const id = idOf(section, position);
        return field(0, 'text', { id, label: `Bolt ${section}.${position}`, ...kinds[position % 4] });
      }),
    })),
    scoring: { enabled: true, method: 'points' },
  });
};

/** Answers to every field, in all instances. The questions that conditions refer to are answered with yes. */
const answersTo = ({ sections }: Content, instances: number): BatchedAnswer[] =>
  sections.flatMap(({ id: section_id, repeat, fields }) =>
    Array.from({ length: repeat ? instances : 1 }, (_, instance_index) =>
      fields.map(({ id: field_id, type }) => {
        const value = { yes_no: true, pass_fail_na: 'pass', slider: 40 }[type as string] ?? 'Tight';
        return BatchedAnswer.parse({ section_id, field_id, instance_index, value });
      }),
    ).flat(),
  );

interface Sample {
  size: number;
  person: Person;
  content: Content;
  instances: number;
  inspection: Inspection;
  templateId: string;
  familyId: string;
}

const newSample = async (size: number): Promise<Sample> => {
  const person = await newPerson(`Bench of ${size}`);
  const { key, caller } = person;
  const content = contentOf(size);
  const instances = size / FIELDS_OF.instance;
  const family = await as(key).families.create({ body: { name: 'Crane', content } });
  const templateId = family.draft_version_id as string;
  await as(key).versions.publishTemplate({ params: { template_id: templateId } });
  const inspection = await startedInspection(person, { template_family_id: family.id });
  await answers.replaceAll(caller, inspection.id, answersTo(content, instances));
  return { size, person, content, instances, inspection, templateId, familyId: family.id };
};

let count = 0;

/** Saves an answer to a field. @param section its position; a negative one counts from the end */
const save =
  (
    section: number,
    position: number,
    instance: (subject: Sample) => number,
    value: (subject: Sample) => unknown,
  ) =>
  (subject: Sample) => {
    const { person, inspection, content } = subject;
    const at = section < 0 ? content.sections.length + section : section;
    return person.answers.replace({
      params: { inspection_id: inspection.id },
      body: {
        section_id: sectionId(at),
        field_id: idOf(at, position),
        instance_index: instance(subject),
        value: value(subject),
      },
    });
  };

const lastValues = new WeakMap<Sample, boolean>();
/** False, then true, in turns. */
const toggled = (subject: Sample): boolean => {
  const value = !(lastValues.get(subject) ?? true);
  lastValues.set(subject, value);
  return value;
};
const text = () => `Tight ${(count += 1)}`;
const firstInstance = () => 0;

const SAVES: Record<string, (subject: Sample) => Promise<unknown>> = {
  'save an answer that no condition refers to': save(1, 3, firstInstance, text),
  'save the answer that decides about a fifth of the sections': save(0, 0, firstInstance, toggled),
  'save an answer in an instance': save(-1, 3, ({ instances }) => instances - 1, text),
};

const saveLines = async (subjects: readonly Sample[]): Promise<Line[]> => {
  const lines: Line[] = [];
  for (const [what, run] of Object.entries(SAVES)) {
    lines.push(line(`${what}, calls`, await callsOf(subjects, run), 1));
    lines.push(line('  ms', await compare(subjects, OFTEN, timed(run)), PER_ANSWER));
  }
  return lines;
};

/** @param run returns milliseconds */
const fieldLine = async <Subject extends { size: number }>(
  what: string,
  subjects: readonly Subject[],
  rounds: readonly number[],
  run: (subject: Subject) => Promise<number>,
): Promise<Line> => {
  const times = await compare(subjects, rounds, run);
  const perField = times.map((time, position) => (time / subjects[position]!.size) * 1_000);
  return line(`${what}, µs per field`, perField, PER_FIELD);
};

/** What the rules take as their input: an indexed content with its answers. */
const ruleInput = ({ size, content, instances }: Sample) => {
  const repeated = content.sections.at(-1)!.id;
  return {
    size,
    index: indexContent(content),
    answers: answersTo(content, instances).map((each) => ({
      ...each,
      instance_path: each.section_id === repeated ? `${repeated}[${each.instance_index}]` : '',
    })),
  };
};

const ruleLines = async (subjects: readonly Sample[]): Promise<Line[]> => {
  const inputs = subjects.map(ruleInput);
  const progress = timed(({ index, answers: given }: (typeof inputs)[0]) =>
    progressOf(evaluate(index, given)),
  );
  const score = timed(
    ({ index, answers: given }: (typeof inputs)[0]) => explainScore(evaluate(index, given)).score,
  );
  return [
    await fieldLine('evaluate conditions and count the progress', inputs, OFTEN, progress),
    await fieldLine('score, only the rule', inputs, OFTEN, score),
  ];
};

const readLines = async (subjects: readonly Sample[]): Promise<Line[]> => {
  const score = timed(({ person, inspection }: Sample) =>
    person.inspections.getScore({ params: { inspection_id: inspection.id } }),
  );
  const snapshot = timed(({ person, templateId }: Sample) =>
    person.versions.getTemplateSnapshot({ params: { template_id: templateId } }),
  );
  return [
    await fieldLine('explain the score of an inspection', subjects, SELDOM, score),
    await fieldLine('snapshot of a version', subjects, SELDOM, snapshot),
  ];
};

/** The id of the draft of the family, which is opened if there is none. */
const draftOf = async ({ person, familyId }: Sample): Promise<string> =>
  (await person.versions.openDraft({ params: { family_id: familyId } })).id;

const draftLines = async (subjects: readonly Sample[]): Promise<Line[]> => {
  const drafts = new Map<Sample, string>();
  for (const subject of subjects) drafts.set(subject, await draftOf(subject));
  const saveContent = timed((subject: Sample) => {
    const { person, content } = subject;
    const [first, ...rest] = content.sections;
    const sections = [{ ...first, title: `Bay ${(count += 1)}` }, ...rest];
    return person.versions.updateTemplateContent({
      params: { template_id: drafts.get(subject)! },
      body: { content: { ...content, sections } },
    });
  });
  const publish = async (subject: Sample): Promise<number> => {
    const params = { template_id: await draftOf(subject) };
    return timed(() => as(subject.person).versions.publishTemplate({ params }))(subject);
  };
  return [
    await fieldLine('save the content of a draft', subjects, SELDOM, saveContent),
    await fieldLine('publish', subjects, SELDOM, publish),
  ];
};

export const measure = async (): Promise<void> => {
  process.env['LOG_LEVEL'] = 'silent';
  const engines = await startEngines({ dataDir: null });
  try {
    const subjects: Sample[] = [];
    for (const size of SIZES) subjects.push(await newSample(size));
    print(
      'templates: the largest content compared with one that has a tenth of its fields, sections, instances and answers',
      heading('fields of the content', SIZES),
      [
        ...(await saveLines(subjects)),
        ...(await ruleLines(subjects)),
        ...(await readLines(subjects)),
        ...(await draftLines(subjects)),
      ],
      'Real, warm handlers on the embedded engine. Medians; the sizes are measured in turns.',
    );
  } finally {
    await engines.stop();
  }
};
