import { structureProblems } from '../../../shared/domain/content/publish/structure.ts';
import type { Content } from '../../../shared/schemas/templates/content.ts';
import { ASKED, fieldsOf, imported, labelled, lost, spoken } from '../small-forms.ts';

describe('importForm: sections and lists', () => {
  test("puts questions outside groups in sections with the form's title, and keeps the order", () => {
    const { content } = imported(
      [
        { type: 'text', name: 'a', label: 'a' },
        { type: 'begin group', name: 'g', label: 'G', hint: 'Look up' },
        { type: 'text', name: 'b', label: 'b' },
        { type: 'begin_repeat', name: 'r', label: 'R', repeat_count: 3 },
        { type: 'text', name: 'c', label: 'c' },
        { type: 'end_repeat' },
        { type: 'text', name: 'd', label: 'd' },
        { type: 'end group' },
        { type: 'text', name: 'e', label: 'e' },
      ],
      { settings: { form_title: 'Crane check' } },
    );
    const outline = (sections: Content['sections']): unknown[] =>
      sections.map(({ title, fields, sections }) => [
        title,
        ...fields.map(({ label }) => label),
        ...outline(sections),
      ]);
    expect(outline(content.sections)).toEqual([
      ['Crane check', 'a'],
      ['G', 'b', ['R', 'c'], ['G', 'd']],
      ['Crane check', 'e'],
    ]);
    expect(content.sections[1]).toMatchObject({
      description: 'Look up',
      sections: [{ repeat: { min: 3, max: 3 } }, { repeat: null }],
    });
    expect(fieldsOf(content).map(({ label }) => label)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test("moves the questions of a group at level six to level five, with the group's relevance", () => {
    const open = Array.from({ length: 6 }, (_, i) => ({
      type: 'begin group',
      name: `g${i}`,
      label: `G${i}`,
      ...(i === 5 && { relevant: "${text} = 'deep'" }),
    }));
    const form = imported([
      ...ASKED,
      ...open,
      { type: 'text', name: 'a', label: 'A', relevant: '${number} > 1' },
      ...open.map(() => ({ type: 'end group' })),
    ]);
    expect(spoken(form.content, labelled(form, 'A').visible_if)).toEqual({
      all: [
        { field_id: 'text', op: 'eq', value: 'deep' },
        { field_id: 'number', op: 'gt', value: 1 },
      ],
    });
    expect(lost(form)).toEqual([expect.stringMatching(/^type: sections can be nested 5 levels deep/)]);
    expect(structureProblems(form.content)).toEqual([]);
  });

  test('repeats a loop for each option of its list', () => {
    const { content } = imported([
      { type: 'begin loop over yes_no', name: 'loop', label: 'Loop' },
      { type: 'integer', name: 'count', label: 'How many %(label)s?' },
      { type: 'text', name: 'why', label: 'why', relevant: '${count} > 0' },
      { type: 'end loop' },
    ]);
    const [yes, no] = content.sections[0]!.sections;
    expect(yes!.fields[0]!.label).toBe('How many Yes?');
    expect(no!.fields[1]!.visible_if).toMatchObject({ field_id: no!.fields[0]!.id });
  });

  test('makes response sets of lists, and a text field of or_other', () => {
    const form = imported([
      { type: 'select_one yes_no', name: 'a', label: 'A' },
      { type: 'select_multiple yes_no or_other', name: 'b', label: 'B' },
      { type: 'text', name: 'c', label: 'C', relevant: "${b_other} != ''" },
    ]);
    const [pure, withOther] = form.content.response_sets;
    expect(pure).toMatchObject({
      name: 'yes_no',
      options: [{ value: 'yes', label: 'Yes' }, { value: 'no' }],
    });
    expect(withOther!.options.map(({ value }) => value)).toEqual(['yes', 'no', 'other']);
    expect(labelled(form, 'A').response_set_id).toBe(pure!.id);
    const other = labelled(form, 'Specify other');
    expect(other.visible_if).toEqual({ field_id: labelled(form, 'B').id, op: 'contains', value: 'other' });
    expect(labelled(form, 'C').visible_if).toEqual({ field_id: other.id, op: 'not_empty' });
  });
});
