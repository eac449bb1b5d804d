import { indexContent } from '../../../shared/domain/content/content-index.ts';
import { buildPayload } from '../../../shared/domain/report/build.ts';
import type { ReportedAnswer } from '../../../shared/domain/report/sources.ts';
import { renderPdf } from '../../../shared/reports/pdf/render-pdf.ts';
import { DEFAULT_LAYOUT, ReportPayload } from '../../../shared/schemas/reports/report-payload.ts';
import { Content, FieldType } from '../../../shared/schemas/templates/content.ts';
import { readPdf } from '../../support/pdf.ts';
import { foodEstablishment } from '../fixtures/food-establishment.ts';
import { uuid } from '../fixtures/payload-parts.ts';

const [DOCUMENT, MEMBER, CLIENT, LOCATION] = [uuid(2, 1), uuid(2, 2), uuid(2, 3), uuid(2, 4)];
const OPTIONS = [
  { value: 'ok', label: 'In order' },
  { value: 'bad', label: 'Broken', is_failed: true },
];
const media = [{ document_id: DOCUMENT, caption: 'Left door' }];

/** An answer of each type: its stored value, and its text in the report. */
const ANSWERS: Record<
  Exclude<FieldType, 'instruction'>,
  { value?: unknown; shown: string; more?: object }
> = {
  text: { value: 'Torn seal', shown: 'Torn seal' },
  long_text: { value: 'First line\nSecond line', shown: 'First line Second line' },
  barcode: { value: '4006381333931', shown: '4006381333931' },
  number: { value: -18.5, shown: '-18.5 kg', more: { unit: 'kg' } },
  slider: { value: 70, shown: '70' },
  rating: { value: 4, shown: '4' },
  temperature: { value: 9.4, shown: '9.4 °C', more: { unit: '°C' } },
  yes_no: { value: false, shown: 'No' },
  checkbox: { value: true, shown: 'Yes' },
  yes_no_na: { value: 'no', shown: 'No' },
  pass_fail_na: { value: 'fail', shown: 'Fail' },
  single_select: { value: 'bad', shown: 'Broken', more: { options: OPTIONS } },
  multi_select: { value: ['ok', 'bad'], shown: 'In order, Broken', more: { options: OPTIONS } },
  date: { value: '2026-03-14', shown: '2026-03-14' },
  time: { value: '08:30', shown: '08:30' },
  datetime: { value: '2026-03-14T08:30:00Z', shown: '2026-03-14T08:30:00Z' },
  photo: { value: media, shown: '1 photo' },
  video: { value: media, shown: '1 video' },
  audio: { value: media, shown: '1 recording' },
  file: { value: [...media, ...media], shown: '2 files' },
  drawing: { value: media, shown: '1 drawing' },
  signature: {
    value: { typed: 'J. Doe', document_id: null, signed_name: 'Jane Doe', signed_at: null },
    shown: 'Jane Doe',
  },
  geo_point: { value: { lat: 54.5189, lng: 18.5305, accuracy_m: 5 }, shown: '54.5189, 18.5305 (±5 m)' },
  address: { value: { street: 'Długa 1', city: 'Gdańsk' }, shown: 'Długa 1, Gdańsk' },
  member: { value: MEMBER, shown: 'Zofia Wiśniewska' },
  client_account: { value: CLIENT, shown: 'Złota Kaczka' },
  location: { value: LOCATION, shown: 'Main kitchen' },
  reference: { value: { source_id: DOCUMENT, external_id: 'A-7', label: 'Oven 7' }, shown: 'Oven 7' },
  calculated: { shown: '42 pieces', more: { formula: '6 * 7', unit: 'pieces' } },
};
const TYPES = Object.keys(ANSWERS) as (keyof typeof ANSWERS)[];
const ASKED = TYPES.filter((type) => type !== 'calculated');

const SECTIONS = ['Answered', 'Failed', 'Absent', 'Blank', 'Rounds'] as const;
type SectionTitle = (typeof SECTIONS)[number];
const labelOf = (title: SectionTitle, type: FieldType) => `${title} [${type}]`;
const idOf = (section: SectionTitle, type: FieldType) =>
  uuid(0x10 + SECTIONS.indexOf(section), FieldType.options.indexOf(type));
const sectionId = (section: SectionTitle) => uuid(3, SECTIONS.indexOf(section));

const section = (title: SectionTitle, more: object = {}, field: object = {}) => ({
  id: sectionId(title),
  title,
  ...more,
  fields: FieldType.options.map((type) => ({
    id: idOf(title, type),
    type,
    label: labelOf(title, type),
    ...(type === 'instruction' || type === 'calculated' ? {} : field),
    ...(type === 'instruction' ? {} : ANSWERS[type].more),
  })),
});

