import fc from 'fast-check';
import * as z from 'zod';
import {
  indexContent,
  limitsOf,
  optionsOf,
  resolveInstance,
  sectionsOf,
} from '../../../shared/domain/content/content-index.ts';
import { Content, Field, FieldType, type Section } from '../../../shared/schemas/templates/content.ts';
import { field, section, uuid } from '../../support/content.ts';
import { effort } from '../../support/effort.ts';

const visibleIf = (visible_if: unknown) => ({ sections: [section(1, [], { visible_if })] });
const pathsOf = (input: unknown) =>
  Content.safeParse(input).error?.issues.map(({ path }) => path.join('.')) ?? [];

describe('Content', () => {
  test('fills in the defaults of a short content', () => {
    const content = Content.parse({ sections: [section(1, [field(2)])] });
    expect(content).toMatchObject({
      schema_version: 1,
      start: { fields: [] },
      response_sets: [],
      scoring: { enabled: false, method: 'points', passing_score: null, unanswered: 'zero', decimals: 1 },
      language: null,
      translations: [],
      sections: [{ weight: 1, allow_na: false, repeat: null, participant_role: null, sections: [] }],
    });
    expect(content.sections[0]!.fields[0]).toMatchObject({
      required: false,
      visible_if: null,
      options: null,
      weight: 1,
      note_required_on: [],
      report: { visible: true },
    });
    expect(Content.parse(content)).toEqual(content);
  });

  test('accepts an empty content, and null for settings that are not set', () => {
    expect(Content.parse({}).sections).toEqual([]);
    expect(Field.parse(field(1, 'text', { min: null, options: null, media: null })).media).toBeNull();
  });

  test('stores ids in lower case', () => {
    const id = '0190F3C2-7B1A-7C3D-9E4F-0123456789AB';
    expect(Field.parse(field(1, 'text', { id })).id).toBe(id.toLowerCase());
  });

  test.each([
    ['an unknown member of the content', { section: [] }, ''],
    [
      'an unknown member of a field',
      { sections: [section(1, [field(2, 'text', { hint: 'x' })])] },
      'sections.0.fields.0',
    ],
    ['a language that no header could name', { language: 'a:b' }, 'language'],
    ['an id that is no uuid', { sections: [section(1, [], { id: 'a' })] }, 'sections.0.id'],
    ['a blank title', { sections: [section(1, [], { title: '  ' })] }, 'sections.0.title'],
    [
      'a title over 500 characters',
      { sections: [section(1, [], { title: 'x'.repeat(501) })] },
      'sections.0.title',
    ],
    ['an unknown type', { sections: [section(1, [field(2, 'emoji')])] }, 'sections.0.fields.0.type'],
    [
      'a calculated start field',
      { start: { fields: [{ key: 'a', type: 'calculated', label: 'A' }] } },
      'start.fields.0.type',
    ],
    [
      'a start key with a dash',
      { start: { fields: [{ key: 'a-b', type: 'text', label: 'A' }] } },
      'start.fields.0.key',
    ],
    [
      'a mistake in a nested section',
      { sections: [section(1, [], { sections: [{ id: uuid(2) }] })] },
      'sections.0.sections.0.title',
    ],
    [
      'an unknown operator',
      visibleIf({ all: [{ field_id: uuid(2), op: 'like', value: 1 }] }),
      'sections.0.visible_if.all.0.op',
    ],
    ['a condition without operator', visibleIf({ field_id: uuid(2) }), 'sections.0.visible_if.op'],
    ['a condition without target', visibleIf({ op: 'empty' }), 'sections.0.visible_if'],
    [
      'a condition with two targets',
      visibleIf({ field_id: uuid(2), start_key: 'a', op: 'empty' }),
      'sections.0.visible_if',
    ],
    [
      'an operator on all',
      visibleIf({ all: [{ start_key: 'a', op: 'empty' }], op: 'eq' }),
      'sections.0.visible_if.op',
    ],
    ['an empty any', visibleIf({ any: [] }), 'sections.0.visible_if.any'],
    ['eq without value', visibleIf({ start_key: 'a', op: 'eq' }), 'sections.0.visible_if.value'],
    [
      'empty with a value',
      visibleIf({ start_key: 'a', op: 'empty', value: 1 }),
      'sections.0.visible_if.value',
    ],
    [
      'in with a single value',
      visibleIf({ start_key: 'a', op: 'in', value: 'x' }),
      'sections.0.visible_if.value',
    ],
    [
      'gt with a boolean',
      visibleIf({ start_key: 'a', op: 'gt', value: true }),
      'sections.0.visible_if.value',
    ],
  ])('refuses %s', (_, input, path) => expect(pathsOf(input)).toEqual([path]));

  test.each([
    [{ op: 'outside', value: [2, 8] }, true],
    [{ op: 'outside', value: [2] }, false],
    [{ op: 'outside', value: [8, 2] }, false],
    [{ op: 'outside', value: 2 }, false],
    [{ op: 'not_empty' }, true],
    [{ op: 'empty' }, false],
    [{ op: 'failed' }, false],
  ])('fail_if %j: %p', (fail_if, valid) =>
    expect(Field.safeParse(field(1, 'text', { fail_if })).success).toBe(valid),
  );

  test('refuses JSON that is so deep that parsing would overflow the stack', () => {
    let condition: object = { start_key: 'a', op: 'empty' };
    for (let depth = 0; depth < 100_000; depth += 1) condition = { all: [condition] };
    expect(pathsOf(visibleIf(condition))).toEqual(['']);
  });

  test.each(['input', 'output'] as const)('has a JSON Schema with named parts (%s)', (io) => {
    const { $defs = {} } = z.toJSONSchema(Content, { io });
    expect(Object.keys($defs)).toEqual(
      expect.arrayContaining([
        'Content',
        'Section',
        'Field',
        'StartField',
        'ResponseSet',
        'ResponseOption',
        'Scoring',
        'Condition',
      ]),
    );
    expect($defs.Section!.properties).toMatchObject({ sections: { items: { $ref: '#/$defs/Section' } } });
  });
});

