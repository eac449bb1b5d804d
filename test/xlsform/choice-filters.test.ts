import { publishProblems } from '../../shared/domain/content/publish/publish.ts';
import { exportForm } from '../../shared/domain/xlsform/export.ts';
import { importForm } from '../../shared/domain/xlsform/import/import.ts';
import type { FormRow } from '../../shared/schemas/templates/xlsform.ts';
import { odkFaults, rowsOf } from './odk-rules.ts';
import { imported, labelled, lost, spoken } from './small-forms.ts';

const CHOICES: FormRow[] = [
  { list_name: 'states', name: 'texas', label: 'Texas' },
  { list_name: 'states', name: 'washington', label: 'Washington' },
  { list_name: 'cities', name: 'dallas', label: 'Dallas', state: 'texas', size: 3, mayor: 'A' },
  { list_name: 'cities', name: 'seattle', label: 'Seattle', state: 'washington', size: 2, mayor: 'B' },
];

const formWith = (choice_filter: string, choices = CHOICES, settings = {}) =>
  imported(
    [
      { type: 'select_one states', name: 'state', label: 'State' },
      { type: 'select_one cities', name: 'city', label: 'City', choice_filter },
    ],
    { choices, settings },
  );

describe('importForm: choice_filter', () => {
  test.each([
    ['state=${state}', '{option.state} = {State}'],
    [
      "${state}= state and size > 2 or state = 'any'",
      "{State} = {option.state} and {option.size} > 2 or {option.state} = 'any'",
    ],
    ['name != ${state}', 'not({option.value} = {State})'],
    ['selected(${state}, state)', 'selected({State}, {option.state})'],
  ])('reads the filter %s', (given, filter) => {
    const form = formWith(given);
    expect(spoken(form.content, labelled(form, 'City').choice_filter)).toBe(filter);
    expect(lost(form).filter((message) => message.startsWith('choice_filter'))).toEqual([]);
    expect(publishProblems(form.content)).toEqual([]);
  });

  test('gives options the columns that a filter asks for, and makes a remark on the others', () => {
    const form = formWith('state=${state}');
    const set = form.content.response_sets.find(({ name }) => name === 'cities')!;
    expect(set.options.map(({ attributes }) => attributes)).toEqual([
      { state: 'texas' },
      { state: 'washington' },
    ]);
    expect(lost(form).map((message) => message.split(':')[0])).toEqual(['size', 'mayor']);
  });

  test.each([
    ['county=${state}', CHOICES, /has no column county/],
    ['state=${state}', [...CHOICES, { ...CHOICES[3]!, state: 'texas' }], /several choices of the same name/],
    ["label::English != ''", CHOICES, /cannot be read/],
    ['state=${nothing}', CHOICES, /./],
  ])(
    'makes a remark on the filter %s that it cannot import, and offers all options',
    (given, choices, why) => {
      if (given.includes('nothing')) {
        expect(() => formWith(given, choices)).toThrow(/no row is named "nothing"/);
        return;
      }
      const form = formWith(given, choices, { allow_choice_duplicates: 'yes' });
      expect(labelled(form, 'City')).not.toHaveProperty('choice_filter');
      expect(lost(form)).toEqual(expect.arrayContaining([expect.stringMatching(why)]));
    },
  );
});

describe('exportForm: choice_filter', () => {
  test('writes the filter and its columns as ODK has them, and reads the same content again', () => {
    const { content } = formWith('state=${state} and size > 2');
    const sheets = exportForm(content, { title: 'Cities', id: 'cities', version: '1' });
    expect(odkFaults(sheets)).toEqual([]);
    expect(rowsOf(sheets, 'survey').find(({ name }) => name === 'city')).toMatchObject({
      choice_filter: 'state = ${state} and size > 2',
    });
    expect(rowsOf(sheets, 'choices').find(({ name }) => name === 'dallas')).toEqual({
      list_name: 'cities',
      name: 'dallas',
      label: 'Dallas',
      state: 'texas',
      size: '3',
      inspection__list_id: expect.any(String),
    });
    expect(importForm(sheets, [], { name: 'any' }).content).toEqual(content);
  });
});
