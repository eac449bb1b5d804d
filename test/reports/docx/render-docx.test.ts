import mammoth from 'mammoth';
import { SaxesParser } from 'saxes';
import { buildDocument } from '../../../shared/reports/document/build.ts';
import { renderDocx } from '../../../shared/reports/docx/render-docx.ts';
import { openReportImages } from '../../../shared/reports/presentation/images.ts';
import type { ReportPayload } from '../../../shared/schemas/reports/report-payload.ts';
import { unzipped } from '../../support/archives.ts';
import {
  allFieldTypes,
  CASES,
  compared,
  corrected,
  extinguishers,
  findingsWithActions,
  scripts,
  unfinished,
} from '../fixtures/hard-cases.ts';
import { fixtureImage } from '../fixtures/images.ts';

const drawn = async (payload: ReportPayload): Promise<Buffer> => {
  const { images } = await openReportImages(payload, { loadImage: fixtureImage });
  return renderDocx(buildDocument(payload, { images, hash: null }), images);
};

const part = async (bytes: Buffer, name: string): Promise<string> =>
  (await unzipped(bytes)).get(name)!.toString();

/** The bookmarks that links within the document lead to. A link to an address may have an anchor as well. */
const targets = (xml: string): string[] =>
  [...xml.matchAll(/<w:hyperlink ([^>]*)>/g)]
    .filter(([, attributes]) => !attributes!.includes('r:id'))
    .map(([, attributes]) => /w:anchor="([^"]*)"/.exec(attributes!)![1]!);

describe('a report as DOCX', () => {
  it.each(['unfinished', 'longAnswers', 'instances12', 'allFieldTypes', 'scripts', 'compared'] as const)(
    'is a package of well-formed parts: %s',
    async (name) => {
      const files = await unzipped(await drawn(CASES[name]()));
      expect([...files.keys()]).toEqual(expect.arrayContaining(['[Content_Types].xml', 'word/document.xml']));
      for (const [path, content] of files) {
        if (!/\.(xml|rels)$/.test(path)) continue;
        const parser = new SaxesParser();
        parser.on('error', (error) => {
          throw new Error(`${path}: ${error.message}`);
        });
        parser.write(content.toString()).close();
      }
    },
  );

  it('has the colour of its layout on the cover and in the headings', async () => {
    const payload = findingsWithActions();
    payload.layout.theme.primary_color = '#1466b8';
    const bytes = await drawn(payload);
    expect(await part(bytes, 'word/document.xml')).toMatch(/<w:pBdr><w:bottom [^>]*w:color="1466b8"/);
    expect(await part(bytes, 'word/styles.xml')).toMatch(/Heading1".*?w:color w:val="1466b8"/s);
  });

  it('has the sections, questions and answers as headings, text, tables and pictures', async () => {
    const payload = allFieldTypes();
    const { value: html, messages } = await mammoth.convertToHtml({ buffer: await drawn(payload) });
    expect(messages.filter(({ type }) => type === 'error')).toEqual([]);
    const [section] = payload.sections;
    expect(html).toMatch(new RegExp(`<h[23]>.*${section!.title}`));
    for (const { label } of section!.fields) expect(html).toContain(label);
    expect(html).toContain('<img ');
    expect(html).toContain('<table>');
  });

  it('has the answers of an earlier inspection behind those of this one', async () => {
    const { value: text } = await mammoth.extractRawText({ buffer: await drawn(compared()) });
    expect(text).toMatch(/3.8\s?°C\s+Before: 9.1\s?°C\s+The door was left open\./);
    expect(text).toContain('Before: No. 977 · Kitchen, at the handover');
  });

  it('leads every link within it to a bookmark that it has', async () => {
    const xml = await part(await drawn(findingsWithActions()), 'word/document.xml');
    const marks = new Set([...xml.matchAll(/<w:bookmarkStart w:name="([^"]*)"/g)].map(([, name]) => name));
    const links = targets(xml);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((link) => !marks.has(link))).toEqual([]);
  });

  it('shows findings with their actions, and what a correction changed', async () => {
    const found = findingsWithActions();
    const { value: text } = await mammoth.extractRawText({ buffer: await drawn(found) });
    for (const { label, corrective_actions } of found.findings) {
      expect(text).toContain(label);
      for (const { title } of corrective_actions) expect(text).toContain(title);
    }
    const changed = corrected();
    const { value: corrections } = await mammoth.extractRawText({ buffer: await drawn(changed) });
    for (const { reason } of changed.corrections) expect(corrections).toContain(reason);
  });

  it('ends with how to verify it: the fingerprint of its data, and the QR code', async () => {
    const hash = 'ab'.repeat(32);
    const document = buildDocument(corrected(), { images: new Map(), hash });
    const bytes = await renderDocx(document, new Map());
    const { value: text } = await mammoth.extractRawText({ buffer: bytes });
    expect(text.slice(text.lastIndexOf(document.closing.heading))).toContain(hash);
    const xml = await part(bytes, 'word/document.xml');
    expect(xml).toContain(`descr="${document.closing.qr}"`);
    const files = await unzipped(bytes);
    expect([...files.keys()].filter((path) => path.endsWith('.gif'))).toHaveLength(1);
  });

  it('lays the pages of a table on their side that is too wide for upright ones, and goes on upright after it', async () => {
    const xml = await part(await drawn(extinguishers(12)), 'word/document.xml');
    const pages = [...xml.matchAll(/<w:pgSz [^>]*w:orient="(\w+)"/g)].map(([, lies]) => lies);
    expect(pages).toEqual(['portrait', 'landscape', 'portrait']);
    const [, table] = xml.split('<w:sectPr');
    expect(table).toContain('EXT-');
    // Only the first page has a head and a foot of its own.
    expect(xml.match(/<w:titlePg\/>/g)).toHaveLength(1);
    const lying = extinguishers(12);
    lying.layout.orientation = 'landscape';
    expect((await part(await drawn(lying), 'word/document.xml')).match(/<w:pgSz /g)).toHaveLength(1);
  });

  it('says on every page that it is a draft', async () => {
    const files = await unzipped(await drawn(unfinished()));
    const headers = [...files].filter(([path]) => /^word\/header\d\.xml$/.test(path));
    expect(headers).toHaveLength(2);
    for (const [, content] of headers) expect(content.toString()).toContain('Draft');
  });

  it('is written from right to left in Arabic', async () => {
    const xml = await part(await drawn(allFieldTypes('ar')), 'word/document.xml');
    const paragraphs = xml.match(/<w:p>.*?<\/w:p>/gs)!;
    expect(paragraphs.filter((paragraph) => !paragraph.includes('<w:bidi/>'))).toEqual([]);
    expect(xml).toContain('<w:bidiVisual/>');
  });

  it('keeps the letters of every script, and hostile texts as text', async () => {
    const payload = scripts();
    const { value: text } = await mammoth.extractRawText({ buffer: await drawn(payload) });
    for (const { title } of payload.sections) expect(text).toContain(title);
  });
});
