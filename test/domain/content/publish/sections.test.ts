import { contentWith, field, section, uuid } from '../../../support/content.ts';
import { published } from './fixtures.ts';

const ruled = (n: number, rule: object) =>
  field(n, 'pass_fail_na', { finding: { create: 'auto', corrective_action: { title: 'Mend it', ...rule } } });

describe('publishProblems: sections', () => {
  test.each<[string, object, string[]]>([
    [
      'media min above max',
      contentWith(field(2, 'text', { media: { min: 3, max: 2 } })),
      ['sections.0.fields.0.media.min'],
    ],
    [
      'a note required on an option that does not exist',
      contentWith(field(2, 'yes_no_na', { note_required_on: ['failed', 'maybe'] })),
      ['sections.0.fields.0.note_required_on.1'],
    ],
    [
      'media required on an option that does not exist',
      contentWith(field(2, 'yes_no', { media: { required_on: ['no'] } })),
      ['sections.0.fields.0.media.required_on.0'],
    ],
    [
      'a repeat with min above max',
      { sections: [section(1, [field(2)], { repeat: { min: 3, max: 2 } })] },
      ['sections.0.repeat.min'],
    ],
    [
      'a repeat titled by a field outside',
      {
        sections: [section(1, [field(2)], { repeat: { label_field_id: uuid(4) } }), section(3, [field(4)])],
      },
      ['sections.0.repeat.label_field_id'],
    ],
    [
      'a repeat titled by a field of an inner repeat',
      {
        sections: [
          section(1, [], {
            repeat: { label_field_id: uuid(4) },
            sections: [section(3, [field(4)], { repeat: {} })],
          }),
        ],
      },
      ['sections.0.repeat.label_field_id'],
    ],
    [
      'a calculated field without formula',
      contentWith(field(2), field(3, 'calculated', { formula: ' ' })),
      ['sections.0.fields.1.formula'],
    ],
    [
      'settings of due dates that have no effect',
      contentWith(
        ruled(2, { due_in_days: 3, business_days: true }),
        ruled(3, { due_by_severity: { minor: 'P3D' }, business_days: true }),
        ruled(4, { due_by_severity: { minor: 'PT3H' }, business_days: true }),
        ruled(5, { due_by_severity: {}, priority_by_severity: {} }),
      ),
      [
        'sections.0.fields.2.finding.corrective_action.business_days',
        'sections.0.fields.3.finding.corrective_action.due_by_severity',
        'sections.0.fields.3.finding.corrective_action.priority_by_severity',
      ],
    ],
    ['a reference without target', contentWith(field(2, 'reference')), ['sections.0.fields.0.reference']],
  ])('finds %s', (_, content, expected) => expect(published(content)).toEqual(expected));
});
