import { chosen, MACHINE_COLUMNS, machineValue } from '../../../shared/reports/formats/machine-columns.ts';
import type { ReportField } from '../../../shared/schemas/reports/report-answer.ts';
import { option } from '../../domain/content/fixtures.ts';
import { contentWith, field, uuid } from '../../support/content.ts';
import { answer, reportPayload } from '../fixtures/material.ts';

const OPTIONS = { options: [option('a', { label: 'Dirty; wet' }), option('b', { label: '=1+1' })] };
const FILE = { file_name: 'a; b.jpg', mime_type: 'image/jpeg', size_bytes: 9 };

const media = (n: number, caption = '') => ({ document_id: uuid(n), caption });

/** A field with this answer, as the payload of a report has it. */
const reported = (type: string, value: unknown, more: object = {}, given: object = {}): ReportField =>
  reportPayload(contentWith(field(2, type, more)), {
    answers: [answer(2, value, given)],
    documents: new Map([[uuid(50), FILE]]),
  }).sections[0]!.fields[0]!;

/** The same as it was stored before `value` was kept. */
const storedBefore = (reportedField: ReportField): ReportField => {
  const { value: _value, ...before } = reportedField;
  return before;
};

const ADDRESS = { line1: 'Quay 1', line2: 'B', city: '', region: '', postal_code: '03', country: 'CH' };
const SIGNATURE = {
  document_id: null,
  typed: 'J',
  signed_name: 'Jo',
  signed_at: '2026-03-14T08:30:00.000Z',
};

describe('the value of an answer', () => {
  test.each<[string, unknown, object?]>([
    ['text', '=1+1'],
    ['barcode', '007'],
    ['number', -0.1],
    ['rating', 4],
    ['yes_no', false],
    ['yes_no_na', 'na'],
    ['single_select', 'a', OPTIONS],
    ['date', '2026-03-14'],
    ['time', '09:30'],
    ['datetime', '2026-03-14T09:30:00.5+02:00'],
    ['member', uuid(99)],
    ['client_account', uuid(99)],
    ['location', uuid(99)],
  ])('of the type %s is %j itself, also in older payloads', (type, value, more = {}) => {
    const shown = reported(type, value, more);
    expect([machineValue(shown), machineValue(storedBefore(shown))]).toEqual([value, value]);
  });

  test.each<[string, unknown, object?]>([
    ['multi_select', ['a', 'b'], OPTIONS],
    ['multi_select', ['b'], OPTIONS],
    ['photo', [media(50, 'Left; "1"'), media(51)]],
    ['signature', SIGNATURE],
    ['geo_point', { lat: -33.8, lng: 151.2, accuracy_m: 4.5 }],
    ['geo_point', { lat: -33.8, lng: 151.2, accuracy_m: null }],
    ['address', ADDRESS],
    ['reference', { source_id: uuid(5), external_id: '=7', label: 'Pump' }],
  ])('of the type %s is %j as JSON, also in older payloads', (type, value, more = {}) => {
    const shown = reported(type, value, more);
    for (const each of [shown, storedBefore(shown)])
      expect(JSON.parse(machineValue(each) as string)).toEqual(value);
  });

  test.each<[string, unknown, object?]>([
    ['single_select', 'gone', OPTIONS],
    ['signature', { ...SIGNATURE, signed_at: '2026-03-14T09:30:00+01:00' }],
    ['address', { ...ADDRESS, line1: '' }],
    ['multi_select', ['a', 'gone'], OPTIONS],
  ])('of the type %s is whole where the report shows less: %j', (type, value, more = {}) => {
    const shown = machineValue(reported(type, value, more));
    expect(typeof value === 'string' ? shown : JSON.parse(shown as string)).toEqual(value);
  });

  test.each<[string, unknown, object, object]>([
    ['text', '', {}, {}],
    ['multi_select', [], OPTIONS, {}],
    ['single_select', null, { ...OPTIONS, allow_na: true }, { is_na: true }],
    ['single_select', 'a', OPTIONS, { is_prefilled: true }],
  ])('of the type %s with %j is empty without an answer', (type, value, more, given) => {
    const shown = reported(type, value, more, given);
    expect([machineValue(shown), MACHINE_COLUMNS['labels']!(shown)]).toEqual([null, null]);
  });
});

describe('the labels of an answer', () => {
  test('are those of its options in their order, and the code of one that is gone', () => {
    expect(chosen(reported('multi_select', ['b', 'gone', 'a'], OPTIONS))).toEqual([
      { value: 'b', label: '=1+1' },
      { value: 'gone', label: 'gone' },
      { value: 'a', label: 'Dirty; wet' },
    ]);
    expect(MACHINE_COLUMNS['labels']!(reported('single_select', 'a', OPTIONS))).toBe('["Dirty; wet"]');
  });

  test('are none for what is no choice', () =>
    expect(MACHINE_COLUMNS['labels']!(reported('text', 'a'))).toBeNull());
});

describe('the files of an answer', () => {
  const lists = (shown: ReportField) =>
    ['file_ids', 'file_names', 'file_captions'].map((name) => MACHINE_COLUMNS[name]!(shown));

  test('are those of its value and those beside it, in lists of the same length', () => {
    const shown = reported('yes_no', true, {}, { media: [media(50, 'Left; "1"'), media(51)] });
    expect(lists(shown)).toEqual([
      JSON.stringify([uuid(50), uuid(51)]),
      '["a; b.jpg",null]',
      String.raw`["Left; \"1\"",""]`,
    ]);
  });

  test('are empty without a file', () => expect(lists(reported('yes_no', true))).toEqual([null, null, null]));
});
