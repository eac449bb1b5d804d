import { isAnswerable, limitsOf, type Question } from '../domain/content/content-index.ts';
import type {
  Comparison,
  Condition,
  Content,
  Field,
  FieldType,
  ResponseOption,
  Section,
  StartField,
} from '../schemas/templates/content.ts';
import {
  comparedWith,
  conditionExpression,
  expressionLiteral,
  type Reference,
  type Target,
} from './conditions.ts';
import { constraintOf } from './constraints.ts';
import {
  type Expression,
  ExpressionError,
  isDynamic,
  mapExpression,
  namesIn,
  parseExpression,
  printExpression,
} from './expressions.ts';
import { cellText, LONGEST_CELL } from './sheets.ts';
import { ownColumn } from './table.ts';

/** What a row of the survey is of. */
export type Part = Field | StartField | Section;

/** A row of a form, by its columns' names. */
export interface FormRow {
  cells: Map<string, string>;
  /** What the row is of; nothing for an end. */
  part: Part | undefined;
}

/** A list of choices, in the order of its options. */
export interface FormList {
  name: string;
  /** The response set's, the field's where they are its own, null where they are its type's. */
  of: { set: string } | { field: string } | null;
  title: string;
  options: readonly { name: string; option: ResponseOption }[];
}

/** A content in XLSForm's own columns, and `inspection::id`. */
export interface StandardForm {
  survey: FormRow[];
  lists: FormList[];
}

/** Names that a form has already, by id or key, and its lists' by that of the set or field. */
export interface Names {
  of: (id: string) => string | undefined;
  list: (id: string) => string | undefined;
}

const noNames: Names = { of: () => undefined, list: () => undefined };

/** A name that no other of `taken` is, whatever their case. */
const unique = (name: string, taken: Set<string>): string => {
  let found = name;
  for (let i = 2; taken.has(found.toLowerCase()); i += 1) found = `${name}_${i}`;
  taken.add(found.toLowerCase());
  return found;
};

/** A text as a name of XForms: ASCII letters, digits and underscores. */
const slug = (text: string, fallback: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_\d]+|_+$/g, '')
    .slice(0, 40)
    .replace(/_+$/, '') || fallback;

const choice = (value: string, label: string): ResponseOption => ({
  value,
  label,
  color: null,
  score: null,
  is_failed: false,
  is_na: false,
});

/** The answers of types that have them by themselves, as ODK needs them listed. */
const typeOptions: Partial<Record<FieldType, ResponseOption[]>> = {
  yes_no: [choice('yes', 'Yes'), choice('no', 'No')],
  yes_no_na: [choice('yes', 'Yes'), choice('no', 'No'), choice('na', 'N/A')],
  pass_fail_na: [choice('pass', 'Pass'), choice('fail', 'Fail'), choice('na', 'N/A')],
};

/** The types of ODK that are answered alike, with the appearance that tells them apart. */
const types: Record<FieldType, [type: string, appearance?: string]> = {
  text: ['text'],
  long_text: ['text', 'multiline'],
  barcode: ['barcode'],
  number: ['decimal'],
  slider: ['range'],
  rating: ['range', 'rating'],
  temperature: ['decimal'],
  yes_no: ['select_one'],
  checkbox: ['acknowledge'],
  yes_no_na: ['select_one'],
  pass_fail_na: ['select_one'],
  single_select: ['select_one'],
  multi_select: ['select_multiple'],
  date: ['date'],
  time: ['time'],
  datetime: ['dateTime'],
  photo: ['image'],
  video: ['video'],
  audio: ['audio'],
  file: ['file'],
  drawing: ['image', 'draw'],
  signature: ['image', 'signature'],
  geo_point: ['geopoint'],
  address: ['text', 'multiline'],
  member: ['text'],
  client_account: ['text'],
  location: ['text'],
  reference: ['text'],
  calculated: ['calculate'],
  instruction: ['note'],
};

