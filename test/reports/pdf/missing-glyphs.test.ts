import { renderPdf } from '../../../shared/reports/pdf/render-pdf.ts';
import { printer } from '../../../shared/reports/pdf/typefaces.ts';
import type { ReportPayload } from '../../../shared/reports/presentation/former-payload.ts';
import { MISSING_GLYPH, drawnCodes, readPdf } from '../../support/pdf.ts';
import { foodEstablishment } from '../fixtures/food-establishment.ts';
import { field, photo, uuid } from '../fixtures/payload-parts.ts';

type Path = (string | number)[];
type Texts = Record<string | number, unknown>;

/** A report with one of each part that has a text. */
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

/** Properties that are not drawn as they are: the report has its own words for them, or leaves them out. */
const NAMES =
  /^(id|\w+_id|status|role|origin|severity|priority|kind|type|result|mime_type|page_size|orientation|primary_color|locale|timezone|time_format|\w+_(at|for))$/;

/** The first Egyptian hieroglyph; no font of a report has any. */
const HIEROGLYPH = 0x13000;
/** How many characters a report names in a warning each. */
const MAX_WARNINGS = 40;

const warningOf = (codePoint: number): string =>
  `The fonts do not have the character "${String.fromCodePoint(codePoint)}" (U+${codePoint.toString(16).toUpperCase()}).`;

describe('renderPdf of a character without a glyph', () => {
  const paths = pathsOf(report()).filter((path) => !NAMES.test(String(path.at(-1))));

  it('warns of it in every text, writes its code point, and never draws the box of a missing glyph', async () => {
    const silent: string[] = [];
    let spelled = '';
    for (let start = 0; start < paths.length; start += MAX_WARNINGS) {
      const payload = report();
      const batch = paths.slice(start, start + MAX_WARNINGS);
      for (const [index, path] of batch.entries())
        prefixed(payload, path, `${String.fromCodePoint(HIEROGLYPH + index)} `);
      const { pdf, warnings } = await renderPdf(payload, { loadImage: async () => null });
      for (const [index, path] of batch.entries())
        if (!warnings.includes(warningOf(HIEROGLYPH + index))) silent.push(path.join('.'));
      expect(drawnCodes(pdf).length).toBeGreaterThan(500);
      expect(drawnCodes(pdf)).not.toContain(MISSING_GLYPH);
      const { pages, outline, info } = await readPdf(pdf);
      spelled += [...pages, ...outline, JSON.stringify(info)].join('\n');
    }
    expect(silent).toEqual([]);
    expect(spelled).toContain('[U+13000]');
    expect(spelled).not.toMatch(/[\u{13000}-\u{1342f}]/u);
  });

  it('would notice the box of a missing glyph', async () => {
    const pdf = await printer()
      .createPdf({ content: ['\u{13000}'], defaultStyle: { font: 'Noto Sans' } })
      .getBuffer();
    expect(drawnCodes(pdf)).toContain(MISSING_GLYPH);
  });

  // These locales write percentages and thousands with symbols that Noto Sans lacks, or with invisible characters.
  it.each(['ars', 'he', 'ks', 'ne'])('draws the numbers and dates of the locale %s', async (locale) => {
    const payload = report();
    payload.organization = { ...payload.organization, locale, date_format: null, time_format: null };
    const { pdf, warnings } = await renderPdf(payload, { loadImage: async () => null });
    expect(drawnCodes(pdf)).not.toContain(MISSING_GLYPH);
    expect(warnings.filter((warning) => warning.startsWith('The fonts do not have'))).toEqual([]);
  });
});
