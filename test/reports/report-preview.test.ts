import { v7 as uuidv7 } from 'uuid';
import * as errors from '../../shared/base/errors.ts';
import { indexContent } from '../../shared/domain/content/content-index.ts';
import { sampleMaterial } from '../../shared/domain/report/sample/material.ts';
import * as documents from '../../shared/files/documents.ts';
import { deleteObject, documentKey } from '../../shared/files/objects.ts';
import { previewReport } from '../../shared/reports/preview.ts';
import { DEFAULT_LAYOUT } from '../../shared/schemas/reports/report-layout-content.ts';
import { Content } from '../../shared/schemas/templates/content.ts';
import { PHOTO, TEXT, answering, saved } from '../answers/fixtures.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { readPdf } from '../support/pdf.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newLayout } from '../templates/fixtures.ts';
import { ORGANIZATION } from './fixtures/material.ts';
import { gradient } from './fixtures/pictures.ts';

let inspector: Person;
let outsider: Person;
beforeAll(async () => {
  inspector = await newPerson('Harbour Inspections');
  outsider = await newPerson('Outsider');
});

const preview = (inspection: { id: string }, query: Record<string, string> = {}, key = inspector.key) =>
  as(key).try.reports.getPreview({ params: { inspection_id: inspection.id }, query });

const uploadPhoto = async (): Promise<string> => {
  const form = new FormData();
  form.set('title', 'Rail');
  form.set('file', new Blob([new Uint8Array(await gradient(2_000, 1_500, 120))]), 'rail.jpg');
  const { id } = await inspector.documents.create({ form });
  return id;
};

/** An inspection with two answers: a text and a photo. */
const answered = async () => {
  const inspection = await answering(inspector, { name: 'Cold store' });
  await saved(inspector, inspection, {
    field_id: TEXT,
    value: 'The rail <b>is</b> loose',
    note: 'Φωτογραφία',
  });
  const document_id = await uploadPhoto();
  await saved(inspector, inspection, { field_id: PHOTO, value: [{ document_id, caption: 'Left end' }] });
  return { inspection, document_id };
};

describe('GET /inspections/{inspection_id}/report-preview', () => {
  it('200 renders the inspection in its present state, and stores nothing', async () => {
    const { inspection } = await answered();
    const { status, headers, bytes } = await preview(inspection);
    expect([status, headers['content-type']]).toEqual([200, 'application/pdf']);
    const text = (await readPdf(bytes)).pages.join('\n');
    for (const shown of ['The rail <b>is</b> loose', 'Φωτογραφία', 'Left end']) expect(text).toContain(shown);
    const params = { inspection_id: inspection.id };
    expect(await inspector.reports.list({ params })).toEqual([]);
  });

  it('200 is a page of HTML with the photos scaled down', async () => {
    const { inspection } = await answered();
    const { status, headers, text } = await preview(inspection, { format: 'html' }, inspector.readOnlyKey);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('The rail &lt;b&gt;is&lt;/b&gt; loose');
    expect(text).toMatch(
      /<image id="image-photo-1" href="data:image\/jpeg;base64,[^"]+" width="640" height="480"/,
    );
  });

  it('200 has a placeholder for a photo whose file is deleted', async () => {
    const { inspection, document_id } = await answered();
    await deleteObject(inspector.caller, documentKey(inspector.caller, document_id));
    expect((await documents.get(inspector.caller, document_id)).used_by_count).toBe(1);
    const { status, text } = await preview(inspection, { format: 'html' });
    expect(status).toBe(200);
    expect(text).toContain('The image cannot be shown');
    expect(text).toContain('rail.jpg');
  });

  it('200 uses the requested layout', async () => {
    const { inspection } = await answered();
    const { id: layout_id } = await newLayout(inspector.key, inspection.template_family_id, {
      blocks: [{ kind: 'text', options: { title: 'Terms', text: 'Valid for a year.' } }],
    });
    const { text } = await preview(inspection, { format: 'html', layout_id });
    expect(text).toContain('Valid for a year.');
    expect(text).not.toContain('Inspection record');
  });

  it('400 for a layout that is not in the template family', async () => {
    const { status, body } = await preview(await newInspection(inspector), { layout_id: uuidv7() });
    expect([status, body.detail]).toEqual([400, errors.referenceNotFound('layout_id').detail]);
  });

  it('404 for another organization’s inspection', async () => {
    expect((await preview(await newInspection(inspector), {}, outsider.key)).status).toBe(404);
  });
});

describe('previewReport', () => {
  const material = sampleMaterial(indexContent(Content.parse({})), {
    organization: { ...ORGANIZATION, logo: null },
    layout: DEFAULT_LAYOUT,
    template: { id: uuidv7(), name: 'Kitchen', version_number: 1 },
  });

  /** A preview for which so many milliseconds have passed before the first image is opened. */
  const previewAfter = async (format: 'html' | 'pdf', milliseconds: number): Promise<string> => {
    const begun = Date.now();
    const clock = jest.spyOn(Date, 'now');
    clock.mockReturnValueOnce(begun).mockReturnValue(begun + milliseconds);
    try {
      return Buffer.from((await previewReport(inspector.caller, material, null, format)).bytes).toString();
    } finally {
      clock.mockRestore();
    }
  };

  it('503 if drawing the pages takes too long', async () => {
    await expect(previewAfter('pdf', 25_000)).rejects.toMatchObject({
      status: 503,
      detail: errors.unavailable('Report rendering').detail,
    });
  });

  it('leaves out photos after the time limit', async () => {
    expect((await previewAfter('html', 0)).includes('data:image/')).toBe(true);
    const late = await previewAfter('html', 9_000);
    expect([late.includes('data:image/'), late.includes('The image cannot be shown')]).toEqual([false, true]);
  });
});
