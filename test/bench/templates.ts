import * as replaceAnswer from '../../functions/answers/replace-answer.ts';
import * as getInspectionScore from '../../functions/inspections/get-inspection-score.ts';
import * as createFamily from '../../functions/templates/create-family.ts';
import * as getTemplateSnapshot from '../../functions/templates/get-template-snapshot.ts';
import * as openDraft from '../../functions/templates/open-draft.ts';
import * as publishTemplate from '../../functions/templates/publish-template.ts';
import * as updateTemplateContent from '../../functions/templates/update-template-content.ts';
import { startEngines } from '../../infra/local/engines.ts';
import * as answers from '../../shared/db/answers/answers.ts';
import { evaluate } from '../../shared/domain/content/conditions.ts';
import { indexContent } from '../../shared/domain/content/content-index.ts';
import { progressOf } from '../../shared/domain/content/progress.ts';
import { scoreOf } from '../../shared/domain/content/scoring.ts';
import { BatchedAnswer } from '../../shared/schemas/inspections/answer.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { Content } from '../../shared/schemas/templates/content.ts';
import { begun } from '../inspections/fixtures.ts';
import { made } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { field, uuid } from '../templates/fixtures.ts';
import { compare, heading, line, timed } from './sizes.ts';
import { type Line, print } from './table.ts';
import { traffic } from './traffic.ts';

/** By the number of their fields, which the largest content has at the most. */
const SIZES = [500, 5_000] as const;
/** As many sections and, in the last of them, instances as these come to. */
const FIELDS_OF = { section: 50 / 3, instance: 25 };
const OFTEN = [25, 25];
const SELDOM = [7, 7];
/** Of what is done once for each field: as much for each in the larger, which no processor's cache holds. */
const PER_FIELD = 2;
/** Of what is done for one answer: the state of all of them is read and written, and little else. */
const PER_ANSWER = 4;

const idOf = (section: number, position: number): string => uuid(1_000_000 + section * 1_000 + position);
const sectionId = (section: number): string => idOf(section, 999);

const yes = (field_id: string) => ({ field_id, op: 'eq', value: true });

/**
 * A content whose sections ask yes or no, and by that for more; some sections hang on the very first question,
 * and the last one repeats.
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
        const asked = { visible_if: yes(idOf(section, position - (position % 4))) };
        const kinds = [
          { type: 'yes_no' },
          { type: 'pass_fail_na', allow_na: true, ...asked },
          { type: 'slider', max_score: 10, ...asked },
          { type: 'text', ...asked },
        ];
        const id = idOf(section, position);
        return field(0, { id, label: `Bolt ${section}.${position}`, ...kinds[position % 4] });
      }),
    })),
    scoring: { enabled: true, method: 'points' },
  });
};

/** Everything answered: what decides with yes, and all instances of what repeats. */
const answersTo = ({ sections }: Content, instances: number): BatchedAnswer[] =>
  sections.flatMap(({ id: section_id, repeat, fields }) =>
    Array.from({ length: repeat ? instances : 1 }, (_, instance_index) =>
      fields.map(({ id: field_id, type }) => {
        const value = { yes_no: true, pass_fail_na: 'pass', slider: 40 }[type as string] ?? 'Tight';
        return BatchedAnswer.parse({ section_id, field_id, instance_index, value });
      }),
    ).flat(),
  );

interface Sized {
  size: number;
  person: Person;
  content: Content;
  instances: number;
  inspection: Inspection;
  templateId: string;
  familyId: string;
}

const sized = async (size: number): Promise<Sized> => {
  const person = await newPerson(`Bench of ${size}`);
  const { key, caller } = person;
  const content = contentOf(size);
  const instances = size / FIELDS_OF.instance;
  const family = await made(createFamily, { as: key, body: { name: 'Crane', content } });
  const templateId = family.draft_version_id as string;
  await made(publishTemplate, { as: key, params: { template_id: templateId } });
  const inspection = await begun(person, { template_family_id: family.id });
  await answers.replaceAll(caller, inspection.id, answersTo(content, instances));
  return { size, person, content, instances, inspection, templateId, familyId: family.id };
};

let counted = 0;

/** Saves another answer than the one before. */
const save =
  (
    section: number,
    position: number,
    instance: (subject: Sized) => number,
    value: (subject: Sized) => unknown,
  ) =>
  (subject: Sized) => {
    const { person, inspection, content } = subject;
    const at = section < 0 ? content.sections.length + section : section;
    return made(replaceAnswer, {
      as: person.key,
      params: { inspection_id: inspection.id },
      body: {
        section_id: sectionId(at),
        field_id: idOf(at, position),
        instance_index: instance(subject),
        value: value(subject),
      },
    });
  };

