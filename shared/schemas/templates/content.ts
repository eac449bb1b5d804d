import * as z from 'zod';
import { ParticipantRole, Priority, Severity, MAX_MEDIA, Title, Uuid } from '../common.ts';
import { contentExcess } from './content-size.ts';

/** Instances of one repeat section within one instance of its parent. */
const MAX_INSTANCES = 1_000;

/** Options of one field or response set, and values that one comparison lists. */
export const MAX_OPTIONS = 1_000;

/** Attributes of one option. */
const MAX_ATTRIBUTES = 20;

/** Characters of an option's value, and of one of its attributes. */
const MAX_OPTION_VALUE = 200;

/** Characters of a longer text, such as a help text. */
const MAX_LONG_TEXT = 5_000;

/** Conditions within one `all` or `any`. */
const MAX_CONDITIONS = 100;

/** Characters of a name in an XLSForm. */
const MAX_NAME = 200;

/** The absolute value of a score. */
const MAX_SCORE = 1_000_000;

const Id = Uuid.toLowerCase();
const Key = z
  .string()
  .regex(/^[a-z][a-z0-9_]*$/)
  .max(100);
const LongText = z.string().max(MAX_LONG_TEXT);

/** A name as XML has it (Namespaces in XML 1.0, section 3), which XForms need. */
export const PartName = z
  .string()
  .regex(/^[\p{L}_][\p{L}\p{N}\p{M}_.-]*$/u)
  .max(MAX_NAME)
  .describe(
    'What XLSForms call it. An import keeps the name of the row, an export writes it. Without one, an export makes a name of the label.',
  );
const Percentage = z.number().min(0).max(100);

const PIPING =
  'The titles, labels and texts of sections, fields and start fields can refer to answers: `${id}` means the answer to a field and `${key}` that to a start field, in the same instance of repeat sections. Reports show the answer there, or `…` while it is missing, and so do the messages of a 422 and the blockers of a submission. Clients are expected to do the same.';

/** A part that may be left out or null; both are parsed as null. */
const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(() => null);

/** Each is `failed` or the value of one of the field's options (`true` or `false` for a yes_no and a checkbox). */
const Triggers = z.array(z.string().max(MAX_OPTION_VALUE)).max(100).default([]);

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

const scalars = [z.string().max(MAX_LONG_TEXT), z.number(), z.boolean()] as const;
const Operand = z.union([...scalars, z.array(z.union(scalars)).max(MAX_OPTIONS)]);
export type Operand = z.output<typeof Operand>;

const ordering = new Set(['gt', 'gte', 'lt', 'lte']);

/** What is wrong with the operand of a comparison; undefined when it is right. */
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
      'When an answer fails, by comparing it with `value`. The operators are those of a condition, and `outside` with `[lowest, highest]`: an answer below or above these bounds fails. An empty answer never fails.',
  });
export type FailRule = z.output<typeof FailRule>;

const ConditionOp = z.enum([...operators, 'empty', 'failed']);

/** Compares the answer of a field or of a start field. */
export type Comparison = { op: z.output<typeof ConditionOp>; value?: Operand | null | undefined } & (
  | { field_id: string }
  | { start_key: string }
);

export type Condition = { all: Condition[] } | { any: Condition[] } | Comparison;

const targets = ['all', 'any', 'field_id', 'start_key'] as const;

