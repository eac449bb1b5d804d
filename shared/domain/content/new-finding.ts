import { cutTo, plain } from '../../base/text.ts';
import { Severity } from '../../schemas/common.ts';
import type { Field } from '../../schemas/templates/content.ts';
import type { Evaluation } from './conditions/evaluate.ts';
import { type ContentIndex, type FieldPlace, optionsOf, type RepeatSection } from './content-index.ts';
import { innermostIndexOf, outerPath } from './instance-paths.ts';
import { labelWithAnswers, shownAnswer, type TextOf } from './piping.ts';
import { MISSING, replacePlaceholders } from './text-references.ts';
import { isFailed } from './values/comparison.ts';

/** The longest label of a finding and title of an action, in UTF-16 units (`Title`). */
const MAX_LENGTH = 500;

/** The separator between the titles of nested instances. */
const WITHIN = ' / ';

/** The instances of the repeat sections that a path leads through, outermost first. */
const instancesAround = (repeats: RepeatSection[], path: string) =>
  repeats.map((section, level) => ({
    section,
    outer: outerPath(path, level),
    stand: { repeats: repeats.slice(0, level + 1), path: outerPath(path, level + 1) },
  }));

/**
 * The name of an instance for people: the titles of the instances around it and its own. One without a title has a
 * number.
 */
const instanceName = (evaluation: Evaluation, { repeats }: FieldPlace, path: string, textOf: TextOf) =>
  instancesAround(repeats, path)
    .map(({ section, outer, stand }) => {
      const { label_field_id } = section.repeat;
      const title = label_field_id && shownAnswer(evaluation, { field_id: label_field_id }, stand, textOf);
      if (title && title !== MISSING) return title;
      const index = innermostIndexOf(stand.path);
      // A gap in the indexes, which a deleted instance leaves, is not counted.
      const known = evaluation.instances.of(section, outer).indexOf(index);
      return String((known === -1 ? index : known) + 1);
    })
    .join(WITHIN);

/** The texts of a finding that is created for an answer, and of its action. */
export interface FindingTexts {
  label: string;
  /** Null where the field asks for no action. */
  action_title: string | null;
}

/**
 * The texts that a field's `finding` gives to a finding of its answer in an instance. Each answer in them is one line.
 * @param textOf how an answer is written
 */
export const findingTexts = (
  evaluation: Evaluation,
  place: FieldPlace,
  path: string,
  textOf: TextOf,
): FindingTexts => {
  const line: TextOf = (question, value) => plain(textOf(question, value), MAX_LENGTH);
  const filled = (text: string) =>
    replacePlaceholders(text, (placeholder) =>
      placeholder === 'instance'
        ? instanceName(evaluation, place, path, line)
        : shownAnswer(evaluation, placeholder, { repeats: place.repeats, path }, line)!,
    );
  const { label = null, corrective_action = null } = place.field.finding ?? {};
  const shown = label === null ? labelWithAnswers(evaluation, place, path) : filled(label);
  return {
    label: cutTo(shown, MAX_LENGTH),
    action_title: corrective_action && cutTo(filled(corrective_action.title), MAX_LENGTH),
  };
};

/** Whether the severity of the field's findings depends on the chosen options. */
export const isGradedByOptions = (index: ContentIndex, field: Field): boolean =>
  optionsOf(index, field).some(({ finding_severity }) => finding_severity !== undefined);

/**
 * The severity of a finding: the most severe among the chosen options that fail on their own and have a severity.
 * Otherwise it is that of the field.
 * @param value the failed answer
 */
export const findingSeverity = (index: ContentIndex, { field }: FieldPlace, value: unknown): Severity => {
  const isList = Array.isArray(value);
  const chosen = new Set(isList ? value : [value]);
  const severities = new Set(
    optionsOf(index, field)
      .filter((option) => chosen.has(option.value))
      .filter((option) => isFailed(field, index, isList ? [option.value] : option.value))
      .map(({ finding_severity }) => finding_severity),
  );
  const worst = Severity.options.toReversed().find((severity) => severities.has(severity));
  return worst ?? field.finding?.severity ?? 'minor';
};

/**
 * The location of what is found in an instance: the answer to the location field of the innermost repeat section that
 * has one. Null where there is none; the location of the inspection then applies.
 */
export const unitLocation = (
  evaluation: Evaluation,
  { repeats }: Pick<FieldPlace, 'repeats'>,
  path: string,
): string | null => {
  for (const { section, stand } of instancesAround(repeats, path).toReversed()) {
    const { location_field_id } = section.repeat;
    const found = location_field_id
      ? evaluation.operandOf({ field_id: location_field_id }, stand, stand.path)?.values[0]
      : undefined;
    if (typeof found?.value === 'string' && !found.is_na) return found.value;
  }
  return null;
};
