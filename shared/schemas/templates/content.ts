import * as z from 'zod';
import { Uuid } from '../common.ts';

/**
 * Deeper JSON, which a patch of a few lines can build, is refused before it is parsed: the schemas recurse, and a
 * stack overflow would be a 500.
 */
const DEEPEST_JSON = 64;

/** Items of all its lists: each that is wrong is a problem of its own, and millions would take minutes to find. */
const MOST_ITEMS = 100_000;

/** Instances that one repeat section may have in one parent. */
export const MOST_INSTANCES = 1_000;

const Id = Uuid.toLowerCase();
const Key = z
  .string()
  .regex(/^[a-z][a-z0-9_]*$/)
  .max(100);
const Title = z.string().trim().min(1).max(500);
const LongText = z.string().max(5_000);
const Percentage = z.number().min(0).max(100);

/** A part that may be left out or null; both read as null. */
const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(() => null);

/** `failed`, or the value of one of the field's options (`true` or `false` for a yes_no and a checkbox). */
const Triggers = z.array(z.string().max(200)).max(100).default([]);

export const FieldType = z.enum([
  'text',
  'long_text',
  'barcode',
  'number',
  'slider',
  'rating',
  'temperature',
  'yes_no',
  'checkbox',
  'yes_no_na',
  'pass_fail_na',
  'single_select',
  'multi_select',
  'date',
  'time',
  'datetime',
  'photo',
  'video',
  'audio',
  'file',
  'drawing',
  'signature',
  'geo_point',
  'address',
  'member',
  'client_account',
  'location',
  'reference',
  'calculated',
  'instruction',
]);
export type FieldType = z.output<typeof FieldType>;

const operators = ['eq', 'ne', 'in', 'not_in', 'gt', 'gte', 'lt', 'lte', 'contains', 'not_empty'] as const;

const scalars = [z.string().max(5_000), z.number(), z.boolean()] as const;
const Operand = z.union([...scalars, z.array(z.union(scalars)).max(1_000)]);
export type Operand = z.output<typeof Operand>;

const ordering = new Set(['gt', 'gte', 'lt', 'lte']);

/** Says what is wrong with the operand of a comparison, or nothing. */
const operandFault = (op: string, value: Operand | null | undefined): string | undefined => {
  const list = Array.isArray(value);
  if (['empty', 'not_empty', 'failed'].includes(op))
    return value === undefined || value === null ? undefined : `${op} takes no value`;
  if (value === undefined || value === null) return `${op} needs a value`;
  if (op === 'in' || op === 'not_in')
    return list && value.length > 0 ? undefined : `${op} needs a list of values`;
  if (op === 'outside') {
    const [lowest, highest, ...others] = list ? value : [];
    const isRange = typeof lowest === 'number' && typeof highest === 'number' && lowest <= highest;
    return isRange && others.length === 0 ? undefined : 'outside needs two numbers, [lowest, highest]';
  }
  if (ordering.has(op) && (list || typeof value === 'boolean'))
    return `${op} needs a number or a date, time or date-time`;
  return undefined;
};

export const FailRule = z
  .strictObject({
    op: z.enum([...operators, 'outside']),
    value: Operand.nullish(),
  })
  .check(({ value: rule, issues }) => {
    const fault = operandFault(rule.op, rule.value);
    if (fault)
      issues.push({ code: 'custom', message: `Value error, ${fault}`, input: rule.value, path: ['value'] });
  })
  .meta({
    id: 'FailRule',
    description:
      "When a field's own answer fails. The operators of a condition, and `outside` with `[lowest, highest]` for a tolerance whose bounds still conform. An empty answer never fails.",
  });
export type FailRule = z.output<typeof FailRule>;

const ConditionOp = z.enum([...operators, 'empty', 'failed']);

/** Compares one answer, of a field or of a start field. */
export type Comparison = { op: z.output<typeof ConditionOp>; value?: Operand | null | undefined } & (
  | { field_id: string }
  | { start_key: string }
);

export type Condition = { all: Condition[] } | { any: Condition[] } | Comparison;

