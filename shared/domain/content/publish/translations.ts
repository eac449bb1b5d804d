import type { Problem } from '../../../base/problem.ts';
import type { TranslatedText } from '../../../schemas/templates/content.ts';
import { type ContentIndex, type ContentPart, partOf } from '../content-index.ts';
import { problemAt } from './problems.ts';

const NAMES = [
  'title',
  'description',
  'label',
  'help_text',
  'constraint_message',
  'required_message',
] as const;

function* textProblems(part: ContentPart, text: TranslatedText, loc: string[]): Generator<Problem> {
  for (const name of NAMES)
    if ((text[name] ?? null) !== null && !(name in part))
      yield problemAt([...loc, name], `this part has no ${name}`, 'extra_forbidden');
  // An option of a source may be missing for a while. Its translation is kept until it comes back.
  if ('source_id' in part && part.source_id !== undefined) return;
  const values = new Set('options' in part ? part.options?.map(({ value }) => value) : []);
  for (const [k, { value }] of text.options.entries())
    if (!values.has(value))
      yield problemAt(
        [...loc, 'options', String(k), 'value'],
        `${JSON.stringify(value)} is not one of this part's own options`,
      );
}

/** Problems with translations of parts that the content does not have: nobody would ever see these translations. */
export function* translationProblems(index: ContentIndex): Generator<Problem> {
  for (const [i, { texts }] of index.content.translations.entries())
    for (const [j, text] of texts.entries()) {
      const loc = ['content', 'translations', String(i), 'texts', String(j)];
      const part = partOf(index, text.id);
      if (part) yield* textProblems(part, text, loc);
      else yield problemAt([...loc, 'id'], 'the content has no part with this id or key');
    }
}