// One object instead of a union of four forms, because a union reports every mistake at its root, even one ten levels
// down.
export const Condition = z
  .strictObject({
    get all(): z.ZodOptional<z.ZodArray<z.ZodType<Condition>>> {
      return z.array(Condition).min(1).max(MAX_CONDITIONS).optional();
    },
    get any(): z.ZodOptional<z.ZodArray<z.ZodType<Condition>>> {
      return z.array(Condition).min(1).max(MAX_CONDITIONS).optional();
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
      'Is true when all or any of its conditions are true, or when the answer of the field (or start field) compares with `value` as `op` says. For example `{"any": [{"field_id": "019cade0-51c2-7000-8000-000000000001", "op": "failed"}, {"start_key": "kind", "op": "in", "value": ["full", "first"]}]}`. `in` and `not_in` take a list; `empty`, `not_empty` and `failed` take no value. At most 10 levels. In a repeat section, a field of the same section means the same instance. For a field of any other repeat section, the comparison is true when it is true for at least one instance. Publishing refuses comparisons that are never true for the type of the field, and conditions and formulas that depend on themselves or on a chain of more than 500 others.',
    oneOf: targets.map((target) => ({
      required: target === 'all' || target === 'any' ? [target] : [target, 'op'],
    })),
  }) as unknown as z.ZodType<Condition>;

export const ResponseOption = z
  .strictObject({
    value: z.string().min(1).max(MAX_OPTION_VALUE),
    label: Title,
    color: orNull(z.string().regex(/^#[0-9a-fA-F]{6}$/)),
    score: orNull(z.number().min(-MAX_SCORE).max(MAX_SCORE)),
    is_failed: z.boolean().default(false),
    is_na: z.boolean().default(false),
    attributes: z
      .record(PartName, z.string().max(MAX_OPTION_VALUE))
      .refine((attributes) => Object.keys(attributes).length <= MAX_ATTRIBUTES, {
        message: `an option has at most ${MAX_ATTRIBUTES} attributes`,
      })
      .optional()
      .describe('What the `choice_filter` of a field asks for, such as `{"state": "texas"}`.'),
    finding_severity: Severity.optional().describe(
      'The severity of the finding when this option fails, instead of the `severity` of the field’s `finding`. For several failed options, the most severe counts. While nobody has worked on the finding, it follows the answer.',
    ),
  })
  .meta({
    id: 'ResponseOption',
    description:
      'A choice. With `is_failed` the answer fails. With `is_na` the answer is not applicable: it excludes other choices and is not scored.',
  });
export type ResponseOption = z.output<typeof ResponseOption>;

const Options = z.array(ResponseOption).max(MAX_OPTIONS);

export const ResponseSet = z
  .strictObject({
    id: Id,
    name: Title,
    options: Options,
    source_id: Id.optional().describe(
      'A source with the target `response_sets`. Publishing replaces `options` by its active rows, in the order of their labels. Until then, `options` may be empty; previews show what it has.',
    ),
  })
  .meta({ id: 'ResponseSet', description: 'Options that several choice fields share.' });
export type ResponseSet = z.output<typeof ResponseSet>;

export const MediaKind = FieldType.extract(['photo', 'video', 'audio', 'file', 'drawing']);

export const MediaRule = z
  .strictObject({
    kinds: orNull(z.array(MediaKind).min(1)),
    min: z.int().min(0).max(MAX_MEDIA).default(0),
    max: z.int().min(1).max(MAX_MEDIA).default(MAX_MEDIA),
    required_on: Triggers,
  })
  .meta({
    id: 'MediaRule',
    description:
      'How many media an answer must and may have: in its value for photo, video, audio, file and drawing fields, and beside its value for all others. With `required_on`, `min` (at least 1) applies only to failed answers or to certain options; without it, to every answer. `kinds` null allows any kind.',
  });
export type MediaRule = z.output<typeof MediaRule>;

const PLACEHOLDERS =
  'The label of the finding. It may contain `{instance}` and `{field:<field_id>}`. `{instance}` is the title of the instance of the repeat section: the answer to its `label_field_id`, or else its number, from 1. In nested repeat sections it is the titles of all, the outermost first, as in `Kitchen / 2`. `{field:<field_id>}` is the answer to a field, in the same instance or around it, or `…` while it is missing. Answers are written in the content’s own language. The text is made when the finding is created. It does not follow later answers, and is cut at 500 characters. Publishing refuses other names in braces, and fields whose answer cannot be shown there or that reports hide.';

/** The longest time until a due date, in days. */
const MAX_DUE_DAYS = 3_650;

const DueDuration = z
  .string()
  .regex(/^(P\d{1,4}D|PT[1-9]\d{0,4}H)$/, 'Value error, not a duration such as P30D or PT24H')
  .refine(
    (text) => Number.parseInt(text.replace(/^\D+/, ''), 10) <= MAX_DUE_DAYS * (text.endsWith('H') ? 24 : 1),
    {
      error: `Value error, must be at most ${MAX_DUE_DAYS} days`,
    },
  )
  .meta({
    description: 'An ISO 8601 duration: days of the calendar (`P30D`), or exact hours (`PT24H`).',
    examples: ['P30D'],
  });

/** A value for some of the severities. */
const bySeverity = <Value extends z.ZodType>(value: Value) =>
  z.strictObject({ observation: value, minor: value, major: value, critical: value }).partial();

export const FindingRule = z
  .strictObject({
    create: z.enum(['never', 'prompt', 'auto']).default('never'),
    label: orNull(Title).describe(PLACEHOLDERS),
    severity: Severity.default('minor'),
    corrective_action: orNull(
      z.strictObject({
        title: Title.describe(PLACEHOLDERS),
        due_in_days: orNull(z.int().min(0).max(MAX_DUE_DAYS)).describe(
          'Days until the action is due; null for no due date. By itself, a day is 24 hours from the creation of the finding. With `due_by_severity` or `business_days` it is a day of the calendar, as `P<days>D` for every severity that `due_by_severity` leaves out.',
        ),
        due_by_severity: bySeverity(DueDuration)
          .optional()
          .describe(
            'How long after the visit the action is due, by the severity of the finding. The visit is `client_answered_at` of the failed answer, or else the time at which it was saved. For an answer that failed while its field was hidden, it is the time at which the field is shown. Days end with the local day, in the time zone of the location, or else of the organization; hours are exact. While nobody has worked on the finding and the action, the due date follows the severity that the answer gives.',
          ),
        business_days: z
          .boolean()
          .optional()
          .describe(
            'Counts days without those in the `weekend_days` of the organization; hours are not affected. A due date of zero days on such a day is the next day that is none.',
          ),
        priority: Priority.default('medium'),
        priority_by_severity: bySeverity(Priority)
          .optional()
          .describe('The priority by the severity of the finding, instead of `priority`.'),
        evidence_required: z
          .boolean()
          .optional()
          .describe(
            'Whether the action needs an attachment of stage `after` before it can be completed, and every action that is completed on site for a finding of the field.',
          ),
      }),
    ),
  })
  .meta({
    id: 'FindingRule',
    description:
      'What happens when the answer fails: `auto` creates a finding, `prompt` leaves it to clients to propose one, `never` does neither. With `label` null the finding has the label of the field.',
  });

export const ReferenceRule = z
  .strictObject({
    target_ref: z.enum(['locations', 'members', 'client_accounts', 'response_sets']),
    source_id: Id.optional().describe(
      'The one source whose rows are offered; those of all sources with this target when left out. It has to exist when the template is published.',
    ),
  })
  .meta({
    id: 'ReferenceRule',
    description:
      'Which rows of other systems a reference field offers. An answer names one of them: `GET /integrations/connections/{connection_id}/sources` lists where they come from.',
  });

const question = {
  name: PartName.optional(),
  label: Title.describe(PIPING),
  help_text: orNull(LongText),
  required: z.boolean().default(false),
  visible_if: orNull(Condition),
  default_value: z
    .unknown()
    .default(null)
    .describe(
      'The value that a client shows before the field is answered, in the form of an answer’s `value`. The service does not save it by itself.',
    ),
  response_set_id: orNull(Id),
  options: orNull(Options),
  min: orNull(z.number()),
  max: orNull(z.number()),
  step: orNull(z.number()),
  unit: orNull(z.string().max(50)),
  pattern: orNull(z.string().max(500)),
  max_length: orNull(z.int().min(1).max(20_000)),
  constraint_message: LongText.optional().describe(
    'What the 422 for an answer says, instead of a message of the service, when the answer breaks a limit (`min`, `max`, `step`, `pattern`, `max_length`) or the `constraint`. The blockers of a submission name it too.',
  ),
  required_message: LongText.optional().describe(
    'What the blockers of a submission say of the field while its required answer is missing.',
  ),
};

/** Characters of an expression: a formula, or a constraint. */
const MAX_EXPRESSION = 2_000;

const FORMULA = [
  'The value of a calculated field: an expression over answers. It is parsed when the template is published and never run as code. For example `round(sum({019cade0-51c2-7000-8000-000000000001}) / {area}, 1)`.',
  'Operands: `{id}` (or `${id}`) for the answer of a field, `{key}` (or `${key}`) for a start field, numbers, and texts in single or double quotes. A field of a repeat section that also contains the calculated field means the same instance. A field of any other repeat section can only be the whole argument of `sum`, `count`, `count_instances`, `min` or `max`, which use every instance. Operands can be answers that are numbers, texts, booleans, choices, dates or times, and results of other calculated fields.',
  'Operators, from the lowest precedence: `or` `||`; `and` `&&`; `=` `==` `!=` `<>`; `<` `<=` `>` `>=`; `+` `-`; `*` `/` `div` `%` `mod`; the signs `-` and `!`. Comparisons cannot be chained.',
  'Functions: sum, count (of answers), count_instances (of a repeat section, answered or not), min, max, round(x, digits) (half up), abs, floor, ceil, ceiling, int (towards zero), number, string, concat, coalesce, selected(list, option), count_selected(list), string_length, contains, starts_with, ends_with, substr(text, start, end) (counted from 0), if(condition, then, else), not, true(), false(). `-` can replace `_`. No function depends on time or chance.',
  "Arithmetic is exact. A result has at most 15 significant digits; beyond ±1e15 it is empty, and within ±1e-15 it is 0. `+` and `-` also move a date by whole days, and the difference of two dates is their distance in days. A boolean counts as 1 or 0, and a text that is a decimal number (such as an option) counts as that number. A missing answer, any other text and a division by zero make the result empty. A comparison with an empty value is empty, but `= ''` and `!= ''` test whether a field is answered. A date is compared with a date-time by the date in it. `sum`, `count`, `min`, `max`, `concat` and `coalesce` ignore missing answers; without any answer, `sum` and `count` are 0. In `if`, `and`, `or` and `not`, empty counts as false. The answer of a hidden field counts as missing. Texts are cut after 1,000 characters. At most 50 levels.",
].join('\n\n');

const CONSTRAINT = [
  'What every answer to the field has to meet: an expression in the language of `formula`, in which the id of the field itself means the answer that is checked. For example `{019cade0-51c2-7000-8000-000000000002} <= {019cade0-51c2-7000-8000-000000000001}`, or `{019cade0-51c2-7000-8000-000000000002} <= today() + 7`.',
  "It is checked when an answer is saved, against the answers that are saved by then and those of the same request, and again before a submission. An answer that does not meet it is refused with 422 and `constraint_message`. So is one that is compared with an answer that is missing, as in ODK: test that with `= ''`. An empty answer, and one that is not applicable, are not checked.",
  'Besides answers it can use `today()`, a date, and `now()`, a date-time. They mean the time at which the answer was saved. Where the answer was given is not known, so today is every date that it is at that time anywhere on Earth, and the constraint has to hold for one of them.',
].join('\n\n');

const CHOICE_FILTER =
  'Which options of a choice field are offered, depending on other answers: an expression in the language of `formula` that holds for these options. `{option.state}` means the attribute `state` of the option, and `{option.value}` its value. For example `{option.state} = {019cade0-51c2-7000-8000-000000000001}`. A missing attribute or answer makes a comparison false. An answer that chooses another option is refused with 422. When a later change of the other answers leaves a saved answer with such an option, the answer stays and is invalid: a submission names it as a blocker.';

const WEIGHT = 'Only used by the method `weighted`; 0 leaves it out of the score.';

const MAX_SCORE_TEXT = [
  'The maximum score of a field. When null, it is the highest `score` of its options (for a multi_select, the sum of the positive scores) or, without scores, 1 if the field can fail by `fail_if` or by a failed option. Without any of these, or at 0, the field is not scored.',
  'The score of an answer lies between 0 and that maximum. The first rule that applies decides: if an option has a positive score, the score of the chosen option, or the sum for several (0 for none); for a failed answer 0, and for one that passes `fail_if` the maximum; for `false` 0, and for `true` the maximum; for a number with an upper limit above 0 (`max`, or that of a rating or slider), the maximum times number ÷ limit; for a calculated number, that number; for any other answer the maximum.',
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
      'A question that is answered when the inspection is set up. Its key identifies it. Everything except key, type and label has a default: `required` is false, all else null.',
  });
export type StartField = z.output<typeof StartField>;

export const Field = z
  .strictObject({
    id: Id,
    type: FieldType,
    ...question,
    required_if: orNull(Condition),
    weight: z.number().min(0).max(MAX_SCORE).default(1).describe(WEIGHT),
    max_score: orNull(z.number().min(0).max(MAX_SCORE)).describe(MAX_SCORE_TEXT),
    critical: z
      .boolean()
      .default(false)
      .describe('Whether a failed answer makes the whole inspection fail, whatever the percentage.'),
    allow_na: z
      .boolean()
      .default(false)
      .describe(
        'Whether the field can be marked not applicable. `allow_na` of a section around it has the same effect.',
      ),
    note_required_on: Triggers,
    media: orNull(MediaRule),
    fail_if: orNull(FailRule),
    finding: orNull(FindingRule),
    reference: orNull(ReferenceRule),
    formula: orNull(z.string().max(MAX_EXPRESSION)).describe(FORMULA),
    constraint: z.string().min(1).max(MAX_EXPRESSION).optional().describe(CONSTRAINT),
    choice_filter: z.string().min(1).max(MAX_EXPRESSION).optional().describe(CHOICE_FILTER),
    report: z.strictObject({ visible: z.boolean().default(true) }).prefault({}),
  })
  .meta({
    id: 'Field',
    description:
      'A question of a section. Everything except id, type and label has a default: `weight` is 1, `report.visible` true, `note_required_on` [], the other booleans false, all else null. Without min, max and step, a rating has values from 1 to 5 and a slider from 0 to 100, in steps of 1. Without options, yes_no_na offers yes, no and na, and pass_fail_na offers pass, fail and na; no and fail are failed answers. `pattern` is an ECMAScript regular expression (flag u) that must match the whole text; it also limits the text to 200 characters. It must not have back-references such as `\\1`, and may have at most 500 characters and groups when its repetitions are written out; a pattern that could take long to match is refused.',
  });
export type Field = z.output<typeof Field>;

export const Repeat = z
  .strictObject({
    min: z.int().min(0).max(100).default(0),
    max: z.int().min(1).max(MAX_INSTANCES).default(MAX_INSTANCES),
    label_field_id: orNull(Id),
    location_field_id: Id.optional().describe(
      'A `location` field of the section, such as the unit that an instance is about. Findings in the instance, and their corrective actions, have its answer as `location_id`: as it is when the finding is created. Without that answer, the repeat section around it decides; without any, `location_id` of a finding is null, and that of an action is the inspection’s.',
    ),
  })
  .meta({
    id: 'Repeat',
    description:
      'The section is answered once per instance. At least `min` instances exist from the start. `label_field_id` is the field whose answer is the title of the instance. With the minimum of instances everywhere, an inspection has at most 20,000 fields.',
  });

const section = {
  id: Id,
  name: PartName.optional(),
  title: Title,
  description: orNull(LongText),
  weight: z.number().min(0).max(MAX_SCORE).default(1).describe(WEIGHT),
  passing_score: orNull(Percentage).describe(
    'The whole inspection fails when the percentage of the section, over all its instances, is lower than this.',
  ),
  allow_na: z
    .boolean()
    .default(false)
    .describe('Whether every field in the section and its nested sections can be marked not applicable.'),
  visible_if: orNull(Condition),
  participant_role: orNull(ParticipantRole).describe(
    'The participants that the section is meant for. Clients can show it to these only; the service accepts answers from everyone.',
  ),
  repeat: orNull(Repeat),
  hold: z
    .boolean()
    .optional()
    .describe(
      'Whether one of its own signature fields must be answered before any section after it is, such as the inspection of reinforcement before concrete is poured. Until then, other answers are refused with `409 section_not_signed`. A section that is hidden, or whose signature fields are, does not hold; in a correction none does. It needs a signature field, and is in no repeat section.',
    ),
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
      'Fields, followed by nested sections, in at most 5 levels. Everything except id and title has a default: `weight` is 1, `allow_na` false, `fields` and `sections` [], all else null.',
  });

export const Scoring = z
  .strictObject({
    enabled: z.boolean().default(false),
    method: z
      .enum(['points', 'weighted', 'count'])
      .default('points')
      .describe(
        '`points`: the scores of all fields, divided by their maximum scores. `weighted`: each section has the weighted mean of its items, which are its fields (score ÷ maximum score) and nested sections; the total is the weighted mean of the outermost sections. A repeat section is one item: the fields of all its instances count in it together. `count`: the share of fields that pass, among those that can fail; each counts 1.',
      ),
    passing_score: orNull(Percentage).describe(
      'The inspection fails when its percentage is lower than this.',
    ),
    unanswered: z
      .enum(['zero', 'exclude'])
      .default('zero')
      .describe('Whether a field without an answer scores 0 (and counts as failed) or is not scored.'),
    decimals: z.int().min(0).max(4).default(1).describe('The number of decimals of percentages.'),
  })
  .meta({
    id: 'Scoring',
    description:
      'How the inspection is scored, if `enabled`. Every instance of a repeat section counts. Hidden and not applicable fields are not scored, nor are sections in which no field is scored. When nothing is scored, the percentage is null. Percentages are compared before they are rounded (half up). The result is `fail` when a critical field failed, or when a section or the whole inspection is below its passing score; otherwise it is null when nothing is scored, and `pass` in all other cases.',
  });
export type Scoring = z.output<typeof Scoring>;

/** A language as XLSForm headers name it: `fr` or `French (fr)`. A colon would end the name there. */
export const LanguageName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{C}\p{Z}:]+(?: [^\p{C}\p{Z}:]+)*$/u);

