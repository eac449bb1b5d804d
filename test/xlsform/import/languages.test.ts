import { publishProblems } from '../../../shared/domain/content/publish/publish.ts';
import { isSameLanguage, sameLanguages } from '../../../shared/domain/xlsform/form/same-languages.ts';
import { fieldsOf, type Form, imported, lost, problemsOf } from '../small-forms.ts';

describe('importForm: languages', () => {
  const survey = [
    {
      type: 'text',
      name: 'a',
      'label::English (en)': 'Rail',
      'label::Português (pt)': 'Corrimão',
      hint: 'x',
    },
    { type: 'text', name: 'b', label: { 'English (en)': 'Rope' } },
  ];
  const labels = (form: Form) => fieldsOf(imported(survey, form).content).map(({ label }) => label);

  test.each<[Form, string]>([
    [{}, 'Rail'],
    [{ settings: { default_language: 'Português (pt)' } }, 'Corrimão'],
    [{ settings: { default_language: 'Português (pt)' }, language: 'english' }, 'Rail'],
    [{ language: 'pt' }, 'Corrimão'],
  ])('uses the language that is asked for: %j', (form, label) => {
    expect(labels(form)).toEqual([label, 'Rope']);
  });

  test('imports the other languages as translations of sections, fields, start fields and lists', () => {
    const form = imported(
      [
        { type: 'today', name: 'today', label: { en: 'Day', fr: 'Jour' } },
        { type: 'begin group', name: 'g', label: { en: 'Rails', fr: 'Rambardes' }, hint: { fr: 'Dehors' } },
        {
          type: 'select_one yes_no',
          name: 'a',
          label: { en: 'Firm?' },
          hint: { en: 'Push', fr: 'Poussez' },
        },
        { type: 'end group' },
      ],
      {
        choices: [
          { list_name: 'yes_no', name: 'yes', label: { en: 'Yes', fr: 'Oui' } },
          { list_name: 'yes_no', name: 'no', label: { en: 'No' } },
        ],
        settings: { default_language: 'en' },
      },
    );
    const none = { title: null, description: null, label: null, help_text: null, options: [] };
    const { sections, response_sets, language, translations } = form.content;
    expect(language).toBe('en');
    expect(translations).toEqual([
      {
        language: 'fr',
        texts: [
          { ...none, id: 'today', label: 'Jour' },
          { ...none, id: sections[0]!.id, title: 'Rambardes', description: 'Dehors' },
          { ...none, id: sections[0]!.fields[0]!.id, help_text: 'Poussez' },
          { ...none, id: response_sets[0]!.id, options: [{ value: 'yes', label: 'Oui' }] },
        ],
      },
    ]);
    expect(lost(form)).toEqual([]);
    expect(publishProblems(form.content)).toEqual([]);
  });

  test('reads a column without a language as the default language', () => {
    const rows = [{ type: 'text', name: 'a', label: 'Rail', 'label::fr': 'Rambarde' }];
    const settings = { default_language: 'en' };
    expect(imported(rows, { settings }).content).toMatchObject({
      language: 'en',
      translations: [{ language: 'fr', texts: [{ label: 'Rambarde' }] }],
    });
    expect(imported(rows, { settings, language: 'fr' }).content).toMatchObject({
      language: 'fr',
      translations: [{ language: 'en', texts: [{ label: 'Rail' }, { options: [{}, {}] }] }],
    });
    expect(imported(rows).content).toMatchObject({ language: null, translations: [{ language: 'fr' }] });
  });

  test.each([
    ['English', 'English (en)', 'English (en)'],
    ['English (en)', 'en', 'English (en)'],
    ['English', 'en', 'English'],
    ['fr', 'Français', 'fr'],
    ['português (PT)', 'Português  (pt)', 'português (PT)'],
  ])('reads %s and %s as one language, with one note', (first, second, language) => {
    const form = imported(
      [
        { type: 'text', name: 'a', label: { [first]: 'Rail', Deutsch: 'Geländer' } },
        { type: 'select_one firm', name: 'b', label: { [second]: 'Rope', Deutsch: 'Seil' } },
        { type: 'text', name: 'c', label: { [first]: 'Hook', [second]: 'Another hook' } },
      ],
      { choices: [{ list_name: 'firm', name: 'yes', label: { [second]: 'Yes', Deutsch: 'Ja' } }] },
    );
    expect([form.content.language, fieldsOf(form.content).map(({ label }) => label)]).toEqual([
      language,
      ['Rail', 'Rope', 'Hook'],
    ]);
    expect(form.content.translations.map(({ language }) => language)).toEqual(['Deutsch']);
    expect(form.remarks).toEqual([
      expect.objectContaining({
        row: null,
        severity: 'note',
        message: expect.stringContaining('same language'),
      }),
      expect.objectContaining({ row: null, column: `label::${second}`, severity: 'lost' }),
    ]);
  });

  test('takes languages of one name and different codes for different languages', () => {
    const label = { 'English (en-GB)': 'Lorry', 'English (en-US)': 'Truck', English: 'Vehicle' };
    const { content, remarks } = imported([{ type: 'text', name: 'a', label }]);
    expect([content.language, ...content.translations.map(({ language }) => language)]).toEqual(
      Object.keys(label),
    );
    expect(remarks).toEqual([]);
  });

  test('names the column of a text in another language as its header spells it', () => {
    const { remarks } = imported(
      [
        { type: 'text', name: 'a', 'Label::English (en)': 'Rail', 'Caption::fr': 'r'.repeat(600) },
        { type: 'text', name: 'b', 'Label::English (en)': 'Rope', 'Caption::Français (fr)': 'Corde' },
      ],
      { language: 'en' },
    );
    expect(remarks.map(({ row, column }) => [row, column])).toEqual([
      [null, 'Caption::fr'],
      [0, 'Caption::fr'],
    ]);
  });

  test('makes one remark on a column whose language has no valid name or is not translated', () => {
    const form = imported(
      [
        {
          type: 'text',
          name: 'a',
          label: { en: 'Rail', fr: 'Rambarde', 'a:b': '?' },
          guidance_hint: { en: 'Push', fr: 'Poussez' },
        },
      ],
      { language: 'en' },
    );
    expect(lost(form)).toEqual([
      'label::a:b: nothing of this column was imported, because its language has no valid name, or the form has too many languages (row 0)',
      'guidance_hint::fr: nothing of this column was imported, because a template has this in one language only (row 0)',
    ]);
  });

  test('shortens a translation that is too long, and fills in the translations of loops', () => {
    const form = imported(
      [
        { type: 'text', name: 'a', label: { en: 'Rail', fr: 'r'.repeat(600) } },
        { type: 'begin loop over yes_no', name: 'each', label: { en: 'Each', fr: 'Chaque' } },
        { type: 'text', name: 'b', label: { en: 'Why %(label)s?', fr: 'Pourquoi %(label)s ?' } },
        { type: 'end loop' },
      ],
      { choices: [{ list_name: 'yes_no', name: 'yes', label: { en: 'Yes', fr: 'Oui' } }] },
    );
    expect(form.content.translations[0]!.texts).toMatchObject([
      { label: `${'r'.repeat(499)}…`, help_text: 'r'.repeat(600) },
      { title: 'Chaque' },
      { title: 'Oui' },
      { label: 'Pourquoi Oui ?' },
      { options: [{ value: 'yes', label: 'Oui' }] },
    ]);
    expect(form.remarks).toMatchObject([{ column: 'label::fr', severity: 'note' }]);
  });

  test('refuses a language that the form does not have', () => {
    expect(problemsOf(survey, { language: 'fr' })).toEqual([
      ' null language: the form has no texts in fr; its languages are English (en), Português (pt)',
    ]);
  });
});

