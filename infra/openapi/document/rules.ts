import type * as z from 'zod';
import { allVendors } from '../../../shared/integrations/vendors.ts';
import { TimeZone } from '../../../shared/schemas/organization.ts';
import { Duration, Recurrence } from '../../../shared/schemas/recurrence.ts';
import { ReportBlockKind } from '../../../shared/schemas/reports/report-layout-content.ts';
import { COMPONENT, type Definitions, type JsonSchema } from './json-schema.ts';

/*
 * What the service checks and a schema of zod does not tell: it checks several fields together, so that a mistake is
 * reported at its field. The functions do not need this form of it. Everything that the service accepts is valid here;
 * the reverse cannot always be said.
 */

const DAYS = String.raw`^P(\d{1,4}Y)?(\d{1,4}M)?(\d{1,4}W)?(\d{1,4}D)?$`;

/** Patterns of texts that the service reads by a function. A text of another form is refused; not every other is accepted. */
const PATTERNS: ReadonlyMap<z.core.$ZodType, string> = new Map<z.core.$ZodType, string>([
  [TimeZone, String.raw`^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$`],
  [Duration, String.raw`^P(\d{1,4}Y)?(\d{1,4}M)?(\d{1,4}W)?(\d{1,4}D)?(T(\d{1,4}H)?(\d{1,4}M)?)?$`],
  [Recurrence.shape.rrule, String.raw`^[A-Za-z]+=[A-Za-z0-9,+-]+(;[A-Za-z]+=[A-Za-z0-9,+-]+)*$`],
  [
    Recurrence.shape.dtstart_local,
    String.raw`^(19[7-9]\d|2[01]\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d$`,
  ],
]);

/*
 * Patterns of zod in words that every engine of regular expressions reads. The first ones are classes of Unicode, for
 * which these forms accept a little more.
 */
const PORTABLE: readonly [string, string][] = [
  [
    String.raw`^[\p{L}_][\p{L}\p{N}\p{M}_.-]*$`,
    String.raw`^[^\x00-\x40\x5b-\x5e\x60\x7b-\x7f][^\x00-\x2c\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f]*$`,
  ],
  [String.raw`[^\p{C}\p{Z}`, String.raw`[^\s`],
  ['(?:', '('],
  [String.raw`\/`, '/'],
  [String.raw`\u00`, String.raw`\x`],
];

/** The pattern of a schema in the document, if it has one. */
export const patternOf = (schema: z.core.$ZodType, { pattern }: JsonSchema): string | undefined => {
  const known = PATTERNS.get(schema) ?? pattern;
  return PORTABLE.reduce<string | undefined>((text, [from, to]) => text?.replaceAll(from, to), known);
};

/** Makes the components that replace one, by their names. @param suffix what its name has in requests: `Input` or nothing */
type Rule = (schema: JsonSchema, suffix: string) => Definitions;

const ref = (name: string): JsonSchema => ({ $ref: COMPONENT + name });

const NOTHING: JsonSchema = { type: 'null' };

interface Branch {
  /** Properties with another schema in this branch. */
  set?: Definitions;
  /** Properties that the branch does not have. */
  without?: readonly string[];
  required?: readonly string[];
  description?: string;
}

/** An object with other properties in this case. */
const branchOf = (
  schema: JsonSchema,
  { set = {}, without = [], required = [], description }: Branch,
): JsonSchema => {
  const properties: Definitions = {};
  for (const [name, property] of Object.entries((schema.properties ?? {}) as Definitions)) {
    const { description: meaning } = property;
    if (without.includes(name)) continue;
    properties[name] = name in set ? { ...(meaning && { description: meaning }), ...set[name] } : property;
  }
  const { description: _, oneOf: _branches, examples: _examples, ...rest } = schema;
  return {
    ...rest,
    properties,
    required: [...new Set([...(schema.required ?? []), ...required])].filter(
      (name) => !without.includes(name),
    ),
    ...(description && { description }),
  };
};

