import { renderPdf } from '../../shared/reports/pdf.ts';
import { printer } from '../../shared/reports/pdf/typefaces.ts';
import type { ReportPayload } from '../../shared/schemas/reports/report-payload.ts';
import { drawnCodes, MISSING_GLYPH, readPdf } from '../support/pdf.ts';
import { field, foodEstablishment, photo, uuid } from './food-establishment.ts';

type Path = (string | number)[];
type Texts = Record<string | number, unknown>;

/** A report with one of everything that has a text. */
const report = (): ReportPayload => {
  const payload = foodEstablishment();
  payload.organization.logo = null;
  payload.layout.blocks = [
    ...payload.layout.blocks,
    { kind: 'text', options: { title: 'Terms', text: 'Valid for one year.' } },
    { kind: 'media', options: { title: 'All photos' } },
  ];
  payload.inspection.participants = payload.inspection.participants.slice(0, 1);
  payload.findings = payload.findings.slice(0, 1).map((found) => ({ ...found, media: [photo(1, 'Seal')] }));
  payload.corrective_actions = payload.corrective_actions.slice(1);
  payload.signatures = payload.signatures.slice(1, 2);
  const asked = field(0, {
    label: 'Question',
    help: 'How',
    note: 'Remark',
    answer: { text: 'Said', value: null },
    media: [photo(2, 'Door'), { ...photo(3, 'Tour'), mime_type: 'video/mp4', file_name: 'tour.mp4' }],
  });
  const inner = {
    id: uuid(3, 1),
    title: 'Inner',
    description: 'In',
    instance: 'A',
    fields: [asked],
    sections: [],
  };
  payload.sections = [
    { id: uuid(3, 0), title: 'Outer', description: 'Out', instance: null, fields: [], sections: [inner] },
  ];
  return payload;
};

const pathsOf = (value: unknown, path: Path = []): Path[] => {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    pathsOf(part, [...path, Array.isArray(value) ? Number(key) : key]),
  );
};

const prefixed = (payload: ReportPayload, path: Path, prefix: string): void => {
  const last = path.at(-1)!;
  const parent = path.slice(0, -1).reduce((part, key) => part[key] as Texts, payload as unknown as Texts);
  parent[last] = `${prefix}${String(parent[last])}`;
};

/** Names of the API, which are drawn in words of the report's own or not at all. */
const NAMES =
  /^(id|\w+_id|status|role|origin|severity|priority|kind|type|result|mime_type|page_size|orientation|primary_color|locale|timezone|time_format|\w+_(at|for))$/;

/** Egyptian hieroglyphs, for which there is no typeface. */
const HIEROGLYPH = 0x13000;
/** As many as a report warns of one by one. */
const AT_ONCE = 40;

const warned = (codePoint: number): string =>
  `no glyph for U+${codePoint.toString(16).toUpperCase()} "${String.fromCodePoint(codePoint)}"`;

describe('renderPdf of a character without a glyph', () => {
  const paths = pathsOf(report()).filter((path) => !NAMES.test(String(path.at(-1))));

  it('warns of it wherever it stands, spells it, and never draws a box', async () => {
    const silent: string[] = [];
    let spelled = '';
    for (let start = 0; start < paths.length; start += AT_ONCE) {
      const payload = report();
      const batch = paths.slice(start, start + AT_ONCE);
      for (const [index, path] of batch.entries())
        prefixed(payload, path, `${String.fromCodePoint(HIEROGLYPH + index)} `);
      const { pdf, warnings } = await renderPdf(payload, { loadImage: async () => null });
      for (const [index, path] of batch.entries())
        if (!warnings.includes(warned(HIEROGLYPH + index))) silent.push(path.join('.'));
      expect(drawnCodes(pdf).length).toBeGreaterThan(500);
      expect(drawnCodes(pdf)).not.toContain(MISSING_GLYPH);
      const { pages, outline, info } = await readPdf(pdf);
      spelled += [...pages, ...outline, JSON.stringify(info)].join('\n');
    }
    expect(silent).toEqual([]);
    expect(spelled).toContain('[U+13000]');
    expect(spelled).not.toMatch(/[\u{13000}-\u{1342f}]/u);
  });

  it('would see a box', async () => {
    const pdf = await printer()
      .createPdf({ content: ['\u{13000}'], defaultStyle: { font: 'Noto Sans' } })
      .getBuffer();
    expect(drawnCodes(pdf)).toContain(MISSING_GLYPH);
  });

  // Percent and thousands of these have signs that Noto Sans lacks, or characters without ink.
  it.each(['ars', 'he', 'ks', 'ne'])('draws no box for the figures and dates of %s', async (locale) => {
    const payload = report();
    payload.organization = { ...payload.organization, locale, date_format: null, time_format: null };
    const { pdf, warnings } = await renderPdf(payload, { loadImage: async () => null });
    expect(drawnCodes(pdf)).not.toContain(MISSING_GLYPH);
    expect(warnings.filter((warning) => warning.startsWith('no glyph'))).toEqual([]);
  });
});
