import type { Comparison, Condition, Field } from '../../../schemas/templates/content.ts';
import type { ContentIndex, FieldPlace, SectionPlace } from '../content-index.ts';
import { type Formula, FormulaError, type GivenKind, type Operand, parseFormula } from '../formula/parse.ts';
import { placeholdersIn, referencesIn } from '../text-references.ts';

/** The target of a condition: one field, or a section with everything in it. */
export type Dependent = { field: FieldPlace } | { section: SectionPlace };

interface FieldLogic {
  /** The sections around the field that have a condition, outermost first. */
  around: SectionPlace[];
  /**
   * Undefined for a field without a formula, and for a formula that does not parse. Only a draft has such a formula.
   */
  formula: Formula | undefined;
  /** Undefined for a field without a constraint, and for a constraint that does not parse. */
  constraint: Formula | undefined;
  choiceFilter: Formula | undefined;
}

/** The conditions and formulas of a content, and what they depend on. */
export interface Logic {
  /** By the ids of fields. */
  fields: Map<string, FieldLogic>;
  /** By the id of a field, everything that depends on its answer. */
  dependents: Map<string, Dependent[]>;
  /** Whether a condition or formula in the sections depends on a start field. */
  dependsOnStart: boolean;
}

/** Every comparison within a condition. */
function* comparisonsOf(condition: Condition): Generator<Comparison> {
  if ('all' in condition || 'any' in condition)
    for (const part of 'all' in condition ? condition.all : condition.any) yield* comparisonsOf(part);
  else yield condition;
}

const operandsOf = (...conditions: (Condition | null)[]): Operand[] =>
  conditions.flatMap((condition) => (condition ? [...comparisonsOf(condition)] : []));

/** The operands of a constraint that are not answers. */
export const IN_CONSTRAINTS: readonly GivenKind[] = ['today', 'now'];

/** The operands of a choice filter that are not answers. */
export const IN_CHOICE_FILTERS: readonly GivenKind[] = ['option'];

const parsed = (text: string | null | undefined, given: readonly GivenKind[] = []): Formula | undefined => {
  try {
    return text === null || text === undefined ? undefined : parseFormula(text, given);
  } catch (error) {
    if (error instanceof FormulaError) return undefined;
    throw error;
  }
};

/** The texts of a field that may be shown when an answer is saved. The answers that they refer to are needed then. */
const writtenOnSave = ({ constraint_message = '', label, finding }: Field): string =>
  finding?.create === 'auto' ? `${constraint_message} ${label}` : constraint_message;

/** The answers that the placeholders of a finding show. They are needed when the finding is created. */
const shownInFinding = ({ field: { finding }, repeats }: FieldPlace): Operand[] => {
  if (finding?.create !== 'auto') return [];
  const titles = repeats.flatMap(({ repeat }) =>
    repeat.label_field_id ? [{ field_id: repeat.label_field_id }] : [],
  );
  return placeholdersIn(`${finding.label ?? ''} ${finding.corrective_action?.title ?? ''}`).flatMap(
    ({ placeholder }) => (placeholder === 'instance' ? titles : (placeholder ?? [])),
  );
};

/** The answers that an expression refers to, without the one that it judges. */
const othersIn = (expression: Formula | undefined, id: string): Operand[] =>
  (expression?.operands ?? []).filter((operand) => !('field_id' in operand) || operand.field_id !== id);

const addDependent = (logic: Logic, operands: readonly Operand[], dependent: Dependent): void => {
  for (const operand of operands) {
    if ('start_key' in operand) {
      logic.dependsOnStart = true;
      continue;
    }
    const dependents = logic.dependents.get(operand.field_id);
    if (dependents) dependents.push(dependent);
    else logic.dependents.set(operand.field_id, [dependent]);
  }
};

const findLogic = (index: ContentIndex): Logic => {
  const logic: Logic = { fields: new Map(), dependents: new Map(), dependsOnStart: false };
  const around: SectionPlace[] = [];
  for (const place of index.sections.values()) {
    around.length = place.depth - 1;
    around.push(place);
    const { section } = place;
    addDependent(logic, operandsOf(section.visible_if), { section: place });
    const unit = index.fields.get(section.repeat?.location_field_id ?? '');
    // The location of findings is not evaluated as conditions are. It depends on this answer, so the answer has to be
    // known.
    if (unit) addDependent(logic, [{ field_id: unit.field.id }], { field: unit });
    const conditional = around.filter((outer) => outer.section.visible_if);
    for (const { id } of section.fields) {
      const field = index.fields.get(id)!;
      if (field.section !== section) continue;
      const { visible_if, required_if } = field.field;
      const formula = parsed(field.field.formula);
      const constraint = parsed(field.field.constraint, IN_CONSTRAINTS);
      const choiceFilter = parsed(field.field.choice_filter, IN_CHOICE_FILTERS);
      logic.fields.set(id, { around: conditional, formula, constraint, choiceFilter });
      addDependent(logic, operandsOf(visible_if, required_if), { field });
      addDependent(logic, formula?.operands ?? [], { field });
      addDependent(logic, othersIn(constraint, id), { field });
      addDependent(logic, othersIn(choiceFilter, id), { field });
      addDependent(logic, referencesIn(writtenOnSave(field.field)), { field });
      addDependent(logic, shownInFinding(field), { field });
    }
  }
  return logic;
};

const found = new WeakMap<ContentIndex, Logic>();

/** The logic of a content, found once per index. */
export const logicOf = (index: ContentIndex): Logic => {
  const known = found.get(index);
  if (known) return known;
  const logic = findLogic(index);
  found.set(index, logic);
  return logic;
};

/** Whether one answer can change more than itself: what is shown, what formulas give, or which instances exist. */
export const hasLogic = (index: ContentIndex): boolean => {
  const { dependents, dependsOnStart } = logicOf(index);
  if (dependents.size > 0 || dependsOnStart) return true;
  return index.fields
    .values()
    .some(({ repeats, field }) => repeats.length > 0 || field.type === 'calculated');
};

/** Whether a condition or formula depends on a field's answer. */
export const isAskedFor = (index: ContentIndex, fieldId: string): boolean =>
  logicOf(index).dependents.has(fieldId);

/** Whether conditions can hide a field: its own, or one of a section around it. */
export const canBeHidden = (index: ContentIndex, { field }: FieldPlace): boolean =>
  field.visible_if !== null || logicOf(index).fields.get(field.id)!.around.length > 0;

/** Whether a condition or formula in the sections depends on a start field. */
export const hangsOnStart = (index: ContentIndex): boolean => logicOf(index).dependsOnStart;
