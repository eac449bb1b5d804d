import type { Problem } from '../../../base/problem.ts';
import type { ContentIndex, FieldPlace, SectionPlace } from '../content-index.ts';
import { placeholdersIn } from '../text-references.ts';
import { problemAt } from './problems.ts';
import { showFault } from './references.ts';

const placeholderFault = (
  index: ContentIndex,
  repeats: FieldPlace['repeats'],
  { written, placeholder }: ReturnType<typeof placeholdersIn>[number],
): string | undefined => {
  if (!placeholder) return `${written} is not one of {instance} and {field:<field_id>}`;
  if (placeholder === 'instance')
    return repeats.length === 0 ? '{instance} needs a repeat section around the field' : undefined;
  const fault = showFault(index, placeholder.field_id, repeats, written);
  if (fault) return fault;
  const { report } = index.fields.get(placeholder.field_id)!.field;
  return report.visible ? undefined : `reports hide the answer to ${written}`;
};

/** Placeholders in the texts of a field's findings that cannot be replaced. */
export function* placeholderProblems(
  index: ContentIndex,
  { field: { finding }, repeats }: Pick<FieldPlace, 'field' | 'repeats'>,
  loc: string[],
): Generator<Problem> {
  const texts = [
    { at: ['label'], text: finding?.label },
    { at: ['corrective_action', 'title'], text: finding?.corrective_action?.title },
  ];
  for (const { at, text } of texts)
    for (const found of placeholdersIn(text ?? '')) {
      const fault = placeholderFault(index, repeats, found);
      if (fault) yield problemAt([...loc, 'finding', ...at], fault);
    }
}

/** Settings of a field's automatic action that have no effect. */
export function* dueProblems(
  { finding }: Pick<FieldPlace['field'], 'finding'>,
  loc: string[],
): Generator<Problem> {
  const rule = finding?.corrective_action;
  if (!rule) return;
  const at = (name: keyof typeof rule) => [...loc, 'finding', 'corrective_action', name];
  for (const name of ['due_by_severity', 'priority_by_severity'] as const)
    if (rule[name] && Object.keys(rule[name]).length === 0)
      yield problemAt(at(name), `${name} should name at least one severity`);
  const durations = Object.values(rule.due_by_severity ?? {}).filter((duration) => duration !== undefined);
  const countsDays = rule.due_in_days !== null || durations.some((duration) => !duration.startsWith('PT'));
  if (rule.business_days && !countsDays)
    yield problemAt(at('business_days'), 'business_days needs a due date that is counted in days');
}

/** What is wrong with the fields that name the instances of a repeat section and give their location. */
export function* repeatFieldProblems(
  index: ContentIndex,
  { section, loc }: SectionPlace,
): Generator<Problem> {
  const { label_field_id, location_field_id } = section.repeat ?? {};
  const placeOf = (id: string) => {
    const place = index.fields.get(id);
    return place?.repeats.at(-1) === section ? place : undefined;
  };
  const problem = (name: string, what: string) =>
    problemAt([...loc, 'repeat', name], `the section has no ${what} with this id`);
  if (label_field_id && !placeOf(label_field_id)) yield problem('label_field_id', 'field');
  if (location_field_id && placeOf(location_field_id)?.field.type !== 'location')
    yield problem('location_field_id', 'location field');
}
