import { ReportPayload } from '../../../../shared/schemas/reports/report-payload.ts';
import { reportPayload } from '../../../reports/fixtures/material.ts';
import { field, section, uuid } from '../../../support/content.ts';

const of = (n: number) => `\${${uuid(n)}}`;
const answer = (n: number, value: unknown, instance_path = '') => ({
  field_id: uuid(n),
  instance_path,
  value,
  note: '',
  is_na: false,
  answered_by: null,
  answered_at: null,
});
const signed = { typed: 'J. Doe', document_id: null, signed_name: 'Jane Doe', signed_at: null };
const [building, room] = [`${uuid(102)}[0]`, `${uuid(102)}[0]/${uuid(103)}[0]`];

describe('titles that refer to answers', () => {
  const payload = ReportPayload.parse(
    reportPayload(
      {
        start: { fields: [{ key: 'site', type: 'text', label: 'Site' }] },
        sections: [
          section(101, [field(1), field(2, 'signature', { label: `Signed at ${of(1)}` })], {
            title: 'Gate of ${site}',
            passing_score: 100,
          }),
          section(102, [field(3)], {
            title: `Buildings of ${of(1)}`,
            repeat: {},
            sections: [
              section(103, [field(4, 'pass_fail_na', { critical: true }), field(5, 'signature')], {
                title: `Rooms of ${of(3)}`,
                repeat: {},
              }),
            ],
          }),
          section(104, [field(6, 'pass_fail_na')], { title: `Roof of ${of(1)}`, passing_score: 100 }),
        ],
        scoring: { enabled: true },
      },
      {
        answers: [
          answer(1, 'Dock 4'),
          answer(2, signed),
          answer(3, 'Hall', building),
          answer(4, 'fail', room),
          answer(5, signed, room),
          answer(6, 'fail'),
        ],
        startAnswers: { site: 'North' },
      },
    ),
  );

  test('show the answers beside signatures, and along the instances', () => {
    expect(payload.signatures).toMatchObject([
      { section_title: 'Gate of North', field_label: 'Signed at Dock 4', instances: [] },
      {
        section_title: 'Rooms of Hall',
        instances: [{ section_title: 'Buildings of Dock 4' }, { section_title: 'Rooms of Hall' }],
      },
    ]);
  });

  test('show the answers in the scores of sections and the reasons of the result', () => {
    const { section_scores, verdict } = payload.summary;
    expect(section_scores.map(({ title }) => title)).toEqual([
      'Buildings of Dock 4',
      'Rooms of …',
      'Roof of Dock 4',
    ]);
    expect(verdict!.reasons).toMatchObject([
      { kind: 'critical_item', section_title: 'Rooms of Hall' },
      { kind: 'section', section_title: 'Roof of Dock 4' },
    ]);
    expect(JSON.stringify(payload)).not.toContain('${');
  });
});
