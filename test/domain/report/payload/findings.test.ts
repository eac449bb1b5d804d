import { action, finding } from '../../../reports/fixtures/hard-cases.ts';
import { answer, APPROVER, instance, PEOPLE, reportPayload } from '../../../reports/fixtures/material.ts';
import { field, section, uuid } from '../../../support/content.ts';
import { document } from '../../content/fixtures.ts';

const content = {
  language: 'en',
  sections: [
    section(101, [field(1, 'yes_no_na', { label: '1.1 Exits are free' }), field(2)]),
    section(102, [field(3), field(4)], { repeat: { label_field_id: uuid(3) } }),
  ],
  translations: [{ language: 'de', texts: [{ id: uuid(1), label: '1.1 Ausgänge sind frei' }] }],
};
const FILES = new Map(
  [50, 51].map((n) => [uuid(n), { file_name: `${n}.jpg`, mime_type: 'image/jpeg', size_bytes: 1 }]),
);
const findings = (
  list: ReturnType<typeof finding>[],
  answers = [answer(1, 'no')],
  language: 'de' | null = null,
) => reportPayload(content, { findings: list, answers, documents: FILES }, language).findings;
const at = (n: number, changes: object = {}) =>
  finding(n, { field_id: uuid(n), section_id: uuid(101), ...changes });
const EMPTY = { description: '', recommendation: '', root_cause: '', media: [] };

describe('a finding of a report', () => {
  test('is described by the note of its answer until somebody describes it', () => {
    const answers = [answer(1, 'no', { note: 'Blocked by pallets', media: [document(51)] })];
    const [own, described] = [EMPTY, { ...EMPTY, description: 'Pallets', media: [document(50)] }].map(
      (text) => findings([at(1, { content: text })], answers)[0]!,
    );
    expect([own!.description, described!.description]).toEqual(['Blocked by pallets', 'Pallets']);
    expect([own, described].map((each) => each!.media.map(({ file_name }) => file_name))).toEqual([
      ['51.jpg'],
      ['50.jpg', '51.jpg'],
    ]);
  });

  test('without an answer has what was written, and no more', () =>
    expect(findings([at(2, { content: { ...EMPTY, root_cause: 'Haste' } })])[0]).toMatchObject({
      description: '',
      root_cause: 'Haste',
      media: [],
    }));

  test('names the contact of an action where nobody is assigned, and where the contact has completed it', () => {
    const contact = { name: null, email: 'cara@cool.example', company: 'Cool Ltd', phone: null };
    const found = at(1);
    const actions = [
      action(1, found.id, { assignee_id: null, contact }),
      action(2, found.id, { assignee_id: APPROVER, contact, completed_by_contact: true }),
    ];
    const payload = reportPayload(content, { findings: [found], actions, answers: [], documents: FILES });
    expect(
      payload.findings[0]!.corrective_actions.map(({ assignee_name, completed_by_name }) => [
        assignee_name,
        completed_by_name,
      ]),
    ).toEqual([
      ['Cool Ltd', null],
      [PEOPLE[APPROVER], 'Cool Ltd'],
    ]);
    expect(JSON.stringify(payload)).not.toContain('cara@cool.example');
  });

  test('names its question with its number and section; one without a place names none', () => {
    const [placed, ofSection, nowhere] = findings([
      at(1),
      finding(2, { section_id: uuid(101) }),
      finding(3, { section_id: uuid(99), field_id: uuid(98) }),
    ]).toSorted((a, b) => a.number - b.number);
    expect(placed).toMatchObject({
      section_title: 'Section 101',
      field_id: uuid(1),
      field_number: '1.1',
      field_label: 'Exits are free',
      instances: [],
    });
    expect(ofSection).toMatchObject({ section_title: 'Section 101', field_id: null, field_label: null });
    expect(nowhere).toMatchObject({
      section_title: null,
      field_id: null,
      field_number: null,
      field_label: null,
    });
  });

  test('that repeats its question is in the language of the report, and any other as it was written', () => {
    const label = '1.1 Exits are free';
    const labels = (origin: 'auto' | 'manual', text: string) =>
      findings([at(1, { label: text, origin })], [], 'de').map((each) => each.label);
    expect(labels('auto', label)).toEqual(['1.1 Ausgänge sind frei']);
    expect(labels('manual', label)).toEqual([label]);
    expect(labels('auto', 'Exit 3 is locked')).toEqual(['Exit 3 is locked']);
  });

  test('stands in the order of the questions, that of a section first, one without a place last', () => {
    const room = (i: number) => ({ section_id: uuid(102), instance_path: instance(102, i) });
    const answers = [answer(3, 'A', { path: instance(102, 0) }), answer(3, 'B', { path: instance(102, 1) })];
    const shown = findings(
      [
        finding(1, {}),
        at(4, { ...room(1) }),
        at(3, { ...room(1) }),
        at(3, { ...room(9), number: 4_700 }),
        finding(5, { section_id: uuid(102) }),
        at(4, { ...room(0), number: 2 }),
        at(4, { ...room(0), number: 1 }),
        at(2),
      ],
      answers,
    );
    expect(shown.map(({ position, number }) => [position, number])).toEqual([
      [1, 4712],
      [2, 4715],
      [3, 4700],
      [4, 1],
      [5, 2],
      [6, 4713],
      [7, 4714],
      [8, 4711],
    ]);
    expect(shown[5]!.instances).toMatchObject([
      { section_title: 'Section 102', position: 2, label: { text: 'B' } },
    ]);
    expect(shown[2]!.instances).toMatchObject([{ position: 10, label: null }]);
  });
});