const answers = (title: SectionTitle, more: Partial<ReportedAnswer> = {}): ReportedAnswer[] =>
  ASKED.map((type) => ({
    field_id: idOf(title, type),
    instance_path: '',
    value: ANSWERS[type].value,
    note: `${title} note on ${type}`,
    is_na: false,
    answered_by: MEMBER,
    answered_at: '2026-03-14T09:12:00.000Z',
    ...more,
  }));

const report = (): ReportPayload => {
  const { organization, inspection } = foodEstablishment();
  const content = Content.parse({
    sections: [
      section('Answered'),
      section('Failed', {}, { fail_if: { op: 'not_empty' } }),
      section('Absent', { allow_na: true }),
      section('Blank'),
      section('Rounds', { repeat: { max: 5 } }),
    ],
  });
  return buildPayload(
    {
      organization: { ...organization, name: 'Owner', logo: null },
      layout: { ...DEFAULT_LAYOUT, cover: false, blocks: [{ kind: 'sections', options: {} }] },
      inspection: { ...inspection, name: 'Inspection' },
      index: indexContent(content),
      startAnswers: {},
      answers: [
        ...answers('Answered'),
        ...answers('Failed'),
        ...answers('Absent', { value: null, is_na: true }),
        ...[0, 1].flatMap((round) =>
          answers('Rounds', {
            instance_path: `${sectionId('Rounds')}[${round}]`,
            note: `Seen in round ${'AB'[round]}`,
          }),
        ),
      ],
      findings: [],
      actions: [],
      names: new Map([
        [MEMBER, 'Zofia Wiśniewska'],
        [CLIENT, 'Złota Kaczka'],
        [LOCATION, 'Main kitchen'],
      ]),
      documents: new Map([[DOCUMENT, { file_name: 'door.mp4', mime_type: 'video/mp4' }]]),
    },
    { id: null, version: 1, generated_at: '2026-03-14T11:45:00.000Z' },
  );
};

describe('a report of every type of field', () => {
  const unspaced = (text: string) => text.replace(/\s/g, '');
  /** The texts after each question with this label, up to the number of the next question; without spaces. */
  let textsAfter: (title: SectionTitle, type: FieldType) => string[];
  let warnings: string[];

  beforeAll(async () => {
    const rendered = await renderPdf(ReportPayload.parse(report()), { loadImage: async () => null });
    ({ warnings } = rendered);
    const { pages } = await readPdf(rendered.pdf);
    const bare = pages.map((page) =>
      page.replace(/No\. 1042 · Inspection\s+Owner|Generated .* · version 1\s+Page \d+ of \d+/g, ''),
    );
    const text = unspaced(bare.join('\n'));
    textsAfter = (title, type) =>
      text
        .split(unspaced(labelOf(title, type)))
        .slice(1)
        .map((rest) => rest.split(/\d+(?:Answered|Failed|Absent|Blank|Rounds)\[/)[0] ?? '');
  });

  it('has no warnings', () => {
    expect(warnings).toEqual([]);
  });

  it.each(TYPES)('shows an answer of type %s', (type) => {
    const [text] = textsAfter('Answered', type);
    expect(text).toContain(unspaced(ANSWERS[type].shown));
    if (type !== 'calculated') expect(text).toContain(unspaced(`Answered note on ${type}`));
  });

  it.each(ASKED)('marks a failed answer of type %s', (type) => {
    const [text] = textsAfter('Failed', type);
    expect(text).toContain(`${unspaced(ANSWERS[type].shown)}FAILED`);
  });

  it.each(ASKED)('shows N/A for a question of type %s that is not applicable', (type) => {
    const [text] = textsAfter('Absent', type);
    expect(text).toMatch(/^N\/A/);
    expect(text).toContain(unspaced(`Absent note on ${type}`));
  });

  it.each(ASKED)('shows a dash for an unanswered question of type %s', (type) => {
    expect(textsAfter('Blank', type)).toEqual([expect.stringMatching(/^—/)]);
  });

  it.each(ASKED)('shows a question of type %s in each instance of a repeated section', (type) => {
    const rounds = textsAfter('Rounds', type);
    expect(rounds).toHaveLength(2);
    for (const [round, text] of rounds.entries()) {
      expect(text).toContain(unspaced(ANSWERS[type].shown));
      expect(text).toContain(`Seeninround${'AB'[round]}`);
    }
  });

  it('shows an instruction without an answer', () => {
    expect(textsAfter('Blank', 'instruction')).toEqual([expect.not.stringMatching(/^—/)]);
  });
});
