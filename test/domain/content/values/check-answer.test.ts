import fc from 'fast-check';
import { indexContent } from '../../../../shared/domain/content/content-index.ts';
import { checkAnswer } from '../../../../shared/domain/content/values/check-answer.ts';
import { isFailed } from '../../../../shared/domain/content/values/comparison.ts';
import { displayAnswer } from '../../../../shared/domain/content/values/display.ts';
import { references } from '../../../../shared/domain/content/values/references.ts';
import { Content, FieldType, StartField } from '../../../../shared/schemas/templates/content.ts';
import { field, uuid } from '../../../support/content.ts';
import { runs } from '../../../support/scale.ts';
import { document } from '../fixtures.ts';
import { fieldOf, index, options } from './fixtures.ts';

const check = (type: string, more: object, value: unknown, mark?: { is_na?: boolean }) =>
  checkAnswer(fieldOf(type, more), index, value, mark);

describe('checkAnswer', () => {
  const signed = { document_id: null, typed: 'J. Doe', signed_name: 'Jane Doe', signed_at: null };
  const home = { line1: 'Main St 1', line2: '', city: '', region: '', postal_code: '', country: 'CH' };
  test.each<[string, object, unknown, unknown]>([
    ['text', {}, 'a', 'a'],
    ['text', {}, '', ''],
    ['text', { max_length: 3 }, 'abc', 'abc'],
    ['text', {}, 'lone \ud800', 'lone \ufffd'],
    ['text', { pattern: '[A-Z]{2}|\\d' }, 'AB', 'AB'],
    ['text', { pattern: '\\d' }, '', ''],
    ['text', { pattern: '(a)\\1' }, '', ''],
    ['text', { pattern: '(?=.*\\d)[a-z\\d]{4,}' }, 'abc1', 'abc1'],
    ['long_text', {}, 'x'.repeat(20_000), 'x'.repeat(20_000)],
    ['barcode', {}, '4006381333931', '4006381333931'],
    ['number', {}, -1.5, -1.5],
    ['number', {}, -0, 0],
    ['number', { min: 0, max: 1 }, 1, 1],
    ['number', { step: 0.1 }, 0.3, 0.3],
    ['number', { min: 0.05, step: 0.1 }, 0.35, 0.35],
    ['number', { step: 1e-7 }, 3e-7, 3e-7],
    // Only drafts have such steps.
    ['number', { step: 0 }, 0.7, 0.7],
    ['number', { step: -1 }, 0.7, 0.7],
    ['number', {}, 1e-15, 1e-15],
    ['number', { step: 0.1 }, -1234567.7, -1234567.7],
    ['slider', {}, 100, 100],
    ['rating', {}, 5, 5],
    ['temperature', { min: -20, max: 8, step: 0.5 }, -19.5, -19.5],
    ['yes_no', {}, false, false],
    ['checkbox', {}, true, true],
    ['yes_no_na', {}, 'no', 'no'],
    ['pass_fail_na', {}, 'pass', 'pass'],
    ['single_select', { options }, 'bad', 'bad'],
    ['multi_select', { options }, ['bad', 'good'], ['good', 'bad']],
    ['multi_select', { options }, [], []],
    ['date', {}, '2024-02-29', '2024-02-29'],
    ['time', {}, '23:59', '23:59'],
    ['time', {}, '23:59:59', '23:59:59'],
    ['datetime', {}, '2024-02-29t10:00:00.5+02:00', '2024-02-29T10:00:00.5+02:00'],
    ['datetime', {}, '2024-02-29T10:00:00Z', '2024-02-29T10:00:00Z'],
    ['photo', {}, [{ document_id: uuid(7).toUpperCase() }], [document(7)]],
    ['file', { media: { max: 2 } }, [document(7, 'x'), document(8)], [document(7, 'x'), document(8)]],
    ['signature', {}, { typed: 'J. Doe', signed_name: 'Jane Doe' }, signed],
    [
      'signature',
      {},
      { document_id: uuid(7), signed_name: 'J', signed_at: '2024-01-01T00:00:00Z' },
      { document_id: uuid(7), typed: null, signed_name: 'J', signed_at: '2024-01-01T00:00:00Z' },
    ],
    ['geo_point', {}, { lat: -90, lng: 180 }, { lat: -90, lng: 180, accuracy_m: null }],
    ['geo_point', {}, { lat: 90, lng: -180 }, { lat: 90, lng: -180, accuracy_m: null }],
    ['datetime', {}, '2024-02-29T10:00:00+23:00', '2024-02-29T10:00:00+23:00'],
    ['address', {}, { line1: 'Main St 1', country: 'ch' }, home],
    ['address', {}, { line1: 'Main St 1', country: '' }, { ...home, country: '' }],
    ['member', {}, uuid(7).toUpperCase(), uuid(7)],
    ['client_account', {}, uuid(7), uuid(7)],
    ['location', {}, uuid(7), uuid(7)],
    [
      'reference',
      {},
      { source_id: uuid(7), external_id: 'x' },
      { source_id: uuid(7), external_id: 'x', label: '' },
    ],
  ])('%s %j takes %j', (type, more, value, normal) =>
    expect(check(type, more, value)).toEqual({ value: normal, is_na: false }),
  );

  test.each<[string, object, unknown, [type: string, ...loc: string[]][]]>([
    ['text', {}, 5, [['string_type']]],
    ['text', { max_length: 3 }, 'abcd', [['string_too_long']]],
    ['text', {}, 'x'.repeat(1_001), [['string_too_long']]],
    ['text', { pattern: '[A-Z]{2}|\\d' }, 'ABC', [['string_pattern_mismatch']]],
    ['text', { pattern: 'a|b' }, 'ax', [['string_pattern_mismatch']]],
    ['text', { pattern: '(a)\\1' }, 'aa', [['value_error']]],
    ['text', { pattern: '(' }, 'a', [['value_error']]],
    ['long_text', { pattern: 'x+' }, 'x'.repeat(201), [['string_too_long']]],
    ['number', {}, '5', [['float_type']]],
    ['number', {}, JSON.parse('1e999'), [['float_type']]],
    ['number', {}, 1e16, [['less_than_equal']]],
    ['number', {}, -1e16, [['greater_than_equal']]],
    ['number', {}, 1e-200, [['value_error']]],
    ['number', { min: 0 }, -0.1, [['greater_than_equal']]],
    ['number', { max: 0 }, 0.1, [['less_than_equal']]],
    ['number', { step: 0.1 }, 0.35, [['value_error']]],
    ['number', { min: 0.05, step: 0.1 }, 0.3, [['value_error']]],
    ['slider', {}, 101, [['less_than_equal']]],
    ['rating', {}, 0, [['greater_than_equal']]],
    ['rating', {}, 4.5, [['value_error']]],
    ['yes_no', {}, 'yes', [['bool_type']]],
    ['checkbox', {}, 1, [['bool_type']]],
    ['yes_no_na', {}, true, [['string_type']]],
    ['yes_no_na', {}, 'maybe', [['enum']]],
    ['yes_no_na', { options }, 'yes', [['enum']]],
    ['multi_select', { options }, 'good', [['list_type']]],
    ['multi_select', { options }, ['good', 'good'], [['value_error', '1']]],
    [
      'multi_select',
      { options },
      ['x', 'good', 'y'],
      [
        ['enum', '0'],
        ['enum', '2'],
      ],
    ],
    ['multi_select', { options }, ['good', 'none'], [['value_error']]],
    ['multi_select', { options }, ['good', 'good', 'good', 'good'], [['too_long']]],
    ['date', {}, '2023-02-29', [['date_from_datetime_parsing']]],
    ['date', {}, '2024-02-29T00:00:00Z', [['date_from_datetime_parsing']]],
    ['date', {}, '29.02.2024', [['date_from_datetime_parsing']]],
    ['date', {}, '2024-13-01', [['date_from_datetime_parsing']]],
    ['time', {}, '24:00', [['value_error']]],
    ['time', {}, '7:30', [['value_error']]],
    ['time', {}, 'x10:30', [['value_error']]],
    ['time', {}, '10:30x', [['value_error']]],
    ['datetime', {}, '2024-02-29T10:00:00', [['datetime_parsing']]],
    ['datetime', {}, '2024-02-30T10:00:00Z', [['datetime_parsing']]],
    ['datetime', {}, '2024-02-29T24:00:00Z', [['datetime_parsing']]],
    ['datetime', {}, '2024-02-29', [['datetime_parsing']]],
    ['datetime', {}, 'x2024-02-29T10:00:00Z', [['datetime_parsing']]],
    ['datetime', {}, '2024-02-29T10:00:00Zx', [['datetime_parsing']]],
    ['datetime', {}, '2024-02-29T10:00:00+24:00', [['datetime_parsing']]],
    ['datetime', {}, '2024-02-29T10:00:00+29:00', [['datetime_parsing']]],
    ['photo', {}, document(7), [['list_type']]],
    [
      'photo',
      {},
      [
        { caption: 'x' },
        document(7),
        document(7),
        { ...document(8), url: '' },
        { document_id: 'x', caption: 5 },
      ],
      [
        ['missing', '0', 'document_id'],
        ['value_error', '2'],
        ['extra_forbidden', '3', 'url'],
        ['uuid_parsing', '4', 'document_id'],
        ['string_type', '4', 'caption'],
      ],
    ],
    ['video', { media: { max: 1 } }, [document(7), document(8)], [['too_long']]],
    ['signature', {}, { signed_name: 'J' }, [['value_error']]],
    ['signature', {}, { typed: 'J', document_id: uuid(7), signed_name: 'J' }, [['value_error']]],
    [
      'signature',
      {},
      { typed: 'J', signed_at: 'now' },
      [
        ['missing', 'signed_name'],
        ['datetime_parsing', 'signed_at'],
      ],
    ],
    ['signature', {}, { typed: ' ', signed_name: 'J' }, [['string_too_short', 'typed']]],
    [
      'geo_point',
      {},
      { lat: 90.1, lng: -180.1, accuracy_m: -1 },
      [
        ['less_than_equal', 'lat'],
        ['greater_than_equal', 'lng'],
        ['greater_than_equal', 'accuracy_m'],
      ],
    ],
    ['geo_point', {}, [1, 2], [['dict_type']]],
    ['address', {}, { line1: ' ' }, [['value_error']]],
    ['address', {}, { line1: 'x', country: 'Switzerland' }, [['string_pattern_mismatch', 'country']]],
    ['address', {}, JSON.parse('{"line1": "x", "__proto__": {}}'), [['extra_forbidden', '__proto__']]],
    ['member', {}, 'me', [['uuid_parsing']]],
    ['member', {}, `x${uuid(7)}`, [['uuid_parsing']]],
    ['member', {}, `${uuid(7)}x`, [['uuid_parsing']]],
    ['member', {}, 5, [['string_type']]],
    ['address', {}, 'Main St 1', [['dict_type']]],
    ['location', {}, { id: uuid(7) }, [['string_type']]],
    ['reference', {}, { source_id: uuid(7), external_id: '' }, [['string_too_short', 'external_id']]],
    ['calculated', { formula: '1' }, 5, [['value_error']]],
    ['calculated', { formula: '1' }, null, [['value_error']]],
    ['instruction', {}, true, [['value_error']]],
    ['instruction', {}, null, [['value_error']]],
  ])('%s %j refuses %j', (type, more, value, expected) => {
    const problems = expected.map(([type, ...loc]) =>
      expect.objectContaining({ type, loc: ['body', 'value', ...loc] }),
    );
    expect(check(type, more, value)).toEqual(problems);
  });

  test('names the limit, and repeats the input', () =>
    expect(check('number', { max: 5 }, 6)).toEqual([
      {
        loc: ['body', 'value'],
        type: 'less_than_equal',
        msg: 'Input should be less than or equal to 5',
        input: 6,
        ctx: { le: 5 },
      },
    ]));

  const many = Array.from({ length: 11 }, (_, i) => ({ value: `o${i}`, label: 'O' }));
  const limits = { min: 1, max: 5, step: 2 };
  test.each<[string, object, unknown, msg: string, ctx?: object]>([
    ['text', {}, 5, 'Input should be a valid string'],
    ['text', { max_length: 3 }, 'abcd', 'String should have at most 3 characters', { max_length: 3 }],
    ['text', { pattern: '\\d' }, 'a', "String should match pattern '\\d'", { pattern: '\\d' }],
    ['number', {}, '5', 'Input should be a valid number'],
    ['number', limits, 0, 'Input should be greater than or equal to 1', { ge: 1 }],
    ['number', limits, 7, 'Input should be less than or equal to 5', { le: 5 }],
    ['number', limits, 2, 'Value error, should be 1 plus a multiple of 2', { multiple_of: 2 }],
    ['number', { step: 2 }, 3, 'Value error, should be a multiple of 2', { multiple_of: 2 }],
    ['number', { min: 0, step: 2 }, 3, 'Value error, should be a multiple of 2', { multiple_of: 2 }],
    ['number', {}, 1e-16, 'Value error, should be 0, or not nearer to 0 than 1e-15'],
    ['yes_no', {}, 'yes', 'Input should be a valid boolean'],
    ['single_select', { options }, 'x', "Input should be one of 'good', 'bad', 'none'"],
    [
      'single_select',
      { options: many },
      'x',
      "Input should be one of 'o0', 'o1', 'o2', 'o3', 'o4', 'o5', 'o6', 'o7', 'o8', 'o9', …",
    ],
    [
      'single_select',
      { options: many.slice(1) },
      'x',
      "Input should be one of 'o1', 'o2', 'o3', 'o4', 'o5', 'o6', 'o7', 'o8', 'o9', 'o10'",
    ],
    ['single_select', { options }, true, 'Input should be a valid string'],
    ['date', {}, '29.2.2024', 'Input should be a valid date, YYYY-MM-DD'],
    ['time', {}, '7:30', 'Value error, a time has the form HH:MM or HH:MM:SS'],
    ['datetime', {}, 'now', 'Input should be a valid date-time with its offset (RFC 3339)'],
    ['member', {}, 'me', 'Input should be a valid UUID'],
  ])('%s %j says of %j: %s', (type, more, value, msg, ...[ctx]) =>
    expect(check(type, more, value)).toStrictEqual([
      { loc: ['body', 'value'], type: expect.any(String), msg, input: value, ...(ctx && { ctx }) },
    ]),
  );

  test.each<[string, object, unknown, msg: string, ctx?: object]>([
    [
      'text',
      { pattern: '(' },
      'a',
      expect.stringMatching(/^Value error, the pattern of the field cannot be used: ./),
    ],
    ['photo', {}, {}, 'Input should be a valid list'],
    [
      'photo',
      { media: { max: 1 } },
      [document(7), document(8)],
      'List should have at most 1 items, not 2',
      { max_length: 1, actual_length: 2 },
    ],
    ['photo', {}, [document(7), document(7)], 'Value error, the list already has this item'],
    ['photo', {}, [{ caption: 'x' }], 'Field required'],
    ['photo', {}, [{ ...document(8), url: '' }], 'Extra inputs are not permitted'],
    [
      'multi_select',
      { options },
      ['good', 'none'],
      'Value error, a not applicable option cannot be combined with other options',
    ],
    [
      'signature',
      {},
      { signed_name: 'J' },
      'Value error, a signature needs either document_id or typed, and not both',
    ],
    ['geo_point', {}, [1, 2], 'Input should be a valid dictionary'],
    ['address', {}, { line1: ' ' }, 'Value error, an address needs at least one part that is not blank'],
    ['calculated', { formula: '1' }, null, 'Value error, a calculated field is read-only'],
    ['instruction', {}, null, 'Value error, an instruction takes no answer'],
  ])('%s %j says of %j, which it does not repeat: %s', (type, more, value, msg, ...[ctx]) =>
    expect(check(type, more, value)).toStrictEqual([
      { loc: expect.any(Array), type: expect.any(String), msg, ...(ctx && { ctx }) },
    ]),
  );

  test('says which text is too short', () =>
    expect(check('reference', {}, { source_id: uuid(7), external_id: '' })).toMatchObject([
      { msg: 'String should have at least 1 character(s)', ctx: { min_length: 1 } },
    ]));

  test('says of both what is wrong with an answer that is marked not applicable', () =>
    expect(check('text', {}, 'x', { is_na: true })).toEqual([
      {
        loc: ['body', 'is_na'],
        type: 'value_error',
        msg: 'Value error, this field cannot be marked not applicable',
        input: true,
      },
      {
        loc: ['body', 'value'],
        type: 'value_error',
        msg: 'Value error, an answer that is marked not applicable has no value',
        input: 'x',
      },
    ]));

  test('repeats a text of at most 200 characters', () => {
    const inputs = [200, 201].map((length) => check('member', {}, 'x'.repeat(length)));
    expect(inputs).toEqual([
      [expect.objectContaining({ input: 'x'.repeat(200) })],
      [expect.not.objectContaining({ input: expect.anything() })],
    ]);
  });

  test('does not repeat a long text or an object', () => {
    for (const value of ['x'.repeat(5_000), { a: [] }])
      expect(check('text', {}, value)).toEqual([expect.not.objectContaining({ input: value })]);
  });

  test.each(FieldType.exclude(['calculated', 'instruction']).options)('null clears a %s', (type) =>
    expect(check(type, {}, null)).toEqual({ value: null, is_na: false }),
  );

  test.each<[string, string, object, unknown, object]>([
    ['where it is allowed', 'text', { allow_na: true }, null, { value: null, is_na: true }],
    ['by an option', 'single_select', { options }, 'none', { value: 'none', is_na: true }],
    ['by an option of several', 'multi_select', { options }, ['none'], { value: ['none'], is_na: true }],
  ])('not applicable %s', (_, type, more, value, expected) => {
    expect(check(type, more, value, { is_na: true })).toEqual(expected);
  });

  test('choosing an option can mark an answer not applicable', () =>
    expect(check('yes_no_na', {}, 'na')).toEqual({ value: 'na', is_na: true }));

  test('not applicable where a section around the field allows it', () => {
    const inner = { id: uuid(102), title: 'Inner', fields: [field(1, 'text')] };
    const within = (allow_na: boolean) =>
      indexContent(
        Content.parse({ sections: [{ id: uuid(101), title: 'Outer', allow_na, sections: [inner] }] }),
      );
    expect(checkAnswer(fieldOf('text'), within(true), null, { is_na: true })).toEqual({
      value: null,
      is_na: true,
    });
    expect(checkAnswer(fieldOf('text'), within(false), null, { is_na: true })).toHaveLength(1);
  });

  test.each<[string, string, object, unknown, string[]]>([
    ['where the field always applies', 'text', {}, null, ['is_na']],
    ['with a value', 'text', { allow_na: true }, 'x', ['value']],
    ['with another option', 'single_select', { options }, 'good', ['is_na', 'value']],
  ])('refuses not applicable %s', (_, type, more, value, members) =>
    expect(check(type, more, value, { is_na: true })).toEqual(
      members.map((member) => expect.objectContaining({ loc: ['body', member], type: 'value_error' })),
    ),
  );

  test('checks answers to a start field', () => {
    const start = StartField.parse({ key: 'a', type: 'rating', label: 'A' });
    expect(checkAnswer(start, index, 3)).toEqual({ value: 3, is_na: false });
    expect(checkAnswer(start, index, 6)).toHaveLength(1);
    expect(checkAnswer(start, index, null, { is_na: true })).toHaveLength(1);
  });

  const settings: Record<string, object> = {
    text: { pattern: '\\w{1,5}', max_length: 9 },
    number: { min: -0.05, max: 99, step: 0.1 },
    single_select: { options },
    multi_select: { options },
    reference: { reference: { target_ref: 'locations' } },
    calculated: { formula: '1' },
    photo: { media: { max: 2 } },
  };
  const anyField = fc.constantFrom(...FieldType.options).map((type) => fieldOf(type, settings[type]));
  /** Any JSON, and values that may be valid. */
  const anyValue = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(
      'yes',
      'na',
      'pass',
      '2024-02-29',
      '10:30',
      '2024-02-29T10:30:00z',
      uuid(7).toUpperCase(),
    ),
    fc.array(fc.constantFrom('bad', 'good', 'none')),
    fc.integer({ min: -5, max: 990 }).map((n) => n / 10 - 0.05),
    fc.array(fc.record({ document_id: fc.uuid() }, { requiredKeys: [] })),
    fc.record({ lat: fc.double(), lng: fc.double(), accuracy_m: fc.option(fc.double()) }),
    fc.record({ line1: fc.string(), country: fc.constantFrom('ch', 'XX', '') }, { requiredKeys: [] }),
    fc.record({ typed: fc.string({ unit: 'binary' }), signed_name: fc.string() }),
    fc.record({ source_id: fc.uuid(), external_id: fc.string() }),
  );

  test('never throws for any JSON, and refuses with problems', () =>
    fc.assert(
      fc.property(anyField, anyValue, fc.boolean(), (field, value, is_na) => {
        const checked = checkAnswer(field, index, value, { is_na });
        if (Array.isArray(checked)) expect(checked.length).toBeGreaterThan(0);
      }),
      { numRuns: runs(500) },
    ));

  test('checks a stored value to itself, and it works with isFailed, references and displayAnswer', () =>
    fc.assert(
      fc.property(anyField, anyValue, fc.boolean(), (field, value, is_na) => {
        const checked = checkAnswer(field, index, value, { is_na });
        if (Array.isArray(checked)) return;
        expect(checkAnswer(field, index, checked.value, checked)).toEqual(checked);
        expect(typeof isFailed(field, index, checked.value)).toBe('boolean');
        expect(typeof displayAnswer(field, index, checked.value)).toBe('string');
        references(field, checked.value);
      }),
      { numRuns: runs(500) },
    ));

  test('accepts k steps above min and refuses half a step more, with any decimals', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 99 }),
        fc.integer({ min: -999, max: 999 }),
        fc.integer({ min: 0, max: 9_999 }),
        fc.integer({ min: 0, max: 6 }),
        (step, min, k, places) => {
          const at = (units: number) => Number(`${units}e-${places}`);
          const limits = { min: at(min), step: at(step) };
          expect(check('number', limits, at(min + k * step))).toHaveProperty('is_na', false);
          expect(
            check('number', limits, Number(`${(min + k * step) * 10 + step * 5}e-${places + 1}`)),
          ).toHaveLength(1);
        },
      ),
    ));
});
