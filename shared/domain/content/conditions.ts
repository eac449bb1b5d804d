import type { Comparison, Condition, Section, StartField } from '../../schemas/templates/content.ts';
import type { ContentIndex, FieldPlace, Question, RepeatSection, SectionPlace } from './content-index.ts';
import { compute, type Formula, FormulaError, type Operand, parseFormula } from './formula.ts';
import { type Instances, instancesOf, outerPath, pathsBelow } from './instances.ts';
import type { StartAnswers } from './start.ts';
import { type Answer, holds, isAnswered, isEmpty, isFailed } from './values.ts';

/** What a field is in one instance, once its conditions are taken into account. */
export type Standing = 'required' | 'optional' | 'hidden';

/** What conditions and formulas ask of an answer. */
export type KnownAnswer = Pick<Answer, 'field_id' | 'instance_path' | 'value' | 'is_na'>;

type Known = Pick<Answer, 'value' | 'is_na'>;

/** A content's conditions and formulas, applied to answers. Each part is worked out when it is asked for, once. */
export interface Evaluation {
  index: ContentIndex;
  instances: Instances;
  start: StartAnswers;
  /** What a field is in an instance: hidden by its own condition or one around it, required, or neither. */
  standingOf: (place: FieldPlace, instancePath: string) => Standing;
  /** The same of a start field. */
  startStandingOf: (field: StartField) => Standing;
  /** The answer of a field, a calculated one's result; undefined for none. Hidden fields have theirs still. */
  answerOf: (place: FieldPlace, instancePath: string) => Known | undefined;
}

/** How far a question may hang on others; a published content's conditions end before. */
const DEEPEST_CHAIN = 500;

interface FieldLogic {
  /** The sections around it that have a condition, outermost first. */
  around: SectionPlace[];
  formula: Formula | undefined;
}

/** What a change reaches: a field within the instances of a path, or a section with all that is in it. */
type Dependent = { field: FieldPlace } | { section: SectionPlace };

/** What a content's conditions and formulas hang on, found once per content. */
interface Logic {
  fields: Map<string, FieldLogic>;
  /** By the id of a field, what its answer decides on. */
  dependents: Map<string, Dependent[]>;
  /** Whether something in the sections hangs on a start field. */
  hangsOnStart: boolean;
}

/** Every comparison within a condition. */
function* comparisonsOf(condition: Condition): Generator<Comparison> {
  if ('all' in condition || 'any' in condition)
    for (const part of 'all' in condition ? condition.all : condition.any) yield* comparisonsOf(part);
  else yield condition;
}

const operandsOf = (...conditions: (Condition | null)[]): Operand[] =>
  conditions.flatMap((condition) => (condition ? [...comparisonsOf(condition)] : []));

const parsed = (text: string | null): Formula | undefined => {
  try {
    return text === null ? undefined : parseFormula(text);
  } catch (error) {
    // A draft's formula may be wrong, and then has no result.
    if (error instanceof FormulaError) return undefined;
    throw error;
  }
};

const known = new WeakMap<ContentIndex, Logic>();

const logicOf = (index: ContentIndex): Logic => {
  const standing = known.get(index);
  if (standing) return standing;
  const logic: Logic = { fields: new Map(), dependents: new Map(), hangsOnStart: false };
  const decides = (operands: readonly Operand[], dependent: Dependent) => {
    for (const operand of operands) {
      if ('start_key' in operand) logic.hangsOnStart = true;
      else {
        const decided = logic.dependents.get(operand.field_id) ?? [];
        logic.dependents.set(operand.field_id, decided);
        decided.push(dependent);
      }
    }
  };
  const around: SectionPlace[] = [];
  for (const place of index.sections.values()) {
    around.length = place.depth - 1;
    around.push(place);
    const { section } = place;
    decides(operandsOf(section.visible_if), { section: place });
    const conditional = around.filter((outer) => outer.section.visible_if);
    for (const { id } of section.fields) {
      const field = index.fields.get(id)!;
      if (field.section !== section) continue;
      const { visible_if, required_if } = field.field;
      const formula = parsed(field.field.formula);
      logic.fields.set(id, { around: conditional, formula });
      decides([...operandsOf(visible_if, required_if), ...(formula?.operands ?? [])], { field });
    }
  }
  known.set(index, logic);
  return logic;
};

