import type { Problem } from '../../../base/problem.ts';
import type { FieldType } from '../../../schemas/templates/content.ts';
import { type ContentIndex, type RepeatSection, sectionsOf } from '../content-index.ts';
import { MEDIA } from '../field-types.ts';
import { referencesIn } from '../text-references.ts';
import { problemAt } from './problems.ts';

/** The texts that may refer to answers, of all parts and of their translations. */
const TEXTS = [
  'title',
  'description',
  'label',
  'help_text',
  'constraint_message',
  'required_message',
] as const;

/** Types without an answer that a text can show. */
const SHOWLESS: ReadonlySet<FieldType> = new Set<FieldType>([...MEDIA, 'signature', 'instruction']);

/**
 * Why a text cannot show the answer to a field; undefined if it can.
 * @param repeats the repeat sections around the text
 * @param written the reference, as the text has it
 */
export const showFault = (
  index: ContentIndex,
  fieldId: string,
  repeats: readonly RepeatSection[],
  written: string,
): string | undefined => {
  const target = index.fields.get(fieldId);
  if (!target) return `the content has no field ${written}`;
  if (SHOWLESS.has(target.field.type)) return `a text cannot show the answer to a ${target.field.type} field`;
  return target.repeats.some((repeat) => !repeats.includes(repeat))
    ? `${written} has an answer for each instance of its section`
    : undefined;
};

function* textProblems(
  index: ContentIndex,
  part: object,
  repeats: readonly RepeatSection[],
  loc: string[],
): Generator<Problem> {
  for (const name of TEXTS) {
    const text = (part as Partial<Record<string, string | null>>)[name] ?? '';
    for (const operand of referencesIn(text)) {
      // A key that no start field has is an ordinary text.
      if ('start_key' in operand) continue;
      const fault = showFault(index, operand.field_id, repeats, `\${${operand.field_id}}`);
      if (fault) yield problemAt([...loc, name], fault);
    }
  }
}

const repeatsOf = ({ fields, sections }: ContentIndex, id: string): readonly RepeatSection[] =>
  (fields.get(id) ?? sections.get(id))?.repeats ?? [];

/** References in texts to answers that the texts cannot show. */
export function* referenceProblems(index: ContentIndex): Generator<Problem> {
  const { start, translations } = index.content;
  for (const [i, field] of start.fields.entries())
    yield* textProblems(index, field, [], ['content', 'start', 'fields', String(i)]);
  for (const { section, repeats, loc } of sectionsOf(index.content)) {
    yield* textProblems(index, section, repeats, loc);
    for (const [i, field] of section.fields.entries())
      yield* textProblems(index, field, repeats, [...loc, 'fields', String(i)]);
  }
  for (const [i, { texts }] of translations.entries())
    for (const [j, text] of texts.entries()) {
      const loc = ['content', 'translations', String(i), 'texts', String(j)];
      yield* textProblems(index, text, repeatsOf(index, text.id), loc);
    }
}
