import { newForm } from '../../../infra/demo/form-3a.ts';
import { as } from '../../support/call.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { formUpload } from '../../xlsform/sample-forms.ts';
import { draftedFamily } from '../fixtures.ts';

describe('GET /templates/{template_id}/xlsform', () => {
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Exporter');
  });

  test('200 with a workbook; another organization that imports it gets the same content', async () => {
    const { draft_version_id } = await draftedFamily(person.key, {
      name: 'Küche 3A',
      content: newForm().content,
    });
    const params = { template_id: draft_version_id! };
    const { status, headers, bytes } = await person.try.versions.exportXlsform({ params });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
    expect(headers['content-disposition']).toContain("filename*=UTF-8''K%C3%BCche%203A.xlsx");

    const { key } = await newPerson('Importer');
    const imported = await as(key).versions.importXlsform({ form: formUpload(Uint8Array.from(bytes)) });
    expect(imported).toMatchObject({ name: 'Küche 3A', report: { rows: [] } });
    const { content_hash } = await person.versions.getTemplate({ params });
    expect(imported.template.content_hash).toBe(content_hash);
  });
});