const targets = ['all', 'any', 'field_id', 'start_key'] as const;

// One object instead of a union of its four forms: a union reports a mistake ten levels down at the root.
export const Condition = z
  .strictObject({
    get all(): z.ZodOptional<z.ZodArray<z.ZodType<Condition>>> {
      return z.array(Condition).min(1).max(100).optional();
    },
    get any(): z.ZodOptional<z.ZodArray<z.ZodType<Condition>>> {
      return z.array(Condition).min(1).max(100).optional();
    },
    field_id: Id.optional(),
    start_key: Key.optional(),
    op: ConditionOp.optional(),
    value: Operand.nullish(),
  })
  .check(({ value: condition, issues }) => {
    const report = (message: string, ...path: string[]) =>
      issues.push({ code: 'custom', message: `Value error, ${message}`, input: condition, path });
    const given = targets.filter((target) => condition[target] !== undefined);
    if (given.length !== 1) report('a condition has exactly one of all, any, field_id and start_key');
    else if (condition.all || condition.any) {
      if (condition.op !== undefined) report('all and any take no op', 'op');
      if (condition.value !== undefined) report('all and any take no value', 'value');
    } else if (condition.op === undefined)
      issues.push({ code: 'invalid_type', expected: 'string', input: undefined, path: ['op'] });
    else {
      const fault = operandFault(condition.op, condition.value);
      if (fault) report(fault, 'value');
    }
  })
  .meta({
    id: 'Condition',
    description:
      'Holds when all or any of its conditions do, or when the answer of the field (or start field) compares so with `value`. For example `{"any": [{"field_id": "019cade0-51c2-7000-8000-000000000001", "op": "failed"}, {"start_key": "kind", "op": "in", "value": ["full", "first"]}]}`. `in` and `not_in` take a list; `empty`, `not_empty` and `failed` take no value. At most 10 levels. Inside a repeat, a field of the same repeat means the same instance; of a repeat one does not stand in, any instance will do. Publishing refuses operators and values that never hold of the field’s type, and conditions and formulas that depend on themselves or on each other over more than 500 steps.',
    oneOf: targets.map((target) => ({
      required: target === 'all' || target === 'any' ? [target] : [target, 'op'],
    })),
  }) as unknown as z.ZodType<Condition>;