/**
 * The object in place of which one of several is sent.
 * @param keyword `anyOf` where a value may belong to several of them
 */
const unionOf = (
  name: string,
  schema: JsonSchema,
  branches: Readonly<Record<string, Branch>>,
  keyword: 'oneOf' | 'anyOf' = 'oneOf',
): Definitions => ({
  ...Object.fromEntries(
    Object.entries(branches).map(([branch, change]) => [branch, branchOf(schema, change)]),
  ),
  [name]: {
    ...(schema.description && { description: schema.description }),
    ...(schema.examples && { examples: schema.examples }),
    [keyword]: Object.keys(branches).map(ref),
  },
});

const constant = (value: string): JsonSchema => ({ type: 'string', const: value });

/** The property of a schema without null. */
const given = (schema: JsonSchema, name: string): JsonSchema => {
  const { default: _, ...property } = schema.properties![name] as JsonSchema;
  return { ...property, type: [property.type].flat()[0]! };
};

const scalars: JsonSchema[] = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];

const nullable = (type: 'string' | 'number', format?: string): JsonSchema => ({
  type: [type, 'null'] as never,
  ...(format && { format }),
});

/** The forms of an answer. In a request, their objects take no further properties. */
const answerValue = (suffix: string): Definitions => {
  const object = (description: string, required: string[], properties: Definitions): JsonSchema => ({
    type: 'object',
    description,
    properties,
    required,
    ...(suffix && { additionalProperties: false }),
  });
  const forms = {
    [`MediaValue${suffix}`]: object('A photo or another document of an answer.', ['document_id'], {
      document_id: { type: 'string', format: 'uuid' },
      caption: nullable('string'),
    }),
    [`SignatureValue${suffix}`]: object(
      'A signature: a drawn one (`document_id`) or a typed one (`typed`).',
      ['signed_name'],
      {
        document_id: nullable('string', 'uuid'),
        typed: nullable('string'),
        signed_name: { type: 'string', minLength: 1, maxLength: 200 },
        signed_at: nullable('string', 'date-time'),
      },
    ),
    [`GeoPointValue${suffix}`]: object('A position on Earth (WGS 84).', ['lat', 'lng'], {
      lat: { type: 'number', minimum: -90, maximum: 90 },
      lng: { type: 'number', minimum: -180, maximum: 180 },
      accuracy_m: { type: ['number', 'null'] as never, minimum: 0 },
    }),
    [`AddressValue${suffix}`]: object(
      'A postal address; at least one of its parts is not blank.',
      [],
      Object.fromEntries(
        ['line1', 'line2', 'city', 'region', 'postal_code', 'country'].map((name) => [
          name,
          nullable('string'),
        ]),
      ),
    ),
    [`ReferenceValue${suffix}`]: object('A row of another system.', ['source_id', 'external_id'], {
      source_id: { type: 'string', format: 'uuid' },
      external_id: { type: 'string', minLength: 1, maxLength: 200 },
      label: nullable('string'),
    }),
  };
  const [media, signature, point, address, reference] = Object.keys(forms).map(ref) as [
    JsonSchema,
    ...JsonSchema[],
  ];
  return {
    ...forms,
    [`AnswerValue${suffix}`]: {
      description:
        'The answer to a field. Its form depends on the `type` of the field: `text`, `long_text`, `barcode`, `date`, `time`, `datetime`, `single_select`, `yes_no_na`, `pass_fail_na`, `member`, `client_account` and `location` have a text; `number`, `slider`, `rating`, `temperature` and most `calculated` fields a number; `yes_no` and `checkbox` a boolean; `multi_select` a list of texts; `photo`, `video`, `audio`, `file` and `drawing` a list of media. Null means no answer.',
      anyOf: [
        ...scalars,
        { type: 'array', items: { type: 'string' } },
        { type: 'array', items: media },
        signature!,
        point!,
        reference!,
        address!,
        NOTHING,
      ],
    },
  };
};