/** Whether a text within an expression would be read as a reference. */
const hasReferenceInText = (expression: Expression): boolean => {
  let found = false;
  mapExpression(expression, (part) => {
    found ||= part.kind === 'text' && namesIn(part.text).length > 0;
    return undefined;
  });
  return found;
};

const listed = new Set<FieldType>(['yes_no', 'yes_no_na', 'pass_fail_na', 'single_select', 'multi_select']);

const nested = function* (sections: readonly Section[]): Generator<Section> {
  for (const section of sections) {
    yield section;
    yield* nested(section.sections);
  }
};

/**
 * A content as an XLSForm that ODK and KoboToolbox can show: what they know of it, as they know it.
 * @param given names that the form has already; without them they are made of the labels
 */
export const standardForm = (content: Content, given: Names = noNames): StandardForm => {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  const name = (id: string, text: string, fallback: string) =>
    names.set(id, given.of(id) ?? unique(slug(text, fallback), taken));
  for (const { key } of content.start.fields) {
    taken.add(key);
    names.set(key, given.of(key) ?? key);
  }
  for (const section of nested(content.sections)) {
    name(section.id, section.title, 'section');
    for (const field of section.fields) name(field.id, field.label, field.type);
  }

  // Lists
  const takenLists = new Set(Object.keys(typeOptions));
  const lists = new Map<string, FormList>();
  const addList = (
    key: string,
    of: FormList['of'],
    wanted: string,
    title: string,
    options: readonly ResponseOption[],
  ) => {
    const known = lists.get(key);
    if (known) return known;
    const used = new Set<string>();
    const isName = (value: string) =>
      /^\S+$/.test(value) && cellText(value) === value && !used.has(value.toLowerCase());
    const list: FormList = {
      name: given.list(key) ?? (of ? unique(wanted, takenLists) : wanted),
      of,
      title,
      options: options.map((option) => ({
        name: unique(isName(option.value) ? option.value : slug(option.value, 'option'), used),
        option,
      })),
    };
    lists.set(key, list);
    return list;
  };
  for (const { id, name, options } of content.response_sets)
    addList(id, { set: id }, slug(name, 'list'), name, options);
  const idOf = (question: Question) => ('id' in question ? question.id : question.key);
  const listOf = (question: Question): FormList | undefined => {
    const { type, options, response_set_id } = question;
    if (!listed.has(type)) return undefined;
    const shared = options || type === 'yes_no' ? undefined : lists.get(response_set_id ?? '');
    if (shared) return shared;
    const id = idOf(question);
    const own = options ?? undefined;
    const byType = typeOptions[type];
    return own || !byType
      ? addList(id, { field: id }, names.get(id)!, names.get(id)!, own ?? [])
      : addList(type, null, type, type, byType);
  };

  // References
  const questions = new Map<string, Question>();
  for (const field of content.start.fields) questions.set(field.key, field);
  for (const { fields } of nested(content.sections))
    for (const field of fields) questions.set(field.id, field);
  const find = (id: string): { name: string; target: Target } | undefined => {
    const question = questions.get(id);
    if (!question) return undefined;
    const options =
      listOf(question)?.options.map(({ name, option }) => ({ name, value: option.value })) ?? [];
    const failed = listOf(question)?.options.flatMap(({ option }) =>
      option.is_failed ? [option.value] : [],
    );
    const fails = !('fail_if' in question) || question.fail_if === null ? (failed ?? []) : [];
    const reference: Reference = 'id' in question ? { field_id: id } : { start_key: id };
    return {
      name: names.get(id)!,
      target: { reference, type: question.type, options, isOnce: true, failed: fails },
    };
  };
  const findReference = (reference: Reference | Comparison) =>
    find('field_id' in reference ? reference.field_id : reference.start_key);

  const written = (expression: Expression | undefined): string => {
    if (!expression || hasReferenceInText(expression)) return '';
    const text = printExpression(expression, (name) => `\${${name}}`);
    return text.length > LONGEST_CELL ? '' : text;
  };
  const conditionText = (condition: Condition | null) =>
    condition ? written(conditionExpression(condition, findReference)) : '';
  const formulaText = (formula: string): string => {
    try {
      let isKnown = true;
      const expression = mapExpression(parseExpression(formula), (part) =>
        comparedWith(part, (id) => find(id.toLowerCase())?.target, expressionLiteral),
      );
      const named = mapExpression(expression, (part) => {
        if (part.kind !== 'answer') return undefined;
        const name = names.get(part.name.toLowerCase());
        isKnown &&= name !== undefined;
        return name === undefined ? undefined : { kind: 'answer', name };
      });
      return isKnown ? written(named) : '';
    } catch (error) {
      if (error instanceof ExpressionError) return '';
      throw error;
    }
  };

  const defaultText = (question: Question): string => {
    const value = question.default_value;
    const nameOf = (value: unknown) =>
      listOf(question)?.options.find(({ option }) => option.value === value)?.name ?? '';
    if (value === null) return '';
    if (listed.has(question.type) && question.type !== 'yes_no')
      return Array.isArray(value) ? value.map(nameOf).join(' ') : nameOf(value);
    if (question.type === 'checkbox') return value === true ? 'OK' : '';
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (question.type === 'geo_point' && typeof value === 'object') {
      const { lat, lng, accuracy_m } = value as { lat?: number; lng?: number; accuracy_m?: number | null };
      return `${lat} ${lng} 0 ${accuracy_m ?? 0}`;
    }
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    return isDynamic(text) ? '' : text;
  };

  const rowOf = (part: Part | undefined, cells: Record<string, string>): FormRow => ({
    cells: new Map(
      Object.entries(cells).flatMap(([column, text]) => (text === '' ? [] : [[column, cellText(text)]])),
    ),
    part,
  });

  const questionRow = (question: Field | StartField): FormRow => {
    const { type } = question;
    const [plain, appearance = ''] = types[type];
    const list = listOf(question);
    const { min, max, step } = limitsOf(question);
    const isRange = plain === 'range';
    const isWhole = type === 'number' && step === 1 && Number.isInteger(min ?? 0);
    const formula = 'formula' in question && question.formula ? formulaText(question.formula) : '';
    const isAsked = isAnswerable(question);
    const required_if = 'required_if' in question ? question.required_if : null;
    return rowOf(question, {
      type: list ? `${plain} ${list.name}` : isWhole ? 'integer' : plain,
      name: names.get(idOf(question))!,
      label: question.label,
      hint: question.help_text ?? '',
      required: !isAsked ? '' : question.required ? 'yes' : conditionText(required_if),
      relevant: conditionText(question.visible_if),
      constraint: isRange ? '' : written(constraintOf(type, question)),
      calculation: formula,
      default: isAsked ? defaultText(question) : '',
      appearance,
      parameters: isRange ? `start=${min} end=${max} step=${step}` : '',
      ...('id' in question && { [ownColumn('id')]: question.id }),
    });
  };

  const sectionRows = (section: Section): FormRow[] => {
    const { repeat } = section;
    const kind = repeat ? 'repeat' : 'group';
    return [
      rowOf(section, {
        type: `begin ${kind}`,
        name: names.get(section.id)!,
        label: section.title,
        hint: section.description ?? '',
        relevant: conditionText(section.visible_if),
        repeat_count: repeat && repeat.min === repeat.max ? String(repeat.min) : '',
        [ownColumn('id')]: section.id,
      }),
      ...section.fields.map(questionRow),
      ...section.sections.flatMap(sectionRows),
      rowOf(undefined, { type: `end ${kind}` }),
    ];
  };

  const start = content.start.fields.map(questionRow);
  const around = start.length > 0 && {
    begin: rowOf(undefined, {
      type: 'begin group',
      name: unique('start_of_inspection', taken),
      label: 'Start',
      [ownColumn('start')]: 'true',
    }),
    end: rowOf(undefined, { type: 'end group' }),
  };
  const survey = [
    ...(around ? [around.begin, ...start, around.end] : []),
    ...content.sections.flatMap(sectionRows),
  ];
  return { survey, lists: [...lists.values()] };
};
