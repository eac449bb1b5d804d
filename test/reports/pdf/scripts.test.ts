import { indexContent } from '../../../shared/domain/content/content-index.ts';
import { buildPayload } from '../../../shared/domain/report/build.ts';
import type { ReportedAnswer } from '../../../shared/domain/report/sources.ts';
import { renderPdf } from '../../../shared/reports/pdf/render-pdf.ts';
import { DEFAULT_LAYOUT, ReportPayload } from '../../../shared/schemas/reports/report-payload.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { MISSING_GLYPH, drawnCodes, readPdfs, type ReadPdf } from '../../support/pdf.ts';
import { foodEstablishment } from '../fixtures/food-establishment.ts';
import { uuid } from '../fixtures/payload-parts.ts';
import { gradient } from '../fixtures/pictures.ts';
import { WORDINGS, type Wording } from '../fixtures/wordings.ts';

const [CHOICE, TEXT, SIGNED] = [uuid(1, 1), uuid(1, 2), uuid(1, 3)];
const PHOTO = uuid(2, 1);

/** The payload of an inspection whose template, answers and names are in one language. */
const inspected = (words: Wording): ReportPayload => {
  const { organization, inspection } = foodEstablishment();
  const options = words.options.map((label, index) => ({
    value: `option-${index}`,
    label,
    is_failed: index === 1,
    is_na: index === 2,
  }));
  const content = Content.parse({
    sections: [
      {
        id: uuid(3, 1),
        title: words.section,
        description: words.description,
        fields: [
          { id: CHOICE, type: 'multi_select', label: words.question, help_text: words.description, options },
          { id: TEXT, type: 'long_text', label: words.question },
          { id: SIGNED, type: 'signature', label: words.question },
        ],
      },
    ],
  });
  const answer = (field_id: string, value: unknown, more: object = {}): ReportedAnswer => ({
    field_id,
    instance_path: '',
    value,
    note: '',
    is_na: false,
    answered_by: PHOTO,
    answered_at: '2026-03-14T09:12:00.000Z',
    ...more,
  });
  const signed = { typed: words.signer, document_id: null, signed_name: words.signer, signed_at: null };
  return buildPayload(
    {
      organization: {
        ...organization,
        name: words.title,
        locale: words.locale,
        date_format: null,
        logo: null,
      },
      layout: {
        ...DEFAULT_LAYOUT,
        blocks: [
          { kind: 'sections', options: {} },
          { kind: 'text', options: { title: words.title, text: words.note } },
          { kind: 'signatures', options: {} },
        ],
      },
      inspection: { ...inspection, name: words.title },
      index: indexContent(content),
      startAnswers: {},
      answers: [
        answer(CHOICE, ['option-0', 'option-1', 'option-2'], {
          note: words.note,
          media: [{ document_id: PHOTO, caption: words.caption }],
        }),
        answer(TEXT, words.answer),
        answer(SIGNED, signed),
      ],
      findings: [],
      actions: [],
      names: new Map([[PHOTO, words.signer]]),
      documents: new Map([[PHOTO, { file_name: 'photo.jpg', mime_type: 'image/jpeg' }]]),
    },
    { id: null, version: 1, generated_at: '2026-03-14T11:45:00.000Z' },
  );
};

/**
 * The characters that are compared: letters, marks and digits. PDF.js changes the others: it adds spaces where a mark
 * has a width, does not mirror brackets in right-to-left text, and leaves out invisible joiners.
 */
const letters = (text: string): string => text.normalize('NFKC').replace(/[^\p{L}\p{M}\p{N}]/gu, '');

/** PDF.js moves numbers and Latin words in right-to-left lines, so such a line is compared word by word. */
const partsOf = (script: string, text: string): string[] =>
  ['Arabic', 'Hebrew'].includes(script) ? text.split(/[^\p{L}\p{M}\p{N}\u200c]+/u) : [text];

describe('a report of a template in one script', () => {
  const rendered = new Map<string, Awaited<ReturnType<typeof renderPdf>> & { read: ReadPdf }>();

  beforeAll(async () => {
    const photo = await gradient(64, 48, 200);
    const reports = [];
    for (const words of Object.values(WORDINGS))
      reports.push(await renderPdf(ReportPayload.parse(inspected(words)), { loadImage: async () => photo }));
    const read = await readPdfs(reports.map(({ pdf }) => pdf));
    for (const [index, script] of Object.keys(WORDINGS).entries())
      rendered.set(script, { ...reports[index]!, read: read[index]! });
  });

  it.each(Object.entries(WORDINGS))('contains every text in %s', (script, words) => {
    const { pdf, read, warnings } = rendered.get(script)!;
    const text = letters(read.pages.join('\n'));
    const lost = Object.entries(words)
      .filter(([part]) => part !== 'locale')
      .flatMap(([part, said]) => [said].flat().map((saying: string) => ({ part, saying })))
      .flatMap(({ part, saying }) => partsOf(script, saying).map((said) => ({ part, said: letters(said) })))
      .filter(({ said }) => !text.includes(said));
    expect(lost).toEqual([]);
    expect(warnings).toEqual([]);
    expect(drawnCodes(pdf)).not.toContain(MISSING_GLYPH);
  });

  it.each(Object.entries(WORDINGS))('has its title and bookmarks in %s', (script, words) => {
    const { info, outline } = rendered.get(script)!.read;
    expect(info['Title']).toBe(words.title.normalize('NFC'));
    expect(outline).toContain(`2: 1 ${words.section.normalize('NFC')}`);
  });

  it('embeds only the glyphs that it uses', () => {
    const sizes = [...rendered].map(([script, { pdf }]) => ({ script, kilobytes: pdf.length / 1024 }));
    expect(sizes.filter(({ kilobytes }) => kilobytes > 160)).toEqual([]);
  });
});