// Section 1 has two fields and repeat section 2, which has repeat section 3. Repeat section 4 is beside section 1.
const tree = Content.parse({
  start: { fields: [{ key: 'site', type: 'location', label: 'Site' }] },
  response_sets: [{ id: uuid(90), name: 'Set', options: [{ value: 'ok', label: 'OK' }] }],
  sections: [
    section(1, [field(11, 'text', { required: true }), field(12, 'instruction', { required: true })], {
      sections: [
        section(2, [field(21)], { repeat: {}, sections: [section(3, [field(31)], { repeat: { max: 5 } })] }),
      ],
    }),
    section(4, [field(41), field(42, 'calculated', { formula: '1' })], { repeat: { max: 3 } }),
  ],
});
const index = indexContent(tree);

describe('indexContent', () => {
  test('is in document order, and knows depth and the repeats around', () => {
    expect([...index.fields.keys()]).toEqual([11, 12, 21, 31, 41, 42].map(uuid));
    expect([...sectionsOf(tree)].map(({ loc }) => loc.join('.'))).toEqual([
      'content.sections.0',
      'content.sections.0.sections.0',
      'content.sections.0.sections.0.sections.0',
      'content.sections.1',
    ]);
    const { depth, repeats } = index.fields.get(uuid(31))!;
    expect([depth, repeats.map(({ id }) => id)]).toEqual([3, [uuid(2), uuid(3)]]);
    expect(index.startFields.get('site')?.label).toBe('Site');
    expect(index.responseSets.get(uuid(90))?.name).toBe('Set');
  });

  test('has the same order as a simple walk over any content', () => {
    type Draft = { sections: Draft[]; fields: object[] };
    const drafts = (depth: number): fc.Arbitrary<Draft[]> =>
      fc.array(
        fc.record({
          title: fc.constant('S'),
          repeat: fc.constantFrom(null, {}),
          fields: fc.array(
            fc.record({
              label: fc.constant('F'),
              type: fc.constantFrom(...FieldType.options),
              required: fc.boolean(),
            }),
            { maxLength: 3 },
          ),
          sections: depth > 1 ? drafts(depth - 1) : fc.constant([]),
        }),
        { maxLength: 3 },
      );
    const fieldsOf = (sections: Section[]): Field[] =>
      sections.flatMap(({ fields, sections }) => [...fields, ...fieldsOf(sections)]);
    fc.assert(
      fc.property(drafts(5), (sections) => {
        let ids = 0;
        const numbered = (parts: Draft[]): object[] =>
          parts.map((part) => ({
            ...part,
            id: uuid((ids += 1)),
            fields: part.fields.map((field) => ({ ...field, id: uuid((ids += 1)) })),
            sections: numbered(part.sections),
          }));
        const content = Content.parse({ sections: numbered(sections) });
        const fields = fieldsOf(content.sections);
        const { fields: indexed } = indexContent(content);
        expect([...indexed.keys()]).toEqual(fields.map(({ id }) => id));
      }),
    );
  });

  test('indexes 5,000 fields in little time', () => {
    const fields = Array.from({ length: 5_000 }, (_, i) => field(i));
    const content = Content.parse({ sections: [section(9_000, fields)] });
    const start = effort();
    expect(indexContent(content).fields.size).toBe(5_000);
    expect(effort() - start).toBeLessThan(50);
  });
});