test('a finding in an instance has its place among the instances, and the texts of that instance', () => {
  const [first, last] = [instance(102, 0), instance(102, 5)];
  const named = {
    sections: [
      section(102, [field(3), field(4, 'text', { label: `Doors of \${${uuid(3)}}` })], { repeat: {} }),
    ],
  };
  const { findings } = reportPayload(named, {
    answers: [answer(3, 'Hall', { path: first }), answer(3, 'Attic', { path: last })],
    findings: [
      finding(1, { field_id: uuid(4), section_id: uuid(102), instance_path: last }),
      finding(2, { field_id: uuid(4), section_id: uuid(102), instance_path: `${uuid(99)}[0]` }),
    ],
  });
  const [unknown, placed] = findings.toSorted((a, b) => a.instances.length - b.instances.length);
  expect(placed).toMatchObject({ field_label: 'Doors of Attic', instances: [{ position: 2, label: null }] });
  expect(unknown).toMatchObject({ instances: [] });
});

test('a signature has the time at which it came, and the first correction after it that changed something', () => {
  const signed = { signed_name: 'Jo', typed: 'J', document_id: null, signed_at: '2026-03-14T09:00:00.000Z' };
  const correction = (n: number, created_at: string, changes: object = {}) => ({
    id: uuid(7000 + n),
    reason: 'Why',
    status: 'closed',
    opened_by: Object.keys(PEOPLE)[0]!,
    created_at,
    closed_by: null,
    closed_at: null,
    ...changes,
  });
  const revision = (n: number) => ({
    correction_id: uuid(7000 + n),
    answer_source: 'field',
    section_id: uuid(101),
    field_id: uuid(2),
    instance_path: '',
    previous_value: 'a',
    previous_is_na: false,
    previous_note: '',
    value: 'b',
    is_na: false,
    note: '',
    changed_by: uuid(99),
    changed_at: '2026-03-15T10:00:00.000Z',
  });
  const { signatures, corrections } = reportPayload(
    { sections: [section(101, [field(1, 'signature'), field(2)])] },
    {
      answers: [answer(1, signed, { answered_at: '2026-03-14T12:00:00.000Z' })],
      corrections: [
        correction(1, '2026-03-14T11:00:00.000Z'),
        correction(2, '2026-03-14T13:00:00.000Z'),
        correction(3, '2026-03-14T14:00:00.000Z', { status: 'discarded' }),
        correction(4, '2026-03-15T09:00:00.000Z', { closed_by: uuid(99) }),
        correction(5, '2026-03-16T09:00:00.000Z', { closed_by: Object.keys(PEOPLE)[1]! }),
      ] as never,
      revisions: [revision(1), revision(4)] as never,
    },
  );
  expect(signatures).toMatchObject([
    {
      source: 'field',
      signed_name: 'Jo',
      typed: 'J',
      document_id: null,
      signed_at: signed.signed_at,
      before_correction: 3,
    },
  ]);
  expect(
    corrections.map(({ position, closed_by_name, changes }) => [position, closed_by_name, changes.length]),
  ).toEqual([
    [1, null, 1],
    [2, null, 0],
    [3, null, 1],
    [4, Object.values(PEOPLE)[1], 0],
  ]);
  expect(corrections[0]!.changes[0]).toMatchObject({
    changed_by_name: null,
    before: { answer: { text: 'a' } },
  });
});