/** Whether one answer of the content bears on more than itself: on conditions, formulas or instances. */
export const hasLogic = (index: ContentIndex): boolean => {
  const { dependents, hangsOnStart } = logicOf(index);
  if (dependents.size > 0 || hangsOnStart) return true;
  return index.fields
    .values()
    .some(({ repeats, field }) => repeats.length > 0 || field.type === 'calculated');
};

/** Whether conditions or formulas ask for a field's answer. */
export const isAskedFor = (index: ContentIndex, fieldId: string): boolean =>
  logicOf(index).dependents.has(fieldId);

/** Whether something in the sections hangs on a start field. */
export const hangsOnStart = (index: ContentIndex): boolean => logicOf(index).hangsOnStart;

const nameOf = (id: string, path: string) => `${id} ${path}`;

/** As many levels of a path as two places have in common, outermost first. */
const sharedPath = (from: readonly RepeatSection[], to: readonly RepeatSection[], path: string): string => {
  if (path === '' || to.length === 0) return '';
  const levels = path.split('/').length;
  let shared = 0;
  while (shared < levels && from[shared] && from[shared]!.id === to[shared]?.id) shared += 1;
  return shared === levels ? path : outerPath(path, shared);
};

/**
 * Applies a content's conditions and formulas to the answers there are. A hidden field's answer counts as none.
 * Within a repeat, a field of it means the one of the same instance; from elsewhere it means all of them, and a
 * comparison holds where it does for any. What hangs on itself, as only a draft can, is hidden.
 */
export const evaluate = (
  index: ContentIndex,
  answers: Iterable<KnownAnswer>,
  start: StartAnswers = {},
): Evaluation => {
  const logic = logicOf(index);
  const given = new Map<string, Known>();
  const paths: string[] = [];
  for (const answer of answers) {
    if (!isAnswered(answer)) continue;
    given.set(nameOf(answer.field_id, answer.instance_path), answer);
    if (answer.instance_path) paths.push(answer.instance_path);
  }
  const instances = instancesOf(paths);
  let depth = 0;

  /** What `work` finds, found once; undefined while it is being found, which only what hangs on itself asks for. */
  const once = <Found>(results: Map<string, Found | undefined>, name: string, work: () => Found) => {
    if (results.has(name) || depth > DEEPEST_CHAIN) return results.get(name);
    results.set(name, undefined);
    depth += 1;
    const found = work();
    depth -= 1;
    results.set(name, found);
    return found;
  };

  /** What counts of a field for others, in one instance. */
  const counted = (place: FieldPlace, path: string): Known | undefined =>
    isShown(place, path) ? answerOf(place, path) : undefined;

  const read = (
    operand: Operand,
    from: { repeats: readonly RepeatSection[]; path: string },
  ): { question: Question; values: (Known | undefined)[] } | undefined => {
    if ('start_key' in operand) {
      const field = index.startFields.get(operand.start_key);
      if (!field) return undefined;
      const value = isStartShown(field) ? start[field.key] : undefined;
      return { question: field, values: [isEmpty(value) ? undefined : { value, is_na: false }] };
    }
    const place = index.fields.get(operand.field_id);
    if (!place) return undefined;
    const { repeats } = place;
    const shared = sharedPath(from.repeats, repeats, from.path);
    const isSame = shared === from.path && repeats.length === from.repeats.length;
    const within = isSame ? [shared] : pathsBelow(instances, repeats, shared);
    return { question: place.field, values: within.map((path) => counted(place, path)) };
  };

  const compares = (
    comparison: Comparison,
    from: { repeats: readonly RepeatSection[]; path: string },
  ): boolean => {
    const found = read(comparison, from);
    if (!found) return false;
    const { question, values } = found;
    const { op, value: operand } = comparison;
    return (values.length === 0 ? [undefined] : values).some((answer) =>
      op === 'failed'
        ? answer !== undefined && !answer.is_na && isFailed(question, index, answer.value)
        : holds(op, answer?.value ?? null, operand),
    );
  };

  const meets = (
    condition: Condition | null,
    from: { repeats: readonly RepeatSection[]; path: string },
  ): boolean => {
    if (condition === null) return true;
    if ('all' in condition) return condition.all.every((part) => meets(part, from));
    if ('any' in condition) return condition.any.some((part) => meets(part, from));
    return compares(condition, from);
  };

  const startShown = new Map<string, boolean | undefined>();
  const isStartShown = ({ key, visible_if }: StartField): boolean =>
    visible_if === null ||
    (once(startShown, key, () => meets(visible_if, { repeats: [], path: '' })) ?? false);

  const sectionsShown = new Map<string, boolean | undefined>();
  /** By its own condition, which sees the section from outside of its instances. */
  const isSectionShown = ({ section, repeats }: SectionPlace, path: string): boolean => {
    const outer = section.repeat ? repeats.slice(0, -1) : repeats;
    const from = { repeats: outer, path: outerPath(path, outer.length) };
    return once(sectionsShown, nameOf(section.id, from.path), () => meets(section.visible_if, from)) ?? false;
  };

  const fieldsShown = new Map<string, boolean | undefined>();
  const isShown = (place: FieldPlace, path: string): boolean => {
    const { around } = logic.fields.get(place.field.id)!;
    const { visible_if } = place.field;
    if (around.length === 0 && visible_if === null) return true;
    return (
      once(
        fieldsShown,
        nameOf(place.field.id, path),
        () =>
          around.every((section) => isSectionShown(section, path)) &&
          meets(visible_if, { repeats: place.repeats, path }),
      ) ?? false
    );
  };

  const results = new Map<string, Known | null | undefined>();
  const answerOf = (place: FieldPlace, path: string): Known | undefined => {
    const name = nameOf(place.field.id, path);
    if (place.field.type !== 'calculated') return given.get(name);
    const { formula } = logic.fields.get(place.field.id)!;
    if (!formula) return undefined;
    const result = once(results, name, () => {
      const from = { repeats: place.repeats, path };
      const value = compute(formula, (operand) =>
        (read(operand, from)?.values ?? []).map((answer) => answer?.value ?? null),
      );
      return isEmpty(value) ? null : { value, is_na: false };
    });
    return result ?? undefined;
  };

  const standingOf: Evaluation['standingOf'] = (place, path) => {
    if (!isShown(place, path)) return 'hidden';
    const { required, required_if } = place.field;
    const isRequired =
      required || (required_if !== null && meets(required_if, { repeats: place.repeats, path }));
    return isRequired ? 'required' : 'optional';
  };

  const startStandingOf: Evaluation['startStandingOf'] = (field) => {
    if (!isStartShown(field)) return 'hidden';
    return field.required ? 'required' : 'optional';
  };

  return { index, instances, start, standingOf, startStandingOf, answerOf };
};