export const ResponseOption = z
  .strictObject({
    value: z.string().min(1).max(200),
    label: Title,
    color: orNull(z.string().regex(/^#[0-9a-fA-F]{6}$/)),
    score: orNull(z.number().min(-1_000_000).max(1_000_000)),
    is_failed: z.boolean().default(false),
    is_na: z.boolean().default(false),
  })
  .meta({
    id: 'ResponseOption',
    description:
      'A choice. `is_failed` makes the answer a failed one, `is_na` a not applicable one, which stands alone and is never scored.',
  });
export type ResponseOption = z.output<typeof ResponseOption>;

const Options = z.array(ResponseOption).max(1_000);

export const ResponseSet = z
  .strictObject({ id: Id, name: Title, options: Options })
  .meta({ id: 'ResponseSet', description: 'Options that several choice fields share.' });
export type ResponseSet = z.output<typeof ResponseSet>;

export const MediaKind = FieldType.extract(['photo', 'video', 'audio', 'file', 'drawing']);

export const MediaRule = z
  .strictObject({
    kinds: orNull(z.array(MediaKind).min(1)),
    min: z.int().min(0).max(50).default(0),
    max: z.int().min(1).max(50).default(50),
    required_on: Triggers,
  })
  .meta({
    id: 'MediaRule',
    description:
      'How many media an answer carries: in its value for photo, video, audio, file and drawing fields, beside it for all others. `required_on` limits `min` (then at least 1) to failed answers or to certain options; without it `min` holds for every answer. `kinds` null allows any.',
  });
export type MediaRule = z.output<typeof MediaRule>;

export const Priority = z.enum(['low', 'medium', 'high', 'critical']);
export const Severity = z.enum(['observation', 'minor', 'major', 'critical']);
export type Severity = z.output<typeof Severity>;

export const FindingRule = z
  .strictObject({
    create: z.enum(['never', 'prompt', 'auto']).default('never'),
    label: orNull(Title),
    severity: Severity.default('minor'),
    corrective_action: orNull(
      z.strictObject({
        title: Title,
        due_in_days: orNull(z.int().min(0).max(3_650)),
        priority: Priority.default('medium'),
      }),
    ),
  })
  .meta({ id: 'FindingRule', description: 'What a failed answer leads to. `label` null takes the field’s.' });

export const ReferenceRule = z
  .strictObject({ target_ref: z.enum(['locations', 'members', 'client_accounts', 'response_sets']) })
  .meta({ id: 'ReferenceRule', description: 'Which synced rows a reference field offers.' });

const question = {
  label: Title,
  help_text: orNull(LongText),
  required: z.boolean().default(false),
  visible_if: orNull(Condition),
  default_value: z
    .unknown()
    .default(null)
    .describe(
      'What a client offers at first, in the form of an answer’s `value`. The service saves only what is sent.',
    ),
  response_set_id: orNull(Id),
  options: orNull(Options),
  min: orNull(z.number()),
  max: orNull(z.number()),
  step: orNull(z.number()),
  unit: orNull(z.string().max(50)),
  pattern: orNull(z.string().max(500)),
  max_length: orNull(z.int().min(1).max(20_000)),
};

const FORMULA = [
  'What a calculated field shows: an expression over answers, parsed when the template is published and never run as code. For example `round(sum({019cade0-51c2-7000-8000-000000000001}) / {area}, 1)`.',
  "Operands: `{id}` (or `${id}`) the answer of a field, `{key}` (or `${key}`) of a start field, numbers, texts in single or double quotes. A field of the repeat that the calculated field stands in means the same instance; one of a repeat it does not stand in stands alone within `sum`, `count`, `min` or `max`, which take every instance. Answers that are numbers, texts, booleans, choices, dates, times or another calculated field's result can be operands.",
  'Operators, loosest first: `or` `||`; `and` `&&`; `=` `==` `!=` `<>`; `<` `<=` `>` `>=`; `+` `-`; `*` `/` `div` `%` `mod`; the signs `-` and `!`. Comparisons do not chain.',
  'Functions: sum, count, min, max, round(x, digits) half up, abs, floor, ceil, ceiling, int (towards zero), number, string, concat, coalesce, selected(list, option), count_selected(list), string_length, contains, starts_with, ends_with, substr(text, start, end) counted from 0, if(condition, then, else), not, true(), false(); `-` may stand for `_`. Nothing depends on the time or on chance.',
  "Arithmetic is exact; a result has at most 15 significant digits, is nothing beyond ±1e15, and 0 nearer to it than 1e-15. A boolean counts 1 or 0, a text that writes a decimal number (such as an option) counts as it. No answer, any other text and a division by zero make the result nothing. Comparing with nothing gives nothing, save that `= ''` and `!= ''` tell whether something is answered. `sum`, `count`, `min`, `max`, `concat` and `coalesce` leave out what is not answered; without any answer `sum` and `count` are 0. In `if`, `and`, `or` and `not`, nothing counts as false. An answer of a hidden field is none. Texts end after 1,000 characters. At most 50 levels.",
].join('\n\n');

const WEIGHT = 'Counts in the weighted method alone; 0 leaves it out of the score.';

const MAX_SCORE = [
  'What a field can earn: `max_score`, else the highest `score` of its options (of a multi_select the sum of the positive ones), else 1 where it can fail, by `fail_if` or a failed option. Without any of these, or at 0, it is not scored.',
  'What an answer earns, never less than 0 or more than that: where an option has a positive score, the score of the chosen option, or the sum of the chosen ones (none is 0); a failed answer 0, one that `fail_if` lets pass everything; false 0 and true everything; a number with an upper limit above 0 (`max`, or that of a rating or slider) its proportion of that limit; the number that a formula gives, itself; any other answer everything.',
].join('\n\n');

export const StartField = z
  .strictObject({
    key: Key,
    type: FieldType.exclude(['reference', 'calculated']),
    ...question,
  })
  .meta({
    id: 'StartField',
    description:
      'A question answered when the inspection is set up, addressed by its key. Everything but key, type and label has a default: `required` false, all else null.',
  });
export type StartField = z.output<typeof StartField>;

export const Field = z
  .strictObject({
    id: Id,
    type: FieldType,
    ...question,
    required_if: orNull(Condition),
    weight: z.number().min(0).max(1_000_000).default(1).describe(WEIGHT),
    max_score: orNull(z.number().min(0).max(1_000_000)).describe(MAX_SCORE),
    critical: z
      .boolean()
      .default(false)
      .describe('Whether a failed answer fails the whole inspection, whatever its percentage.'),
    allow_na: z
      .boolean()
      .default(false)
      .describe('Whether the field may be marked not applicable; that of a section around it will do.'),
    note_required_on: Triggers,
    media: orNull(MediaRule),
    fail_if: orNull(FailRule),
    finding: orNull(FindingRule),
    reference: orNull(ReferenceRule),
    formula: orNull(z.string().max(2_000)).describe(FORMULA),
    report: z.strictObject({ visible: z.boolean().default(true) }).prefault({}),
  })
  .meta({
    id: 'Field',
    description:
      'A question of a section. Everything but id, type and label has a default: `weight` 1, `report.visible` true, `note_required_on` [], the other booleans false, all else null. A rating runs from 1 to 5 and a slider from 0 to 100, in steps of 1, unless min, max and step say otherwise. yes_no_na and pass_fail_na without options offer yes, no, na and pass, fail, na; no and fail are failed answers. `pattern` is an ECMAScript regular expression (flag u) that the whole text has to match; it limits the text to 200 characters.',
  });
export type Field = z.output<typeof Field>;

export const Repeat = z
  .strictObject({
    min: z.int().min(0).max(100).default(0),
    max: z.int().min(1).max(MOST_INSTANCES).default(MOST_INSTANCES),
    label_field_id: orNull(Id),
  })
  .meta({
    id: 'Repeat',
    description:
      'The section is answered once per instance, of which there are at least `min` from the start. `label_field_id` names the field whose answer titles it. By their `min`, all repeats ask for at most 20,000 answers.',
  });

const section = {
  id: Id,
  title: Title,
  description: orNull(LongText),
  weight: z.number().min(0).max(1_000_000).default(1).describe(WEIGHT),
  passing_score: orNull(Percentage).describe(
    'The percentage of the section, in all its instances, below which the whole inspection fails.',
  ),
  allow_na: z
    .boolean()
    .default(false)
    .describe('Whether every field in the section, nested ones included, may be marked not applicable.'),
  visible_if: orNull(Condition),
  participant_role: orNull(z.enum(['inspector', 'lead', 'approver', 'signatory'])).describe(
    'Whom of the participants the section is meant for, as clients may show it; nobody else is kept from it.',
  ),
  repeat: orNull(Repeat),
  fields: z.array(Field).default([]),
};

export interface Section extends z.output<z.ZodObject<typeof section>> {
  sections: Section[];
}

export const Section: z.ZodType<Section> = z
  .strictObject({
    ...section,
    get sections(): z.ZodDefault<z.ZodArray<z.ZodType<Section>>> {
      return z.array(Section).default([]);
    },
  })
  .meta({
    id: 'Section',
    description:
      'Fields, then sections within it, at most 5 levels. Everything but id and title has a default: `weight` 1, `allow_na` false, `fields` and `sections` [], all else null.',
  });

export const Scoring = z
  .strictObject({
    enabled: z.boolean().default(false),
    method: z
      .enum(['points', 'weighted', 'count'])
      .default('points')
      .describe(
        '`points`: what all fields earn of what they could. `weighted`: in each section the mean of its items, which are fields (what each earns of what it could) and the sections within it, by their weights; the total is the mean of the outermost sections by theirs. A section is one item however often it repeats: the fields of all its instances stand in it together. `count`: of the fields that can fail, those that conform, each counting 1.',
      ),
    passing_score: orNull(Percentage).describe('The percentage below which the inspection fails.'),
    unanswered: z
      .enum(['zero', 'exclude'])
      .default('zero')
      .describe(
        'Whether a field without an answer earns nothing (and counts as failed), or leaves the score.',
      ),
    decimals: z.int().min(0).max(4).default(1).describe('Of percentages.'),
  })
  .meta({
    id: 'Scoring',
    description:
      'How the inspection is scored. Off unless enabled. Every instance of a repeat counts; hidden fields and those not applicable leave the score, and so does a section in which nothing is left. Where nothing is left at all, the percentage is null. Percentages are compared as they are and rounded, half up, only to be shown. The result is fail where a critical field failed, or a section or the whole is below its passing score; null where nothing is left; else pass.',
  });
export type Scoring = z.output<typeof Scoring>;

/** As XLSForm names it in its headers, where a colon would end it: `fr`, `French (fr)`. */
export const LanguageName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{C}\p{Z}:]+(?: [^\p{C}\p{Z}:]+)*$/u);