describe('optionsOf', () => {
  const values = (more: object) =>
    optionsOf(index, Field.parse(field(1, 'text', more))).map(({ value }) => value);
  test.each([
    ['own options', { type: 'single_select', options: [{ value: 'a', label: 'A' }] }, ['a']],
    ['a response set', { type: 'single_select', response_set_id: uuid(90) }, ['ok']],
    ['an unknown response set', { type: 'single_select', response_set_id: uuid(91) }, []],
    ['yes_no_na by itself', { type: 'yes_no_na' }, ['yes', 'no', 'na']],
    ['pass_fail_na by itself', { type: 'pass_fail_na' }, ['pass', 'fail', 'na']],
    ['yes_no_na with own options', { type: 'yes_no_na', options: [{ value: 'y', label: 'Y' }] }, ['y']],
    ['a text', { type: 'text', options: [{ value: 'a', label: 'A' }] }, []],
  ])('%s', (_, more, expected) => expect(values(more)).toEqual(expected));

  test('the types with options of their own have English labels', () => {
    const labels = (type: string) => optionsOf(index, Field.parse(field(1, type))).map(({ label }) => label);
    expect([labels('yes_no_na'), labels('pass_fail_na')]).toEqual([
      ['Yes', 'No', 'N/A'],
      ['Pass', 'Fail', 'N/A'],
    ]);
  });

  test('no and fail are failed, na is not applicable', () => {
    for (const type of ['yes_no_na', 'pass_fail_na'])
      expect(
        optionsOf(index, Field.parse(field(1, type))).map(({ is_failed, is_na }) => [is_failed, is_na]),
      ).toEqual([
        [false, false],
        [true, false],
        [false, true],
      ]);
  });
});

describe('limitsOf', () => {
  test.each([
    [{ type: 'rating' }, { min: 1, max: 5, step: 1 }],
    [
      { type: 'rating', max: 10 },
      { min: 1, max: 10, step: 1 },
    ],
    [
      { type: 'slider', step: 5 },
      { min: 0, max: 100, step: 5 },
    ],
    [
      { type: 'number', min: 0 },
      { min: 0, max: null, step: null },
    ],
  ])('%j', (more, limits) => expect(limitsOf(Field.parse(field(1, 'text', more)))).toEqual(limits));
});

