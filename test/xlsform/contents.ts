import fc from 'fast-check';
import { isBlank } from '../../shared/base/text.ts';
import { indexContent } from '../../shared/domain/content/content-index.ts';
import { Content, FieldType } from '../../shared/schemas/templates/content.ts';

export const uuid = (n: number) => `0190f3c2-0000-7000-8000-${String(n).padStart(12, '0')}`;

const some = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null, freq: 2 });

/** Ordinary texts, and texts with a special meaning in cells, quotes, JSON and XML. */
const text = fc.oneof(
  fc.constantFrom(
    'Guard rail',
    'Geländer',
    '護欄',
    "it's",
    '"quoted"',
    `'both'"`,
    'null',
    'TRUE',
    '12',
    '1e5',
  ),
  fc.constantFrom(
    '_x0041_',
    '=1+1',
    '${guard_rail}',
    '{x}',
    'a  b',
    ' a',
    'a\u00a0b',
    'a\r\nb',
    '\u0001a',
    '\ufeffa',
  ),
  fc.constantFrom('yes', 'no', 'OK', 'other', '-', 'a, b', '’', '“', '[1]', 'a\tb', '2026-03-02'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).map((made) => made.toWellFormed()),
);
/** Texts, some of which refer to answers. */
const worded = fc.oneof(
  { weight: 4, arbitrary: text },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'Is ${0190f3c2-0000-7000-8000-000000000002} in ${key_1}?',
      '${0190f3c2-0000-7000-8000-000000000003}${0190f3c2-0000-7000-8000-000000000999}',
    ),
  },
);
const title = worded.filter((made) => !isBlank(made));
const number = fc
  .oneof(fc.integer({ min: -1000, max: 1000 }), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((made) => (made === 0 ? 0 : made));

const option = fc.record(
  {
    value: fc.oneof(fc.constantFrom('yes', 'no', 'good', 'in use', '1', '2.0'), text),
    label: title,
    color: some(fc.constant('#aabbcc')),
    score: some(fc.integer({ min: -5, max: 5 })),
    is_failed: fc.boolean(),
    is_na: fc.boolean(),
    attributes: fc.dictionary(fc.constantFrom('state', 'County', 'image', 'name', 'inspection__x'), text, {
      maxKeys: 3,
    }),
    finding_severity: fc.constantFrom('observation', 'critical'),
  },
  { requiredKeys: ['value', 'label'] },
);
const options = fc.uniqueArray(option, { minLength: 1, maxLength: 4, selector: ({ value }) => value });

const operand = fc.oneof(number, fc.boolean(), text);

const condition = (ids: readonly string[], keys: readonly string[]) =>
  fc.letrec<{ tree: object; leaf: object }>((tie) => ({
    leaf: fc
      .tuple(
        fc.oneof(
          fc.constantFrom(...ids).map((field_id) => ({ field_id })),
          ...(keys.length > 0 ? [fc.constantFrom(...keys).map((start_key) => ({ start_key }))] : []),
        ),
        fc.oneof(
          fc.constantFrom('empty', 'not_empty', 'failed').map((op) => ({ op })),
          fc.tuple(fc.constantFrom('eq', 'ne', 'contains'), operand).map(([op, value]) => ({ op, value })),
          fc
            .tuple(fc.constantFrom('in', 'not_in'), fc.array(operand, { minLength: 1, maxLength: 3 }))
            .map(([op, value]) => ({ op, value })),
          fc
            .tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte'), fc.oneof(number, text))
            .map(([op, value]) => ({ op, value })),
        ),
      )
      .map(([of, rest]) => ({ ...of, ...rest })),
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('leaf'),
      fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
      fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
    ),
  })).tree;

const formula = (ids: readonly string[]) =>
  fc.oneof(
    fc.constantFrom(...ids).map((id) => `{${id}} + 1`),
    fc.constantFrom(...ids).map((id) => `if(\${${id}} == 'yes' && !{${id}}, 1 / 2, -3 % 2)`),
    fc.constantFrom('2 * (3 + 4)', 'round(sum({nothing}), 1)', "concat('a', \"'\")", 'not a formula ('),
  );

/** Constraints of a field; those of ODK refer to the answer itself as `.`. */
const constraint = (id: string, ids: readonly string[]) =>
  fc.oneof(
    formula(ids),
    fc.constantFrom(...ids).map((other) => `{${id}} > {${other}} and {${id}} <= today() + 7`),
    fc.constantFrom(`{${id}} < '2026-03-02' or {${id}} = 'yes'`, `not(selected({${id}}, 'a b'))`, 'now('),
  );