/** A field in one of its instances. */
export interface FieldInstance {
  place: FieldPlace;
  instance_path: string;
}

const fieldsWithin = (index: ContentIndex, section: Section): FieldPlace[] => [
  ...section.fields.map(({ id }) => index.fields.get(id)!),
  ...section.sections.flatMap((inner) => fieldsWithin(index, inner)),
];

/** The repeats within which an answer begins or ends an instance, outermost first, with the paths around them. */
const turned = (before: Evaluation, after: Evaluation, { place, instance_path }: FieldInstance) =>
  place.repeats.flatMap((section, level) => {
    const outer = outerPath(instance_path, level);
    const [had, has] = [before, after].map(({ instances }) => instances.of(section, outer));
    return had!.length === has!.length && had!.every((position, i) => position === has![i])
      ? []
      : [{ section, outer }];
  });

/**
 * What a change of some answers can bear on: these fields, what hangs on them in turn, and the fields of
 * instances that begin or end. Nothing else need be looked at again.
 * @returns fields, each with the paths within which all of its instances may have changed
 */
export const reached = (
  before: Evaluation,
  after: Evaluation,
  changed: Iterable<FieldInstance>,
): Map<FieldPlace, Set<string>> => {
  const { index } = before;
  const { dependents } = logicOf(index);
  const found = new Map<FieldPlace, Set<string>>();
  const waiting: [FieldPlace, string][] = [];
  const reach = (place: FieldPlace, path: string) => {
    const paths = found.get(place) ?? new Set();
    if (paths.has(path) || paths.has('')) return;
    found.set(place, paths.add(path));
    waiting.push([place, path]);
  };
  for (const instance of changed) {
    reach(instance.place, instance.instance_path);
    for (const { section, outer } of turned(before, after, instance).slice(0, 1))
      for (const place of fieldsWithin(index, section)) reach(place, outer);
  }
  for (const [from, path] of waiting)
    for (const dependent of dependents.get(from.field.id) ?? []) {
      if ('field' in dependent) {
        reach(dependent.field, sharedPath(from.repeats, dependent.field.repeats, path));
        continue;
      }
      const { section, repeats } = dependent.section;
      const outer = sharedPath(from.repeats, section.repeat ? repeats.slice(0, -1) : repeats, path);
      for (const place of fieldsWithin(index, section)) reach(place, outer);
    }
  return found;
};