export const MOST_TRANSLATIONS = 20;

export const TranslatedText = z
  .strictObject({
    id: z
      .string()
      .toLowerCase()
      .min(1)
      .max(100)
      .describe('Of a section, a field or a response set; the key of a start field.'),
    title: orNull(Title),
    description: orNull(LongText),
    label: orNull(Title),
    help_text: orNull(LongText),
    options: z
      .array(z.strictObject({ value: z.string().min(1).max(200), label: Title }))
      .max(1_000)
      .default([]),
  })
  .meta({
    id: 'TranslatedText',
    description:
      'What a part says in another language, as far as it is translated: title and description of a section, label and help_text of a field or start field, and the labels of the options that it, or a response set, has itself.',
  });
export type TranslatedText = z.output<typeof TranslatedText>;

export const Translation = z
  .strictObject({ language: LanguageName, texts: z.array(TranslatedText).default([]) })
  .meta({
    id: 'Translation',
    description:
      'The texts of a content in another language. Each language, and each part within it, is given once. What is not translated is shown as it stands in the content.',
  });
export type Translation = z.output<typeof Translation>;

export const Translations = z.array(Translation).max(MOST_TRANSLATIONS);

/** Says in what a JSON value exceeds any content, or nothing. */
const excessOf = (json: unknown): string | undefined => {
  let items = 0;
  let level = [json];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > DEEPEST_JSON) return `nested deeper than ${DEEPEST_JSON} levels`;
    for (const value of level) if (Array.isArray(value)) items += value.length;
    if (items > MOST_ITEMS) return `all lists together have more than ${MOST_ITEMS} items`;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return undefined;
};

