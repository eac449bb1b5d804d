import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { mergedReports, type ReportPdf } from '../../shared/reports/merged-reports.ts';
import { renderPdf } from '../../shared/reports/pdf/render-pdf.ts';
import type { ReportPayload } from '../../shared/schemas/reports/report-payload.ts';
import { readPdf, type ReadPdf, readPdfs } from '../support/pdf.ts';
import { documentOf } from './document/support.ts';
import { corrected, extinguishers, failedBySection, findingsWithActions } from './fixtures/hard-cases.ts';

const PAYLOADS = [findingsWithActions('de'), failedBySection('de'), corrected('de'), extinguishers(12)];

const drawn = async (payload: ReportPayload, index: number): Promise<ReportPdf> => {
  payload.inspection.number = 100 + index;
  const images = { images: new Map(), payload: JSON.stringify(payload) };
  const { pdf } = await renderPdf(documentOf(payload), images, { within: 20_000 });
  return { payload, pdf };
};

describe('the PDF of many reports', () => {
  let merged: ReadPdf;
  let alone: ReadPdf[];
  /** The pages before each report. */
  let before: number[];
  beforeAll(async () => {
    const at = '2026-03-14T11:45:00.000Z';
    const reports: ReportPdf[] = [];
    for (const [index, payload] of PAYLOADS.entries()) reports.push(await drawn(payload, index));
    merged = await readPdf(await buffer(mergedReports(Readable.from(reports), { language: 'de', at })));
    alone = await readPdfs(reports.map(({ pdf }) => Buffer.from(pdf)));
    before = alone.map((_, index) => alone.slice(0, index).reduce((sum, { pages }) => sum + pages.length, 1));
  });

  it('has a title, a language and tags', () => {
    expect(merged).toMatchObject({ isTagged: true, language: 'de', attachments: {} });
    expect(merged.info['Title']).toBe('Inspektionsberichte');
    // Each report is a part of the one document.
    const within = (tags: string[][]) =>
      tags.map((page) => page.filter((tag) => !/^(Document|Part)$/.test(tag)));
    expect(within(merged.tags.slice(1))).toEqual(within(alone.flatMap(({ tags }) => tags)));
    expect(merged.tags[0]).toEqual(expect.arrayContaining(['H1', 'Table', 'TH', 'Link']));
  });

  it('begins with a page that lists what is in it, with links', () => {
    const [first] = merged.pages;
    for (const [index, { inspection, summary }] of PAYLOADS.entries()) {
      expect(first).toContain(String(inspection.number));
      expect(first).toContain('14.03.2026');
      if (summary.verdict) expect(first).toContain('Nicht bestanden');
      expect(merged.links).toContain(`1: page ${before[index]! + 1}`);
      expect(first).toMatch(new RegExp(`\\b${before[index]! + 1}\\b`));
    }
  });

  it('has the outline of each report below its entry', () => {
    const moved = alone.flatMap(({ outline }, index) => [
      `${before[index]! + 1}: ${PAYLOADS[index]!.inspection.number} ${PAYLOADS[index]!.inspection.name}`,
      ...outline.map((line) => line.replace(/^\d+/, (page) => String(Number(page) + before[index]!))),
    ]);
    expect(merged.outline.slice(1)).toEqual(['1: Inspektionsberichte', ...moved]);
  });

  it('keeps the links within each report', () => {
    const moved = alone.flatMap(({ links }, index) =>
      links.map((link) =>
        link.replaceAll(/^\d+|(?<=: page )\d+$/g, (page) => String(Number(page) + before[index]!)),
      ),
    );
    expect(merged.links.filter((link) => !link.startsWith('1: '))).toEqual(moved);
    expect(moved.filter((link) => /page/.test(link)).length).toBeGreaterThan(10);
  });
});