describe('resolveInstance', () => {
  const [outer, inner, single] = [uuid(2), uuid(3), uuid(4)];
  test.each<[string, number, number | undefined, string | undefined, number, string]>([
    ['outside repeats', 11, undefined, undefined, 0, ''],
    ['outside repeats, given explicitly', 11, 0, '', 0, ''],
    ['the first of a repeat by default', 41, undefined, undefined, 0, `${single}[0]`],
    ['by the index alone', 41, 2, undefined, 2, `${single}[2]`],
    ['by the index and an empty path', 41, 2, '', 2, `${single}[2]`],
    ['by the path alone', 41, undefined, `${single}[1]`, 1, `${single}[1]`],
    ['by both', 41, 1, `${single}[1]`, 1, `${single}[1]`],
    ['nested, by the path', 31, undefined, `${outer}[7]/${inner}[4]`, 4, `${outer}[7]/${inner}[4]`],
    ['in capitals', 41, undefined, `${single.toUpperCase()}[1]`, 1, `${single}[1]`],
  ])('finds an instance %s', (_, n, i, path, instance_index, instance_path) =>
    expect(resolveInstance(index, uuid(n), i, path)).toEqual({ instance_index, instance_path }),
  );

  test.each<[string, number, number | undefined, string | undefined, [string, string][]]>([
    ['an index outside repeats', 11, 1, undefined, [['instance_index', 'value_error']]],
    ['a path outside repeats', 11, undefined, `${single}[0]`, [['instance_path', 'value_error']]],
    ['an index alone in a nested repeat', 31, 1, undefined, [['instance_path', 'missing']]],
    ['another section', 41, undefined, `${outer}[0]`, [['instance_path', 'value_error']]],
    ['the inner segment alone', 31, undefined, `${inner}[0]`, [['instance_path', 'value_error']]],
    [
      'segments in the wrong order',
      31,
      undefined,
      `${inner}[0]/${outer}[0]`,
      [['instance_path', 'value_error']],
    ],
    ['one segment too many', 21, undefined, `${outer}[0]/${inner}[0]`, [['instance_path', 'value_error']]],
    ['an index with a leading zero', 41, undefined, `${single}[01]`, [['instance_path', 'value_error']]],
    ['a negative index', 41, -1, undefined, [['instance_index', 'value_error']]],
    ['an index that differs from the path', 41, 2, `${single}[1]`, [['instance_index', 'value_error']]],
    ['an index beyond repeat.max', 41, 3, undefined, [['instance_index', 'less_than_equal']]],
    ['a path beyond repeat.max', 41, undefined, `${single}[3]`, [['instance_path', 'less_than_equal']]],
    [
      'an outer index beyond repeat.max',
      31,
      undefined,
      `${outer}[1000]/${inner}[0]`,
      [['instance_path', 'less_than_equal']],
    ],
    [
      'every problem at once',
      41,
      1,
      `${single}[3]`,
      [
        ['instance_path', 'less_than_equal'],
        ['instance_index', 'value_error'],
      ],
    ],
  ])('refuses %s', (_, n, i, path, expected) => {
    const found = resolveInstance(index, uuid(n), i, path);
    expect(found).toEqual(
      expected.map(([member, type]) => expect.objectContaining({ loc: ['body', member], type })),
    );
  });

  test.each<[number, number | undefined, string | undefined, string, object?]>([
    [41, -1, undefined, 'Value error, should be a whole number from 0', { input: -1 }],
    [
      11,
      undefined,
      'x',
      'Value error, should be left out: the field is in no repeat section',
      { input: 'x' },
    ],
    [
      31,
      undefined,
      'x',
      `Value error, the path of this field has the form "${outer}[i]/${inner}[i]"`,
      { input: 'x' },
    ],
    [31, 1, undefined, 'Field required within nested repeat sections'],
    [
      41,
      3,
      undefined,
      'Input should be less than or equal to 2: "Section 4" has at most 3 instances',
      { input: 3, ctx: { le: 2 } },
    ],
    [11, 1, undefined, 'Value error, should be 0: the field is in no repeat section', { input: 1 }],
    [41, 2, `${single}[1]`, 'Value error, should be 1, the last index of instance_path', { input: 2 }],
  ])('says of field %i with the index %j and the path %j: %s', (n, i, path, msg, ...[more]) =>
    expect(resolveInstance(index, uuid(n), i, path)).toEqual([
      { loc: ['body', expect.any(String)], type: expect.any(String), msg, ...more },
    ]),
  );

  test('throws for a field of another content', () =>
    expect(() => resolveInstance(index, uuid(99))).toThrow(
      new RangeError(`No field ${uuid(99)} in this content`),
    ));

  test('never throws for any path', () =>
    fc.assert(fc.property(fc.string(), (path) => void resolveInstance(index, uuid(31), undefined, path))));
});