export const FormId = z
  .string()
  .trim()
  .max(MAX_NAME)
  .regex(/^[^\p{C}\p{Z}{}]+(?: [^\p{C}\p{Z}{}]+)*$/u)
  .describe(
    'What identifies the form in ODK and KoboToolbox. An import keeps it, an export writes it. Without one, an export has the id of the family.',
  );

/** Translations of one content. */
export const MAX_TRANSLATIONS = 20;

export const TranslatedText = z
  .strictObject({
    id: z
      .string()
      .toLowerCase()
      .min(1)
      .max(100)
      .describe('The id of a section, field or response set, or the key of a start field.'),
    title: orNull(Title),
    description: orNull(LongText),
    label: orNull(Title),
    help_text: orNull(LongText),
    constraint_message: LongText.optional(),
    required_message: LongText.optional(),
    options: z
      .array(z.strictObject({ value: z.string().min(1).max(MAX_OPTION_VALUE), label: Title }))
      .max(MAX_OPTIONS)
      .default([]),
  })
  .meta({
    id: 'TranslatedText',
    description:
      'The translated texts of one part of the content: title and description of a section, label, help_text, constraint_message and required_message of a field or start field, and the labels of options of a field, start field or response set.',
  });
export type TranslatedText = z.output<typeof TranslatedText>;

