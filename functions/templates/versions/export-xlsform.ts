import * as z from 'zod';
import { exportForm } from '../../../shared/domain/xlsform/export.ts';
import { writeWorkbook } from '../../../shared/domain/xlsform/workbook/write.ts';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { file } from '../../../shared/http/operation/responses.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import * as templates from '../../../shared/templates/versions.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

export const operation = defineOperation({
  id: 'exportXlsform',
  method: 'GET',
  path: '/templates/{template_id}/xlsform',
  summary: 'Export a template version as an XLSForm',
  description: `
Returns a form for ODK, KoboToolbox and other tools that follow the [XLSForm standard](https://xlsform.org). Everything
that the standard has no columns for stands in \`inspection__…\` columns, which those tools ignore.
\`POST /templates/import\` makes the same content from the form. If somebody edits a cell of a standard column, that cell
counts and the \`inspection__…\` column that adds to it is ignored.`.trim(),
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ template_id: Uuid }),
  success: 200,
  response: file('The form as an `.xlsx` file.', XLSX),
  heavy: true,
  memory: 1_024,
});

export const handler = createHandler(operation, async ({ params, caller }) => {
  const { name, family_id, version_number, content, updated_at } = await templates.get(
    caller,
    params.template_id,
  );
  const form = exportForm(content, { title: name, id: family_id, version: String(version_number) });
  return { bytes: await writeWorkbook(form, updated_at), media_type: XLSX, file_name: `${name}.xlsx` };
});
