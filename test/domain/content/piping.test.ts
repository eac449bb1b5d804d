import { evaluate } from '../../../shared/domain/content/conditions/evaluate.ts';
import { indexContent } from '../../../shared/domain/content/content-index.ts';
import { withAnswers } from '../../../shared/domain/content/piping.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { contentWith, field, section, uuid } from '../../support/content.ts';
import { published } from './publish/fixtures.ts';

const of = (n: number) => `\${${uuid(n)}}`;

const CONTENT = {
  start: { fields: [{ key: 'site', type: 'text', label: 'Site' }] },
  sections: [
    section(1, [
      field(2, 'single_select', { options: [{ value: 'n', label: 'North' }] }),
      field(3, 'number', { unit: 'm', visible_if: { field_id: uuid(2), op: 'eq', value: 'n' } }),
    ]),
    section(4, [field(5), field(6)], { repeat: {} }),
  ],
};
const index = indexContent(Content.parse(CONTENT));
const given = (n: number, value: unknown, instance_path = '') => ({
  field_id: uuid(n),
  instance_path,
  value,
  is_na: false,
});
const room = (i: number) => `${uuid(4)}[${i}]`;

describe('withAnswers', () => {
  const evaluation = evaluate(index, [given(3, 4), given(5, 'A', room(0)), given(5, 'B', room(1))], {
    site: 'Dock',
  });
  const shown = (text: string, path = '') =>
    withAnswers(evaluation, text, { repeats: path ? index.fields.get(uuid(5))!.repeats : [], path });

  test.each([
    [`At \${site}, ${of(2)}`, 'At Dock, …'],
    ['${other} costs ${', '${other} costs ${'],
    [`hidden ${of(3)}, unknown ${of(9)}`, 'hidden …, unknown …'],
    [`${of(5)} is in a repeat`, '… is in a repeat'],
  ])('replaces the references in %s', (text, expected) => expect(shown(text)).toBe(expected));

  test('means the answer of the same instance', () => {
    expect([0, 1, 2].map((i) => shown(of(5), room(i)))).toEqual(['A', 'B', '…']);
  });

  test('says that an answer is not applicable', () => {
    const index = indexContent(Content.parse(contentWith(field(2, 'text', { allow_na: true }))));
    const evaluation = evaluate(index, [{ ...given(2, null), is_na: true }]);
    expect(withAnswers(evaluation, `Is it ${of(2)}?`, { repeats: [], path: '' })).toBe('Is it N/A?');
  });

  test('writes options by their labels and numbers with their unit', () => {
    const all = evaluate(index, [given(2, 'n'), given(3, 4)]);
    expect(withAnswers(all, `${of(2)} ${of(3)}`, { repeats: [], path: '' })).toBe('North 4 m');
  });
});

describe('publishProblems: references in texts', () => {
  test('finds references to what the content does not have, or a text cannot show', () => {
    const content = {
      ...contentWith(
        field(2, 'photo'),
        field(3, 'text', { label: of(9), help_text: of(2), constraint_message: `\${no_key} ${of(12)}` }),
      ),
      translations: [{ language: 'fr', texts: [{ id: uuid(3), label: of(2) }] }],
    };
    content.sections.push(section(11, [field(12, 'text', { label: of(12) })], { repeat: {}, title: of(12) }));
    expect(published(content)).toEqual([
      'sections.0.fields.1.label',
      'sections.0.fields.1.help_text',
      'sections.0.fields.1.constraint_message',
      'translations.0.texts.0.label',
    ]);
  });
});
