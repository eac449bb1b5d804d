import { publishImpact } from '../../../../shared/domain/content/publish/impact.ts';
import { Content } from '../../../../shared/schemas/templates/content.ts';
import { field, section, uuid } from '../../../support/content.ts';
import { effort } from '../../../support/effort.ts';

const impact = (after: object, before: object | null) =>
  publishImpact(Content.parse(after), before && Content.parse(before));

const NONE = { added: [], removed: [], changed: [] };

/** The change of a content with a single field. */
const changeOf = (was: object, is: object, rest: object = {}) => {
  const of = (more: object) => ({ ...rest, sections: [section(1, [field(2, 'text', more)])] });
  const { changes = [], incompatible = [] } = impact(of(is), of(was)).fields.changed[0] ?? {};
  return { changes, incompatible };
};

/** The attributes that make former answers invalid. */
const incompatibleOf = (was: object, is: object) =>
  changeOf(was, is).incompatible.map(({ attribute, from, to }) => [attribute, from, to]);

const options = (...values: string[]) => values.map((value) => ({ value, label: value }));

describe('publishImpact', () => {
  test('is empty for the same content in another order', () => {
    const start = [
      { key: 'a', type: 'text', label: 'A' },
      { key: 'b', type: 'text', label: 'B' },
    ];
    const content = { start: { fields: start }, sections: [section(1, [field(2), field(3)]), section(4)] };
    const ordered = {
      start: { fields: start.toReversed() },
      sections: [section(4), section(1, [field(3), field(2)])],
    };
    expect(impact(ordered, content)).toEqual({ fields: NONE, sections: NONE, start_fields: NONE });
  });

  test.each([
    [{}, { constraint: 'true()' }, ['constraint'], ['constraint']],
    [{ constraint: 'true()' }, {}, ['constraint'], []],
    [{ constraint_message: 'a' }, { constraint_message: 'b' }, ['constraint_message'], []],
    [{ required_message: 'a' }, {}, ['required_message'], []],
  ])('names the optional attributes that differ between %j and %j', (was, is, changes, incompatible) => {
    const change = changeOf(was, is);
    expect([change.changes, change.incompatible.map(({ attribute }) => attribute)]).toEqual([
      changes,
      incompatible,
    ]);
  });

  test('lists all parts of a first version as added', () => {
    const content = {
      start: { fields: [{ key: 'guide', type: 'text', label: 'Guide' }] },
      sections: [section(1, [field(2)], { sections: [section(3)] })],
    };
    const [shownField, shownStart] = [
      { field_id: uuid(2), section_id: uuid(1), label: 'Field 2', type: 'text' },
      { key: 'guide', label: 'Guide', type: 'text' },
    ];
    const sections = [
      { section_id: uuid(1), title: 'Section 1' },
      { section_id: uuid(3), title: 'Section 3' },
    ];
    expect(impact(content, null)).toEqual({
      fields: { ...NONE, added: [shownField] },
      sections: { ...NONE, added: sections },
      start_fields: { ...NONE, added: [shownStart] },
    });
    expect(impact({}, content)).toEqual({
      fields: { ...NONE, removed: [shownField] },
      sections: { ...NONE, removed: sections },
      start_fields: { ...NONE, removed: [shownStart] },
    });
  });

  test('names the attributes that differ, and none as incompatible when former answers stay valid', () => {
    expect(changeOf({}, { label: 'Other', required: true, help_text: 'Look up' })).toEqual({
      changes: ['label', 'help_text', 'required'],
      incompatible: [],
    });
    const wider = [
      { type: 'number', min: 0, max: 10, step: 1 },
      { type: 'number', min: -1, max: 11, step: 0.1 },
    ] as const;
    expect(changeOf(...wider)).toEqual({ changes: ['min', 'max', 'step'], incompatible: [] });
    expect(incompatibleOf({ max_length: 10, pattern: 'a+' }, { max_length: 20 })).toEqual([]);
    expect(incompatibleOf({ type: 'text' }, { type: 'long_text' })).toEqual([]);
  });

  test('finds limits that allow less', () => {
    const number = { type: 'number', min: 0, max: 10, step: 0.1 };
    expect(incompatibleOf(number, { ...number, min: 1, max: 9, step: 0.3 })).toEqual([
      ['min', 0, 1],
      ['max', 10, 9],
      ['step', 0.1, 0.3],
    ]);
    expect(incompatibleOf({ type: 'number' }, number)).toEqual([
      ['min', null, 0],
      ['max', null, 10],
      ['step', null, 0.1],
    ]);
    // A rating has default limits.
    expect(incompatibleOf({ type: 'number', min: 0, max: 10, step: 1 }, { type: 'rating' })).toEqual([
      ['min', 0, 1],
      ['max', 10, 5],
    ]);
    expect(incompatibleOf({}, { max_length: 5, pattern: 'a+' })).toEqual([
      ['max_length', null, 5],
      ['pattern', null, 'a+'],
    ]);
    expect(incompatibleOf({ pattern: 'a+' }, { pattern: 'a*' })).toEqual([['pattern', 'a+', 'a*']]);
  });

  test('says of each limit why former answers are no longer valid', () => {
    const reasons = (was: object, is: object) => changeOf(was, is).incompatible.map(({ reason }) => reason);
    const number = { type: 'number' };
    expect(reasons(number, { ...number, min: 1, max: 9, step: 0.3 })).toEqual([
      'smaller numbers are no longer valid answers',
      'greater numbers are no longer valid answers',
      'numbers between the steps are no longer valid answers',
    ]);
    expect(reasons({}, { max_length: 5, pattern: 'a+', constraint: 'true()' })).toEqual([
      'longer texts are no longer valid answers',
      'texts that do not match are no longer valid answers',
      'values that do not meet it are no longer valid answers',
    ]);
    const select = { type: 'single_select', options: options('a', 'b', 'c') };
    expect(reasons(select, { ...select, options: options('c'), choice_filter: 'true()' })).toEqual([
      '2 options were removed',
      'options that it does not offer are no longer valid answers',
    ]);
  });

  test.each([
    [
      { type: 'number', min: 1, max: 9 },
      { type: 'number', min: 1, max: 9, unit: 'm' },
    ],
    [
      { type: 'number', step: 1 },
      { type: 'number', step: 0 },
    ],
    [
      { type: 'number', step: 1 },
      { type: 'number', step: -1 },
    ],
    [{ pattern: 'a+' }, { pattern: 'a+', label: 'Other' }],
  ])('finds that answers to %j stay valid for %j', (was, is) => expect(incompatibleOf(was, is)).toEqual([]));

  test('finds options that were removed from the field, its type or its response set', () => {
    const select = { type: 'single_select' };
    expect(
      changeOf({ ...select, options: options('a', 'b') }, { ...select, options: options('b', 'c') }),
    ).toEqual({
      changes: ['options'],
      incompatible: [{ attribute: 'options', from: ['a'], to: null, reason: '1 option was removed' }],
    });
    expect(incompatibleOf({ type: 'pass_fail_na' }, { type: 'yes_no_na' })).toEqual([
      ['options', ['pass', 'fail'], null],
    ]);
    const many = Array.from({ length: 12 }, (_, n) => `o${n}`);
    expect(
      incompatibleOf({ ...select, options: options(...many) }, { ...select, options: options('x') }),
    ).toEqual([['options', many.slice(0, 10), null]]);
    const withSet = (...values: string[]) => ({
      response_sets: [{ id: uuid(9), name: 'Grades', options: options(...values) }],
      sections: [section(1, [field(2, 'text', { ...select, response_set_id: uuid(9) })])],
    });
    const [changed] = impact(withSet('a'), withSet('a', 'b')).fields.changed;
    expect(changed).toMatchObject({ changes: ['options'], incompatible: [{ from: ['b'] }] });
    expect(impact(withSet('a', 'b'), withSet('a', 'b')).fields).toEqual(NONE);
  });

  test('finds a type whose answers have another form, and then names nothing else', () => {
    expect(changeOf({ type: 'number', min: 1 }, { type: 'text', max_length: 5 })).toEqual({
      changes: ['type', 'min', 'max_length'],
      incompatible: [
        {
          attribute: 'type',
          from: 'number',
          to: 'text',
          reason: 'answers to a number field are not valid for a text field',
        },
      ],
    });
  });

  test('finds fields that move into a repeat, out of it or together with it, and allows other moves', () => {
    const repeat = { repeat: { min: 0, max: 5 } };
    const plain = { sections: [section(1, [field(2)]), section(3)] };
    const moved = { sections: [section(1), section(3, [field(2)])] };
    expect(impact(moved, plain).fields.changed).toEqual([
      expect.objectContaining({ section_id: uuid(3), changes: ['section_id'], incompatible: [] }),
    ]);
    const repeated = { sections: [section(1, [field(2)], repeat), section(3)] };
    const { fields, sections } = impact(repeated, plain);
    expect(fields.changed).toEqual([
      expect.objectContaining({
        changes: ['repeats'],
        incompatible: [
          {
            attribute: 'repeats',
            from: [],
            to: [uuid(1)],
            reason: 'its answers belong to other instances of repeat sections',
          },
        ],
      }),
    ]);
    expect(sections.changed).toEqual([
      expect.objectContaining({
        changes: ['repeat'],
        incompatible: [
          {
            attribute: 'repeat',
            from: null,
            to: expect.objectContaining(repeat.repeat),
            reason: 'its answers belong to other instances of repeat sections',
          },
        ],
      }),
    ]);
    expect(impact(moved, repeated).fields.changed[0]).toMatchObject({
      changes: ['section_id', 'repeats'],
      incompatible: [{ from: [uuid(1)], to: [] }],
    });
  });

  test('finds fewer instances, and sections that moved', () => {
    const repeated = (max: number) => ({ sections: [section(1, [field(2)], { repeat: { min: 0, max } })] });
    expect(impact(repeated(3), repeated(5)).sections.changed[0]).toMatchObject({
      incompatible: [
        {
          attribute: 'repeat',
          to: { max: 3 },
          reason: 'a section has at most 3 instances now, and further ones are no longer valid',
        },
      ],
    });
    expect(impact(repeated(5), repeated(3)).sections.changed[0]).toMatchObject({ incompatible: [] });
    const described = { sections: [{ ...repeated(3).sections[0], description: 'All' }] };
    expect(impact(described, repeated(3)).sections.changed[0]).toMatchObject({ incompatible: [] });
    const flat = { sections: [section(1), section(3)] };
    const nested = { sections: [section(1, [], { sections: [section(3)] })] };
    expect(impact(nested, flat).sections).toEqual({
      ...NONE,
      changed: [{ section_id: uuid(3), title: 'Section 3', changes: ['parent_id'], incompatible: [] }],
    });
  });

  test('compares start fields by their keys', () => {
    const start = (more: object) => ({
      start: { fields: [{ key: 'n', type: 'number', label: 'N', ...more }] },
    });
    expect(impact(start({ label: 'Number', max: 9 }), start({})).start_fields).toEqual({
      ...NONE,
      changed: [
        {
          key: 'n',
          label: 'Number',
          type: 'number',
          changes: ['label', 'max'],
          incompatible: [expect.objectContaining({ attribute: 'max', from: null, to: 9 })],
        },
      ],
    });
  });

  test('compares 5,000 fields that share a long response set in little time', () => {
    const large = (label: string) =>
      Content.parse({
        response_sets: [
          {
            id: uuid(9),
            name: 'Parts',
            options: Array.from({ length: 1_000 }, (_, n) => ({ value: `${label}${n}`, label: 'L' })),
          },
        ],
        sections: [
          section(
            1,
            Array.from({ length: 5_000 }, (_, n) =>
              field(100 + n, 'single_select', { response_set_id: uuid(9), label }),
            ),
          ),
        ],
      });
    const [before, after] = [large('a'), large('b')];
    const startedAt = effort();
    expect(publishImpact(after, before).fields.changed).toHaveLength(5_000);
    expect(effort() - startedAt).toBeLessThan(300);
  });
});