describe('languages of headers', () => {
  test.each([
    ['English', ' english ', true],
    ['English (en)', 'English(en)', true],
    ['English (en)', 'English ( en )', true],
    ['English (en)', 'English', true],
    ['English (en)', 'en', true],
    ['English (en)', 'de', false],
    ['English (en)', 'English (en-GB)', false],
    ['Deutsch', 'de', true],
    ['German', 'de', true],
    ['Deutsch', 'German', false],
    ['Chinese (zh-Hant)', 'zh_Hant', false],
    ['Chinese (zh_Hant)', 'zh_Hant', true],
    ['Traditional Chinese', 'zh_hant', true],
    ['Traditional Chinese', 'zh-hant', true],
    ['Klingon', 'x', false],
    ['en-a', 'English', false],
    ['(en)', 'en', false],
    ['en', 'fr', false],
  ])('%j and %j are the same: %s', (a, b, expected) => {
    expect([isSameLanguage(a, b), isSameLanguage(b, a)]).toEqual([expected, expected]);
  });

  test('stand for each other, the first with a name and a code for all', () => {
    expect([...sameLanguages(['en', 'English', 'fr', 'English (en)', 'ENGLISH'])]).toEqual([
      ['en', 'English (en)'],
      ['English', 'English (en)'],
      ['ENGLISH', 'English (en)'],
    ]);
    expect(sameLanguages(['English (en-GB)', 'English (en-US)', 'English'])).toEqual(new Map());
  });

  test('are compared up to 200', () => {
    const others = Array.from({ length: 198 }, (_, i) => `Language ${i}`);
    expect([...sameLanguages(['en', ...others, 'English'])]).toEqual([['English', 'en']]);
    expect([...sameLanguages(['en', ...others, 'x', 'English'])]).toEqual([]);
  });
});