/** An object some of whose properties hold an answer. */
const answering =
  (name: string, ...properties: string[]): Rule =>
  (schema, suffix) => {
    const own = schema.properties as Definitions;
    const values = properties.map((property) => {
      const { description } = own[property]!;
      return [property, { ...ref(`AnswerValue${suffix}`), ...(description && { description }) }] as const;
    });
    return {
      ...answerValue(suffix),
      [name]: { ...schema, properties: { ...own, ...Object.fromEntries(values) } },
    };
  };

const condition: Rule = (schema, suffix) => {
  const name = `Condition${suffix}`;
  const all = { description: 'Is true when all of its conditions are.', required: ['all'] };
  const any = { description: 'Is true when at least one of its conditions is.', required: ['any'] };
  const field = { description: 'Compares the answer of a field.', required: ['field_id', 'op'] };
  const start = { description: 'Compares the answer of a start field.', required: ['start_key', 'op'] };
  const { value } = schema.properties as Definitions;
  const operand = ref(`Operand${suffix}`);
  const set = { value: { ...operand, ...(value!.description && { description: value!.description }) } };
  return {
    [`Operand${suffix}`]: {
      description:
        'What an answer is compared with: `in` and `not_in` take a list; `empty`, `not_empty` and `failed` take nothing.',
      anyOf: [...(value!.anyOf![0]!.anyOf ?? []), NOTHING],
    },
    ...unionOf(name, schema, {
      [`AllCondition${suffix}`]: { ...all, without: ['any', 'field_id', 'start_key', 'op', 'value'] },
      [`AnyCondition${suffix}`]: { ...any, without: ['all', 'field_id', 'start_key', 'op', 'value'] },
      [`FieldComparison${suffix}`]: { ...field, set, without: ['all', 'any', 'start_key'] },
      [`StartFieldComparison${suffix}`]: { ...start, set, without: ['all', 'any', 'field_id'] },
    }),
  };
};

/** The credentials of the vendors, and how a connection to each is made. */
const credentials = () =>
  allVendors().map(({ id, name, auth }) => {
    const title = name.replace(/[^A-Za-z0-9]/g, '').replace(/^./, (letter) => letter.toUpperCase());
    return { id, name, title, fields: auth.fields };
  });