const choiceFilter = (ids: readonly string[]) =>
  fc.oneof(
    fc.constantFrom(...ids).map((id) => `{option.state} = {${id}}`),
    fc.constantFrom(...ids).map((id) => `{option.County} = 'a  b' or {option.value} != {${id}}`),
    fc.constantFrom(`selected({option.image}, 'x')`, '{option.nothing} = 1', '{option.state'),
  );

/** Names that ODK may have to change, because they occur twice or are reserved. */
const name = fc.constantFrom(
  'a',
  'A',
  'b',
  'b',
  'meta',
  'data',
  'a_count',
  'été',
  'guard_rail',
  'instanceID',
);

/** A part's `name`, which half of the parts have. */
const named = <Part extends object>(part: fc.Arbitrary<Part>): fc.Arbitrary<Part> =>
  fc.oneof(
    part,
    fc.tuple(part, name).map(([made, name]) => ({ ...made, name })),
  );

/** What half of the questions have beside their attributes. */
const messages = { constraint_message: worded, required_message: worded };

const question = {
  label: title,
  ...messages,
  help_text: some(worded),
  required: fc.boolean(),
  default_value: some(
    fc.oneof(
      operand,
      fc.array(text, { maxLength: 2 }),
      fc.json({ maxDepth: 2 }).map((json) => JSON.parse(json.replaceAll('-0', '0'))),
    ),
  ),
  options: some(options),
  min: some(number),
  max: some(number),
  step: some(number),
  unit: some(text),
  pattern: some(fc.constantFrom(String.raw`\d{3}`, "[a-z']+", `["']+`, 'a|b')),
  max_length: some(fc.integer({ min: 1, max: 20_000 })),
};

const rules = {
  weight: fc.integer({ min: 0, max: 9 }),
  max_score: some(fc.integer({ min: 0, max: 9 })),
  critical: fc.boolean(),
  allow_na: fc.boolean(),
  note_required_on: fc.array(fc.constantFrom('failed', 'yes'), { maxLength: 2 }),
  media: some(fc.constant({ kinds: ['photo'], min: 1, required_on: ['failed'] })),
  fail_if: some(fc.constant({ op: 'outside', value: [1, 2.5] })),
  finding: some(
    fc.constantFrom(
      {
        create: 'auto',
        label: '{instance}: {field:0190f3c2-0000-7000-8000-000000000002}',
        severity: 'major',
        corrective_action: { title: 'Mend {instance}', evidence_required: true },
      },
      {
        create: 'auto',
        corrective_action: {
          title: 'Mend it',
          due_in_days: 90,
          due_by_severity: { critical: 'PT24H', major: 'P30D' },
          priority_by_severity: { critical: 'critical' },
          business_days: true,
        },
      },
    ),
  ),
  reference: some(fc.constant({ target_ref: 'locations' })),
  report: fc.record({ visible: fc.boolean() }),
};

/** How many fields a section has, and the sections in it. */
interface Shape {
  fields: number;
  sections: Shape[];
}

const shape: fc.Arbitrary<Shape> = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.record({
    fields: fc.nat(3),
    sections: fc.oneof(
      { depthSize: 'small', maxDepth: 4 },
      fc.constant<Shape[]>([]),
      fc.array(tie('shape'), { maxLength: 2 }),
    ),
  }),
})).shape;

