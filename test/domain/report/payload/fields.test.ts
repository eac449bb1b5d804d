import type { ReportedAnswer } from '../../../../shared/domain/report/material.ts';
import type { ReportField } from '../../../../shared/schemas/reports/report-answer.ts';
import { answer, LEAD, LOCATION, PEOPLE, reportPayload } from '../../../reports/fixtures/material.ts';
import { contentWith, field, section, uuid } from '../../../support/content.ts';
import { document } from '../../content/fixtures.ts';

const FILE = { file_name: 'a.jpg', mime_type: 'image/jpeg', size_bytes: 9 };

/** One field as the report shows it. */
const shown = (type: string, more: object, ...answers: ReportedAnswer[]): ReportField =>
  reportPayload(contentWith(field(2, type, more), field(3, 'location')), {
    answers,
    documents: new Map([[uuid(50), FILE]]),
  }).sections[0]!.fields[0]!;

describe('a field of a report', () => {
  test('without an answer has none, fails nothing, and has no author', () =>
    expect(shown('yes_no_na', { critical: true })).toEqual({
      id: uuid(2),
      type: 'yes_no_na',
      number: null,
      label: 'Field 2',
      help: null,
      instance_path: '',
      answer: null,
      is_failed: false,
      is_na: false,
      is_critical: true,
      note: '',
      media: [],
      answered_at: null,
      client_answered_at: null,
      answered_by_name: null,
    }));

  test('has the answer, whether it failed, its note and its author', () => {
    const at = '2026-03-14T09:12:00.000Z';
    const times = { answered_at: at, client_answered_at: '2026-03-13T16:40:00.000Z' };
    expect(shown('yes_no_na', {}, answer(2, 'no', { note: 'Wet', ...times }))).toMatchObject({
      answer: { kind: 'options' },
      is_failed: true,
      is_na: false,
      is_critical: false,
      note: 'Wet',
      ...times,
      answered_by_name: PEOPLE[LEAD],
    });
    expect(shown('yes_no_na', {}, answer(2, 'yes', { answered_by: uuid(99) }))).toMatchObject({
      is_failed: false,
      answered_by_name: null,
    });
  });

  test('that is not applicable failed nothing', () =>
    expect(shown('yes_no_na', { allow_na: true }, answer(2, null, { is_na: true }))).toMatchObject({
      answer: null,
      is_failed: false,
      is_na: true,
    }));

  test('keeps the note and the media of an answer that was cleared, but no author', () =>
    expect(
      shown('text', {}, answer(2, null, { note: 'Later', media: [document(50, 'Left')] })),
    ).toMatchObject({
      answer: null,
      note: 'Later',
      media: [{ document_id: uuid(50), caption: 'Left', ...FILE }],
      answered_at: null,
      answered_by_name: null,
    }));

  test('shows its own media, and names none of a document that was deleted', () =>
    expect(shown('photo', {}, answer(2, [document(50, 'Left'), document(51)])).media).toEqual([
      { document_id: uuid(50), caption: 'Left', ...FILE },
      {
        document_id: uuid(51),
        caption: '',
        file_name: null,
        mime_type: 'application/octet-stream',
        size_bytes: 0,
      },
    ]));

  test('shows the answers that its label and its help refer to, ids by their names', () => {
    const more = { label: `1.2 Is \${${uuid(3)}} dry?`, help_text: `In \${${uuid(3)}}` };
    expect(shown('text', more, answer(3, LOCATION.id))).toMatchObject({
      number: '1.2',
      label: `Is ${LOCATION.name} dry?`,
      help: `In ${LOCATION.name}`,
    });
  });
});

test('instances are named by an answer that applies, and are counted without gaps', () => {
  const content = {
    sections: [
      section(101, [field(1, 'yes_no_na', { allow_na: true })], { repeat: { label_field_id: uuid(1) } }),
    ],
  };
  const answers = [
    answer(1, 'yes', { path: `${uuid(101)}[1]` }),
    answer(1, null, { path: `${uuid(101)}[4]`, is_na: true }),
  ];
  const [{ instances } = { instances: null }] = reportPayload(content, { answers }).sections;
  expect(instances!.map(({ position, label }) => [position, label?.kind ?? null])).toEqual([
    [1, 'options'],
    [2, null],
  ]);
});
