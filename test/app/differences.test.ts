import { differencesOf, isEqual } from '../../infra/web/admin/explore/differences.ts';
import { Content } from '../../shared/schemas/templates/content.ts';
import { uuid } from '../support/content.ts';

const field = (n: number, more: object = {}) => ({
  id: uuid(n),
  type: 'text',
  label: `Question ${n}`,
  ...more,
});

const section = (n: number, fields: object[], more: object = {}) => ({
  id: uuid(n),
  title: `Section ${n}`,
  fields,
  ...more,
});

const content = (sections: object[], more: object = {}): Content => Content.parse({ sections, ...more });

const options = (...labels: string[]) => labels.map((label) => ({ value: label.toLowerCase(), label }));

describe('The differences of two contents', () => {
  test('are none where both are the same', () => {
    const sections = [section(1, [field(2)])];
    expect(differencesOf(content(sections), content(sections))).toEqual({
      added: [],
      removed: [],
      changed: [],
      isReordered: false,
    });
  });

  test('name what was added, removed and changed, from what to what', () => {
    const before = content([section(1, [field(2), field(3, { required: true })])]);
    const after = content([
      section(1, [field(3, { label: 'Third' })], { title: 'Doors' }),
      section(5, [field(4)]),
    ]);
    const { added, removed, changed } = differencesOf(before, after);
    expect(added).toEqual([
      { kind: 'section', id: uuid(5), title: 'Section 5', within: null },
      { kind: 'question', id: uuid(4), title: 'Question 4', within: 'Section 5' },
    ]);
    expect(removed).toEqual([{ kind: 'question', id: uuid(2), title: 'Question 2', within: 'Section 1' }]);
    expect(changed.map(({ title, changes }) => [title, changes])).toEqual([
      ['Doors', [{ attribute: 'title', from: 'Section 1', to: 'Doors' }]],
      [
        'Third',
        [
          { attribute: 'label', from: 'Question 3', to: 'Third' },
          { attribute: 'required', from: true, to: false },
        ],
      ],
    ]);
  });

  test('know a question that has moved to another section, and one whose order alone is another', () => {
    const before = content([section(1, [field(2), field(3)]), section(4, [])]);
    const moved = differencesOf(before, content([section(1, [field(2)]), section(4, [field(3)])]));
    expect(moved.changed.map(({ changes }) => changes)).toEqual([
      [{ attribute: 'section_id', from: uuid(1), to: uuid(4) }],
    ]);
    const ordered = differencesOf(before, content([section(1, [field(3), field(2)]), section(4, [])]));
    expect(ordered).toEqual({ added: [], removed: [], changed: [], isReordered: true });
  });

  test('show of options only those that differ, and of a response set not each question that uses it', () => {
    const asked = section(1, [
      field(2, { type: 'single_select', response_set_id: uuid(9) }),
      field(3, { type: 'single_select', options: options('Good', 'Worn') }),
    ]);
    const other = section(1, [
      field(2, { type: 'single_select', response_set_id: uuid(9) }),
      field(3, { type: 'single_select', options: options('Worn', 'Good') }),
    ]);
    const set = (...labels: string[]) => [{ id: uuid(9), name: 'Condition', options: options(...labels) }];
    const { changed } = differencesOf(
      content([asked], { response_sets: set('Good', 'Worn') }),
      content([other], { response_sets: set('Good', 'Broken') }),
    );
    expect(
      changed.map(({ kind, changes: [first] }) => [
        kind,
        ...[first!.from, first!.to].map((list) => (list as { label: string }[]).map(({ label }) => label)),
      ]),
    ).toEqual([
      // Their order is another.
      ['question', ['Good', 'Worn'], ['Worn', 'Good']],
      ['options', ['Worn'], ['Broken']],
    ]);
  });

  test('name what is different in the whole: the scoring, the language, and translations by their languages', () => {
    const translation = (language: string, title: string) => ({ language, texts: [{ id: uuid(1), title }] });
    const sections = [section(1, [field(2)])];
    const before = content(sections, {
      scoring: { enabled: true, passing_score: 80 },
      language: 'en',
      translations: [translation('de', 'Türen'), translation('fr', 'Portes')],
    });
    const after = content(sections, {
      scoring: { enabled: true, passing_score: 90 },
      language: 'en',
      translations: [translation('de', 'Tore'), translation('fr', 'Portes'), translation('es', 'Puertas')],
    });
    expect(differencesOf(before, after).changed).toEqual([
      {
        kind: 'content',
        id: '',
        title: '',
        within: null,
        changes: [
          { attribute: 'scoring.passing_score', from: 80, to: 90 },
          { attribute: 'translations', from: ['de'], to: ['de', 'es'] },
        ],
      },
    ]);
  });

  test('tell a start field from a question, and a conditional one by its condition', () => {
    const start = (more: object) => ({
      start: { fields: [{ key: 'kind', type: 'text', label: 'Kind', ...more }] },
    });
    const visible_if = { start_key: 'kind', op: 'eq', value: 'full' };
    const { changed } = differencesOf(
      content([section(1, [field(2)])], start({})),
      content([section(1, [field(2, { visible_if })])], start({ required: true })),
    );
    expect(changed.map(({ kind, changes }) => [kind, changes])).toEqual([
      ['start', [{ attribute: 'required', from: false, to: true }]],
      ['question', [{ attribute: 'visible_if', from: null, to: visible_if }]],
    ]);
  });
});

test.each([
  [undefined, null, true],
  [{ a: undefined }, {}, true],
  [[1, 2], [2, 1], false],
  [{ a: [{ b: 1 }] }, { a: [{ b: 1 }] }, true],
  [[], {}, false],
  ['1', 1, false],
])('%j is as %j: %s', (one, other, is) => {
  expect(isEqual(one, other)).toBe(is);
});