const REQUEST_RULES: Readonly<Record<string, Rule>> = {
  NewScheduleOverride: (schema) => {
    const set = { new_at: NOTHING, assignee_ids: NOTHING };
    return unionOf('NewScheduleOverride', schema, {
      SkipOccurrence: {
        set: { ...set, action: constant('skip') },
        description: 'Leaves the occurrence out.',
      },
      CancelOccurrence: {
        set: { ...set, action: constant('cancel') },
        description: 'Leaves the occurrence out; the calendar shows it as `cancelled`.',
      },
      MoveOccurrence: {
        set: { action: constant('move'), new_at: given(schema, 'new_at') },
        required: ['new_at'],
        description: 'Gives the occurrence another time, and other assignees if they are named.',
      },
      ReassignOccurrence: {
        set: { action: constant('reassign'), new_at: NOTHING, assignee_ids: given(schema, 'assignee_ids') },
        required: ['assignee_ids'],
        description: 'Gives the occurrence other assignees.',
      },
    });
  },
  NewIssueQuestion: (schema) => {
    const { enum: types = [] } = schema.properties!['type'] as JsonSchema;
    const choices = ['single_select', 'multi_select'];
    return unionOf('NewIssueQuestion', schema, {
      NewChoiceQuestion: {
        set: {
          type: { type: 'string', enum: choices },
          options: { ...given(schema, 'options'), minItems: 1 },
        },
        required: ['options'],
        description: 'A question with a list of answers to choose from.',
      },
      NewOpenQuestion: {
        set: {
          type: { type: 'string', enum: types.filter((type) => !choices.includes(String(type))) },
          options: NOTHING,
        },
        description: 'A question without a list of answers.',
      },
    });
  },
  ReportBlockInput: (schema) => ({
    ...unionOf('ReportBlockInput', schema, {
      TextBlock: {
        set: { kind: constant('text'), options: ref('TextBlockOptions') },
        required: ['options'],
        description: 'A block with a text of its own.',
      },
      DataBlock: {
        set: {
          kind: {
            type: 'string',
            enum: ReportBlockKind.options.filter((kind) => kind !== 'text'),
          },
        },
        description: 'A block that shows what the inspection holds.',
      },
    }),
  }),
  ReportBlockOptionsInput: (schema) => ({
    ReportBlockOptionsInput: schema,
    TextBlockOptions: branchOf(schema, {
      set: { text: { ...(schema.properties!['text'] as JsonSchema), pattern: String.raw`\S` } },
      required: ['text'],
      description: 'How a text block is drawn.',
    }),
  }),
  AfterInput: (schema) => ({
    AfterInput: branchOf(schema, {
      set: { every: { ...(schema.properties!['every'] as JsonSchema), pattern: DAYS } },
      ...(schema.description && { description: schema.description }),
    }),
  }),
  Decision: (schema) =>
    unionOf('Decision', schema, {
      Approval: { set: { decision: constant('approve') }, description: 'Approves.' },
      Rejection: { set: { decision: constant('reject') }, description: 'Rejects.' },
      ChangeRequest: {
        set: { decision: constant('request_changes') },
        required: ['comment'],
        description: 'Asks for changes; the comment says which.',
      },
    }),
  Advance: (schema) =>
    unionOf('Advance', schema, {
      AdvanceStep: {
        without: ['decision'],
        description: 'Takes the next step; with `sign_off`, signs.',
      },
      AdvanceDecision: {
        set: { decision: { type: 'string', enum: ['approve', 'reject'] } },
        without: ['sign_off'],
        required: ['decision'],
        description: 'Approves or rejects.',
      },
      AdvanceChangeRequest: {
        set: { decision: constant('request_changes') },
        without: ['sign_off'],
        required: ['decision', 'comment'],
        description: 'Asks for changes; the comment says which.',
      },
      AdvanceRefusal: {
        set: {
          decision: constant('decline'),
          comment: { ...(schema.properties!['comment'] as JsonSchema), maxLength: 1_000 },
        },
        required: ['decision', 'comment'],
        description: 'Refuses to sign; the comment says why.',
      },
    }),
  // With a second vendor, these two become unions.
  Credential: (schema) => {
    const secret = schema.additionalProperties as JsonSchema;
    const ofVendors = credentials().map(({ name, title, fields }): [string, JsonSchema] => [
      `${title}Credential`,
      {
        type: 'object',
        description: `The secrets of a connection to ${name}. They are never returned.`,
        properties: Object.fromEntries(
          fields.map(({ key, label, help }) => [key, { ...secret, description: `${label}. ${help}` }]),
        ),
        required: fields.flatMap(({ key, required }) => (required ? [key] : [])),
        additionalProperties: false,
      },
    ]);
    const [first, ...others] = ofVendors;
    if (others.length === 0) return { Credential: first![1] };
    const anyOf = ofVendors.map(([name]) => ref(name));
    return { ...Object.fromEntries(ofVendors), Credential: { description: schema.description!, anyOf } };
  },
  NewConnection: (schema) => {
    const [first, ...others] = credentials();
    if (others.length === 0)
      return { NewConnection: branchOf(schema, { set: { vendor: constant(first!.id) } }) };
    const branches = credentials().map(({ id, title, name }) => [
      `New${title}Connection`,
      {
        set: { vendor: constant(id), credential: ref(`${title}Credential`) },
        description: `A connection to an account at ${name}.`,
      },
    ]);
    return unionOf('NewConnection', schema, Object.fromEntries(branches) as Record<string, Branch>);
  },
  GivenPlaces: (schema) =>
    unionOf('GivenPlaces', schema, {
      ListedPlaces: {
        set: { client_account_id: NOTHING, within: NOTHING, asset_kind_id: NOTHING },
        required: ['location_ids'],
        description: 'These locations, and no filter.',
      },
      PlaceFilter: { without: ['location_ids'], description: 'The locations that the filter finds.' },
    }),
  FormImport: (schema) =>
    unionOf('FormImport', schema, {
      SheetImport: {
        without: ['content'],
        required: ['survey'],
        description: 'An XLSForm with its sheets as lists of rows.',
      },
      ContentImport: { without: ['survey'], required: ['content'], description: 'A content, as it is.' },
    }),
  NewBulkReportExport: (schema) =>
    unionOf('NewBulkReportExport', schema, {
      ListedInspectionsExport: {
        without: ['filter'],
        required: ['inspection_ids'],
        description: 'Exports the inspections that are listed.',
      },
      FilteredInspectionsExport: {
        without: ['inspection_ids'],
        required: ['filter'],
        description: 'Exports the inspections that a filter finds.',
      },
    }),
  ContentChange: (schema) =>
    unionOf(
      'ContentChange',
      schema,
      {
        ContentReplacement: { without: ['operations'], description: 'Replaces the whole content.' },
        ContentPatch: { without: ['content'], description: 'Changes parts of the content.' },
      },
      'anyOf',
    ),
  ConditionInput: condition,
  NewAnswer: answering('NewAnswer', 'value'),
  AnswerChanges: answering('AnswerChanges', 'value'),
  BatchedAnswer: answering('BatchedAnswer', 'value'),
  NewIssueAnswer: answering('NewIssueAnswer', 'value'),
  FieldInput: answering('FieldInput', 'default_value'),
  StartFieldInput: answering('StartFieldInput', 'default_value'),
};