/** Whether a JSON value is nested deeper, or has more items in its lists, than any content. */
export const isTooDeep = (json: unknown): boolean => excessOf(json) !== undefined;

/**
 * What a template version asks: parsing fills in the defaults, so every key of the result is present, ids are
 * lower-case, and null says "not set". What the form alone cannot tell is in `structureProblems` (each save)
 * and `publishProblems` (publish).
 */
export const Content = z
  .preprocess(
    (input, context) => {
      const excess = excessOf(input);
      if (excess === undefined) return input;
      context.addIssue({ code: 'custom', message: `Value error, ${excess}` });
      return z.NEVER;
    },
    z.strictObject({
      schema_version: z.literal(1).default(1),
      start: z.strictObject({ fields: z.array(StartField).max(200).default([]) }).prefault({}),
      sections: z.array(Section).default([]),
      response_sets: z.array(ResponseSet).max(500).default([]),
      scoring: Scoring.prefault({}),
      language: orNull(LanguageName).describe(
        'Which language the labels themselves are in, such as `en` or `English (en)`.',
      ),
      translations: Translations.default([]),
    }),
  )
  .meta({
    id: 'Content',
    description:
      'The questions of a template version. At most 5,000 fields in 300 sections, and 100,000 items in all lists together. Every part has a default, so `{"sections": [{"id", "title", "fields": [{"id", "type", "label"}]}]}` is a complete content.',
  });
export type Content = z.output<typeof Content>;
