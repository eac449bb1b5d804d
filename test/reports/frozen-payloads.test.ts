import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { renderDocx } from '../../shared/reports/docx/render-docx.ts';
import { reportWorkbook } from '../../shared/reports/formats/report-workbook.ts';
import { renderHtml } from '../../shared/reports/html/render-html.ts';
import { mergedReports } from '../../shared/reports/merged-reports.ts';
import { renderPdf } from '../../shared/reports/pdf/render-pdf.ts';
import { ReportPayload } from '../../shared/schemas/reports/report-payload.ts';
import { frozenObjects, RELEASES } from '../releases/frozen.ts';
import { readPdf } from '../support/pdf.ts';
import { documentOf } from './document/support.ts';

/** Every payload that a release has stored. */
const payloadsOf = (release: string): ReportPayload[] =>
  frozenObjects(release)
    .filter(({ key }) => key.endsWith('/payload.json.gz'))
    .map(({ body }) => JSON.parse(gunzipSync(Buffer.from(body, 'base64')).toString()) as ReportPayload);

describe.each(RELEASES)('the payloads of release %s', (release) => {
  const payloads = payloadsOf(release);

  it('are what the reference says', () => {
    expect(payloads.length).toBeGreaterThan(0);
    for (const payload of payloads) expect(ReportPayload.safeParse(payload).error).toBeUndefined();
  });

  it('can be drawn in every format, and merged', async () => {
    const [first] = payloads;
    const images = new Map();
    const document = documentOf(first!);
    expect(document.appendix?.perPage ?? 4).toBe(4);
    expect(renderHtml(document, images)).toContain(first!.inspection.name);
    expect((await renderDocx(document, images)).length).toBeGreaterThan(1_000);
    const language = first!.report.language;
    expect((await buffer(reportWorkbook(payloads, { at: new Date(0), language }))).length).toBeGreaterThan(
      1_000,
    );
    const pdfs = async function* () {
      for (const payload of payloads)
        yield { payload, pdf: (await renderPdf(documentOf(payload), { images }, { within: 20_000 })).pdf };
    };
    const at = '2027-03-01T10:00:00.000Z';
    const { pages } = await readPdf(await buffer(mergedReports(pdfs(), { language, at })));
    for (const { inspection } of payloads) expect(pages[0]).toContain(inspection.name);
  });
});
