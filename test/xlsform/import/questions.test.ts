import { publishProblems } from '../../../shared/domain/content/publish/publish.ts';
import type { Field } from '../../../shared/schemas/templates/content.ts';
import type { FormRow } from '../../../shared/schemas/templates/xlsform.ts';
import { ASKED, fieldsOf, imported, labelled, lost, spoken } from '../small-forms.ts';

describe('importForm: questions', () => {
  test.each<[type: string, row: FormRow, expected: Partial<Field>]>([
    ['text', {}, { type: 'text' }],
    ['string', { appearance: 'multiline' }, { type: 'long_text' }],
    ['text', { parameters: 'rows=5' }, { type: 'long_text' }],
    ['integer', {}, { type: 'number', step: 1 }],
    ['decimal', {}, { type: 'number', step: null }],
    ['range', {}, { type: 'slider', min: 1, max: 10, step: 1 }],
    ['range', { parameters: 'start=0; end=1 step = 0.1' }, { type: 'slider', min: 0, max: 1, step: 0.1 }],
    ['range', { appearance: 'rating' }, { type: 'rating', min: 1, max: 10 }],
    ['percentage', {}, { type: 'number', min: 0, max: 100, unit: '%' }],
    ['phone number', {}, { type: 'text', pattern: String.raw`\d*`, help_text: 'Enter numbers only.' }],
    ['date', { default: '2026-03-02' }, { type: 'date', default_value: '2026-03-02' }],
    ['dateTime', {}, { type: 'datetime' }],
    ['add time prompt', {}, { type: 'time' }],
    [
      'gps',
      { default: '1.5 -2 0 7' },
      { type: 'geo_point', default_value: { lat: 1.5, lng: -2, accuracy_m: 7 } },
    ],
    ['image', {}, { type: 'photo' }],
    ['image', { appearance: 'signature' }, { type: 'signature' }],
    ['photo', { appearance: 'draw' }, { type: 'drawing' }],
    ['audio', {}, { type: 'audio' }],
    ['video', {}, { type: 'video' }],
    ['file', {}, { type: 'file' }],
    ['barcode', {}, { type: 'barcode' }],
    ['note', {}, { type: 'instruction' }],
    ['trigger', { default: 'OK' }, { type: 'checkbox', default_value: true }],
    ['select one from yes_no', { default: 'no' }, { type: 'single_select', default_value: 'no' }],
    [
      'select all that apply from yes_no',
      { default: 'yes no' },
      { type: 'multi_select', default_value: ['yes', 'no'] },
    ],
    [
      'calculate',
      { calculation: '1 + 1' },
      { type: 'calculated', formula: '1 + 1', report: { visible: true } },
    ],
    ['hidden', { default: 'v1' }, { type: 'calculated', formula: "'v1'" }],
  ])('reads a question of type %s (%j)', (type, row, expected) => {
    const form = imported([
      { type, name: 'a', label: 'A', ...row },
      { type: 'text', name: 'b', label: 'B' },
    ]);
    expect(labelled(form, 'A')).toMatchObject(expected);
    expect(lost(form)).toEqual([]);
    expect(publishProblems(form.content)).toEqual([]);
  });

  test('makes a remark on each type that is not supported, and imports what it can of it', () => {
    const form = imported([
      { type: 'geotrace', name: 'way', label: 'Way' },
      { type: 'rank yes_no', name: 'order', label: 'Order' },
      { type: 'select_one_from_file sites.csv', name: 'site', label: 'Site' },
      { type: 'deviceid', name: 'device' },
      { type: 'today', name: 'today' },
      { type: 'username', name: 'user' },
      { type: 'text', name: 'a', label: 'A', relevant: "${site} = 'north' and ${today} > '2026-01-01'" },
    ]);
    expect(lost(form).map((message) => message.split(':')[0])).toEqual(['type', 'type', 'type', 'type']);
    expect(fieldsOf(form.content).map(({ type }) => type)).toEqual([
      'long_text',
      'multi_select',
      'text',
      'text',
    ]);
    expect(form.content.start.fields).toMatchObject([{ key: 'today', type: 'date', label: 'Date' }]);
    expect(spoken(form.content, labelled(form, 'A').visible_if)).toEqual({
      all: [
        { field_id: 'Site', op: 'eq', value: 'north' },
        { start_key: 'today', op: 'gt', value: '2026-01-01' },
      ],
    });
  });

  test.each<[required: string | boolean, expected: Partial<Field>]>([
    ['yes', { required: true, required_if: null }],
    ['true()', { required: true, required_if: null }],
    [true, { required: true, required_if: null }],
    ['no', { required: false, required_if: null }],
  ])('reads required %s', (required, expected) => {
    expect(labelled(imported([{ type: 'text', name: 'a', label: 'A', required }]), 'A')).toMatchObject(
      expected,
    );
  });

  test('reads required as an expression', () => {
    const form = imported([...ASKED, { type: 'text', name: 'a', label: 'A', required: "${one} = 'no'" }]);
    const { required, required_if } = labelled(form, 'A');
    expect([required, spoken(form.content, required_if)]).toEqual([
      false,
      { field_id: 'one', op: 'eq', value: 'no' },
    ]);
  });

  test('reads columns by their other names', () => {
    const form = imported([
      { type: 'integer', name: 'n', label: 'n' },
      {
        Command: 'text',
        Tag: 'a',
        Caption: 'A',
        'bind::relevant': '${n} > 1',
        'Constraint Message': 'no',
        'bind::required': 'yes',
        'media::image': 'a.jpg',
      },
    ]);
    expect(labelled(form, 'A')).toMatchObject({
      type: 'text',
      required: true,
      visible_if: { op: 'gt' },
      constraint_message: 'no',
    });
    expect(form.remarks.map(({ column }) => column)).toEqual(['media::image']);
  });

  test('leaves out disabled rows and comments, with a remark', () => {
    const form = imported([
      { type: 'text', name: 'a', label: 'A', disabled: 'yes' },
      { hint: 'Part two' },
      { type: 'text', name: 'b', label: 'B' },
    ]);
    expect(fieldsOf(form.content).map(({ label }) => label)).toEqual(['B']);
    expect(form.remarks).toMatchObject([
      { row: 0, column: 'disabled', name: 'a' },
      { row: 1, column: 'hint' },
    ]);
  });
});