export const Translation = z
  .strictObject({ language: LanguageName, texts: z.array(TranslatedText).default([]) })
  .meta({
    id: 'Translation',
    description:
      'The texts of a content in another language. Each language, and each part in it, appears only once. Texts that are not translated are shown as in the content.',
  });
export type Translation = z.output<typeof Translation>;

export const Translations = z.array(Translation).max(MAX_TRANSLATIONS);

/**
 * The questions of a template version. Parsing adds the defaults, so every key of the result is present, ids are in
 * lower case, and null means "not set". `structureProblems` (on every save) and `publishProblems` (on publish) check
 * the rules that a schema cannot express.
 */
export const Content = z
  .preprocess(
    (input, context) => {
      const excess = contentExcess(input);
      for (const { path, message, limit } of excess)
        context.addIssue({
          code: 'custom',
          message,
          path,
          ...(limit && { params: { type: 'too_long', ctx: limit } }),
        });
      return excess.length > 0 ? z.NEVER : input;
    },
    z.strictObject({
      schema_version: z.literal(1).default(1),
      start: z.strictObject({ fields: z.array(StartField).max(200).default([]) }).prefault({}),
      sections: z.array(Section).default([]),
      response_sets: z.array(ResponseSet).max(500).default([]),
      scoring: Scoring.prefault({}),
      language: orNull(LanguageName).describe(
        'The language of the content’s own texts, such as `en` or `English (en)`.',
      ),
      translations: Translations.default([]),
      form_id: FormId.optional(),
    }),
  )
  .meta({
    id: 'Content',
    description:
      'The questions of a template version. At most 5,000 fields in 300 sections, and 100,000 items in all lists together. Most parts have defaults, so `{"sections": [{"id", "title", "fields": [{"id", "type", "label"}]}]}` is a complete content.',
  });
export type Content = z.output<typeof Content>;