/** The texts of a part, of which it may have no messages. */
const translated = (texts: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> =>
  fc.record(texts, { requiredKeys: Object.keys(texts).filter((name) => !Object.hasOwn(messages, name)) });

/** Translations in any order, some for parts and options that do not exist. */
const inLanguages = (content: Content) => {
  const { sections, fields, startFields, responseSets } = indexContent(content);
  const optionsIn = (options: readonly { value: string }[] | null) =>
    fc
      .shuffledSubarray([...(options ?? []).map(({ value }) => value), 'no such option'])
      .chain((values) =>
        fc.tuple(...values.map((value) => fc.record({ value: fc.constant(value), label: title }))),
      )
      .map((made) => made.filter(({ value }, i) => made.findIndex((each) => each.value === value) === i));
  const asked = (id: string, options: readonly { value: string }[] | null) => ({
    id: fc.constant(id),
    label: some(title),
    help_text: some(worded),
    options: optionsIn(options),
    ...messages,
  });
  const texts = [
    ...[...sections.keys(), uuid(997)].map((id) => ({
      id: fc.constant(id),
      title: some(title),
      description: some(worded),
    })),
    ...[...fields].map(([id, { field }]) => asked(id, field.options)),
    ...[...startFields].map(([key, { options }]) => asked(key, options)),
    ...[...responseSets].map(([id, { options }]) => ({ id: fc.constant(id), options: optionsIn(options) })),
  ];
  return fc
    .shuffledSubarray(['fr', 'French (fr)', '中文 (zh)', 'image', 'required', 'default'])
    .chain(([first = null, ...others]) =>
      fc.record({
        language: fc.constantFrom(first, null),
        translations: fc.tuple(
          ...others.map((language) =>
            fc.record({
              language: fc.constant(language),
              texts: fc.shuffledSubarray(texts).chain((chosen) => fc.tuple(...chosen.map(translated))),
            }),
          ),
        ),
      }),
    );
};

/**
 * Any content that a draft may have, including contents that cannot be published. Ids are unique, and most references
 * have a target.
 */
export const anyContent: fc.Arbitrary<Content> = fc
  .tuple(fc.array(shape, { minLength: 1, maxLength: 3 }), fc.nat(2), fc.nat(2))
  .chain(([shapes, starts, sets]) => {
    let count = 0;
    const ids: string[] = [];
    const next = () => uuid((count += 1));
    const keys = Array.from({ length: starts }, (_, i) => `key_${i + 1}`);
    const setIds = Array.from({ length: sets }, next);
    const plan = ({ fields, sections }: Shape): fc.Arbitrary<object> => {
      const sectionId = next();
      const fieldIds = Array.from({ length: fields }, next);
      ids.push(...fieldIds);
      const inner = sections.map(plan);
      return fc.constant(null).chain(() => {
        const known = [...ids, uuid(999)];
        const visible_if = some(condition(known, keys));
        const setId = fc.constantFrom(...setIds, uuid(998));
        return named(
          fc.record({
            id: fc.constant(sectionId),
            title,
            description: some(worded),
            weight: fc.nat(9),
            passing_score: some(fc.nat(100)),
            allow_na: fc.boolean(),
            visible_if,
            participant_role: some(fc.constantFrom('inspector', 'lead')),
            hold: fc.boolean(),
            repeat: some(
              fc.constantFrom(
                { min: 0 },
                { min: 2, max: 2 },
                { min: 1, max: 7, label_field_id: fieldIds[0] ?? null },
                { location_field_id: fieldIds[0] ?? uuid(999) },
              ),
            ),
            fields: fc.tuple(
              ...fieldIds.map((id) =>
                named(
                  fc.record(
                    {
                      id: fc.constant(id),
                      type: fc.constantFrom(...FieldType.options),
                      ...question,
                      ...rules,
                      response_set_id: some(setId),
                      visible_if,
                      required_if: some(condition(known, keys)),
                      formula: some(formula(known)),
                      constraint: constraint(id, known),
                      choice_filter: choiceFilter(known),
                    },
                    { requiredKeys: ['id', 'type', 'label'] },
                  ),
                ),
              ),
            ),
            sections: fc.tuple(...inner),
          }),
        );
      });
    };
    const sections = shapes.map(plan);
    return fc.record(
      {
        form_id: fc.constantFrom('guard_rails', 'Guard rails (2)', '12'),
        start: fc.record({
          fields: fc.tuple(
            ...keys.map((key) =>
              named(
                fc.record(
                  {
                    key: fc.constant(key),
                    type: fc.constantFrom(
                      ...FieldType.options.filter((type) => type !== 'reference' && type !== 'calculated'),
                    ),
                    ...question,
                    visible_if: some(condition([...ids, uuid(999)], keys)),
                  },
                  { requiredKeys: ['key', 'type', 'label'] },
                ),
              ),
            ),
          ),
        }),
        sections: fc.tuple(...sections),
        response_sets: fc.tuple(
          ...setIds.map((id) =>
            fc.record(
              { id: fc.constant(id), name: title, options, source_id: fc.constant(uuid(900)) },
              { requiredKeys: ['id', 'name', 'options'] },
            ),
          ),
        ),
        scoring: fc.record(
          {
            enabled: fc.boolean(),
            method: fc.constantFrom('points', 'count'),
            passing_score: some(fc.nat(100)),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: ['start', 'sections', 'response_sets', 'scoring'] },
    );
  })
  .map((input) => Content.parse(input))
  .chain((content) => inLanguages(content).map((languages) => Content.parse({ ...content, ...languages })));