const isTurned = new WeakMap<Sized, boolean>();
const turned = (subject: Sized): boolean => {
  const next = !isTurned.get(subject);
  isTurned.set(subject, next);
  return !next;
};
const text = () => `Tight ${(counted += 1)}`;
const outside = () => 0;

/** Calls of one of these, for each size; a key's minute that begins is not counted twice. */
const callsOf = async (subjects: readonly Sized[], run: (subject: Sized) => Promise<unknown>) => {
  const counts = [];
  for (const subject of subjects) {
    await run(subject);
    const { calls } = await traffic(async () => void (await run(subject)));
    counts.push(calls);
  }
  return counts;
};

export const measure = async (): Promise<void> => {
  process.env['LOG_LEVEL'] = 'silent';
  const engines = await startEngines({ dataDir: null });
  try {
    const subjects: Sized[] = [];
    for (const size of SIZES) subjects.push(await sized(size));

    const saves = {
      'save an answer on which nothing hangs': save(1, 3, outside, text),
      'save the answer on which a fifth of the sections hangs': save(0, 0, outside, turned),
      'save an answer in an instance': save(-1, 3, ({ instances }) => instances - 1, text),
    };
    const lines: Line[] = [];
    for (const [what, run] of Object.entries(saves)) {
      lines.push(line(`${what}, calls`, await callsOf(subjects, run), 1));
      lines.push(line('  ms', await compare(subjects, OFTEN, timed(run)), PER_ANSWER));
    }

    const perField = async (what: string, rounds: readonly number[], run: (subject: Sized) => unknown) => {
      const times = await compare(subjects, rounds, timed(run));
      const each = times.map((time, position) => (time / subjects[position]!.size) * 1_000);
      lines.push(line(`${what}, µs per field`, each, PER_FIELD));
    };
    const known = new Map(
      subjects.map((subject) => [
        subject,
        {
          index: indexContent(subject.content),
          answers: answersTo(subject.content, subject.instances).map((each) => ({
            ...each,
            instance_path:
              each.section_id === subject.content.sections.at(-1)!.id
                ? `${each.section_id}[${each.instance_index}]`
                : '',
          })),
        },
      ]),
    );
    await perField('evaluate conditions and count the progress', OFTEN, (subject) => {
      const { index, answers: given } = known.get(subject)!;
      return progressOf(evaluate(index, given));
    });
    await perField('score, the rule alone', OFTEN, (subject) => {
      const { index, answers: given } = known.get(subject)!;
      return scoreOf(evaluate(index, given));
    });
    await perField('explain the score of an inspection', SELDOM, ({ person, inspection }) =>
      made(getInspectionScore, { as: person.key, params: { inspection_id: inspection.id } }),
    );
    await perField('snapshot of a version', SELDOM, ({ person, templateId }) =>
      made(getTemplateSnapshot, { as: person.key, params: { template_id: templateId } }),
    );
    const drafts = new Map<Sized, string>();
    const draft = async (subject: Sized): Promise<void> => {
      const { person, familyId } = subject;
      const { id } = await made(openDraft, { as: person.key, params: { family_id: familyId } });
      drafts.set(subject, id as string);
    };
    for (const subject of subjects) await draft(subject);
    await perField('save the content of a draft', SELDOM, ({ person, content, ...subject }) => {
      const [first, ...rest] = content.sections;
      const sections = [{ ...first, title: `Bay ${(counted += 1)}` }, ...rest];
      const template_id = drafts.get(subjects.find(({ size }) => size === subject.size)!)!;
      return made(updateTemplateContent, {
        as: person.key,
        params: { template_id },
        body: { content: { ...content, sections } },
      });
    });
    const publishing: number[] = await compare(subjects, SELDOM, async (subject) => {
      await draft(subject);
      const begin = performance.now();
      await made(publishTemplate, { as: subject.person.key, params: { template_id: drafts.get(subject)! } });
      return performance.now() - begin;
    });
    lines.push(
      line(
        'publish, µs per field',
        publishing.map((time, position) => (time / SIZES[position]!) * 1_000),
        PER_FIELD,
      ),
    );
    print(
      'templates: what the largest content takes, against one of a tenth of its fields, sections, instances and answers',
      heading('fields of the content', SIZES),
      lines,
      'Real handlers on the embedded engine, warm; medians, taken in turns.',
    );
  } finally {
    await engines.stop();
  }
};