const REPLY_RULES: Readonly<Record<string, Rule>> = {
  Condition: condition,
  Field: answering('Field', 'default_value'),
  StartField: answering('StartField', 'default_value'),
  AnswerRecord: answering('AnswerRecord', 'value'),
  FormerAnswer: answering('FormerAnswer', 'value'),
  IssueAnswer: answering('IssueAnswer', 'value'),
  AnswerResult: (schema) => {
    const detail: JsonSchema = { type: 'array', items: ref('Problem') };
    return unionOf('AnswerResult', schema, {
      SavedAnswer: {
        set: { status: { type: 'string', enum: ['saved', 'unchanged', 'superseded'] } },
        without: ['detail'],
        description: 'The answer is saved, or was already, or came after a later one (`superseded`).',
      },
      ConflictingAnswer: {
        set: { status: constant('conflict'), detail: { type: 'string' } },
        required: ['detail'],
        description: 'The answer is not saved, because of what the inspection or the record is now.',
      },
      InvalidAnswer: {
        set: { status: constant('invalid'), detail: { anyOf: [{ type: 'string' }, detail] } },
        required: ['detail'],
        description: 'The answer is not saved, because it is wrong in itself.',
      },
    });
  },
};

const applied = (
  definitions: Definitions,
  rules: Readonly<Record<string, Rule>>,
  suffix: string,
): Definitions =>
  Object.assign(
    {},
    ...Object.entries(definitions).map(
      ([name, schema]) => rules[name]?.(schema, suffix) ?? { [name]: schema },
    ),
  );

/** The components of requests, with what the service checks by functions. */
export const withRequestRules = (definitions: Definitions): Definitions =>
  applied(definitions, REQUEST_RULES, 'Input');

/** The components of replies, with the cases that they have. */
export const withReplyRules = (definitions: Definitions): Definitions =>
  applied(definitions, REPLY_RULES, '');
