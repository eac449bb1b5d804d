import * as z from 'zod';
import { unprocessable } from '../../shared/base/errors.ts';
import { families } from '../../shared/db/templates/families.ts';
import { templates } from '../../shared/db/templates/templates.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { formOrJson, multipart, type UploadedFile } from '../../shared/http/multipart.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Existing } from '../../shared/http/respond.ts';
import { unstorable } from '../../shared/http/validation.ts';
import { NewFamily } from '../../shared/schemas/templates/family.ts';
import { FormImport, FormImported, FormUpload } from '../../shared/schemas/templates/xlsform.ts';
import { FormError, type Imported, importForm } from '../../shared/xlsform/import.ts';
import { importReport } from '../../shared/xlsform/report.ts';
import { sheetOfRows } from '../../shared/xlsform/rows.ts';
import { isFormSheet } from '../../shared/xlsform/table.ts';
import { readWorkbook, WorkbookError } from '../../shared/xlsform/workbook.ts';

export const operation = defineOperation({
  id: 'importXlsform',
  method: 'POST',
  path: '/templates/import',
  summary: 'Import an XLSForm',
  description: `
A form of ODK, KoboToolbox and others that follow the [XLSForm standard](https://xlsform.org), as an \`.xlsx\` file or
as JSON, becomes the first draft of a new family, or the draft of \`family_id\`: \`409\` while that has one.

Groups become sections and repeats repeat sections, lists of choices response sets, \`relevant\` conditions,
\`constraint\` limits and patterns, \`calculation\` formulas, and labels and hints in further languages translations.
What cannot be carried over is reported cell by cell, and by column where a whole one is not; \`dry_run\` reports it,
with the content, and changes nothing. A form that is wrong in itself is a \`422\` with everything that is wrong:
\`["body", "file", "survey", "12", "type"]\`.

Ids are made of the form's \`form_id\` and the names within it, so a later version of the form, imported into the same
family, keeps its fields. What \`GET /templates/{template_id}/xlsform\` gave out comes back as it was.`.trim(),
  access: 'write',
  query: z.strictObject({
    dry_run: z.boolean().default(false).meta({ description: 'Only tell what would be.' }),
  }),
  body: formOrJson(
    multipart(FormUpload, {
      file: {
        required: true,
        maxBytes: 4 * 1024 * 1024,
        mediaTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
        description: 'The `.xlsx` file, without a password and without macros.',
      },
    }),
    FormImport,
  ),
  success: 201,
  existing: 200,
  existingMeans: 'A dry run: nothing was changed.',
  response: FormImported,
  errors: [409],
  grants: ['table:GetItem', 'table:PutItem'],
  calls: 3,
  memory: 1_024,
  example: {
    body: {
      name: 'Tower crane, weekly',
      survey: [
        { type: 'begin group', name: 'rails', label: 'Guard rails' },
        { type: 'select_one yes_no', name: 'firm', label: 'Are they firm?', required: 'yes' },
        { type: 'text', name: 'why', label: 'What is loose?', relevant: "${firm} = 'no'" },
        { type: 'end group' },
      ],
      choices: [
        { list_name: 'yes_no', name: 'yes', label: 'Yes' },
        { list_name: 'yes_no', name: 'no', label: 'No' },
      ],
      settings: { form_title: 'Tower crane', form_id: 'tower_crane' },
    },
  },
});

const MOST_PROBLEMS = 1_000;

/** A form without any name. */
const UNNAMED = 'Imported form';

/** @throws ApiError 422 with what keeps the form from being imported; `within` is where its sheets stand. */
const imported = (within: readonly string[], work: () => Imported): Imported => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
    throw unprocessable(
      error.problems.slice(0, MOST_PROBLEMS).map(({ sheet, row, column, message, type }) => ({
        loc: [
          ...(sheet ? within : ['body']),
          ...[sheet, row, column].flatMap((step) => (step === null || step === '' ? [] : [String(step)])),
        ],
        msg: type === 'value_error' ? `Value error, ${message}` : message,
        type,
      })),
    );
  }
};

const fromFile = async ({ name, bytes }: UploadedFile, language: string | undefined): Promise<Imported> => {
  const { sheets, others } = await readWorkbook(bytes, isFormSheet).catch((error: unknown) => {
    if (!(error instanceof WorkbookError)) throw error;
    const problem = {
      loc: ['body', 'file'],
      msg: `Value error, ${error.message}`,
      type: 'value_error' as const,
    };
    throw unprocessable([problem]);
  });
  const found = imported(['body', 'file'], () =>
    importForm(sheets, others, { language, name: name.replace(/\.\w+$/, '') || UNNAMED }),
  );
  const problems = unstorable(found.content);
  if (problems.length > 0)
    throw unprocessable(problems.map((problem) => ({ ...problem, loc: ['body', 'file'] })));
  return found;
};

const fromJson = ({ content, survey, settings, language, name = UNNAMED, ...rest }: FormImport): Imported => {
  if (content) return { title: name, content, remarks: [] };
  const { choices, external_choices, entities, osm } = rest;
  const sheets = { survey, choices, external_choices, ...(settings && { settings: [settings] }) };
  return imported(['body'], () =>
    importForm(
      Object.entries(sheets).flatMap(([sheet, rows]) => (rows ? [sheetOfRows(sheet, rows)] : [])),
      [...(entities ? ['entities'] : []), ...(osm ? ['osm'] : [])],
      { language, name },
    ),
  );
};

// oxlint-disable-next-line no-control-regex -- these are what a name is without
const CONTROLS = /[\u0000-\u001f\u007f]+/g;

/** A form's own title within what a name may be. */
const nameOf = (title: string): string =>
  title.replaceAll(CONTROLS, ' ').trim().slice(0, 200).trim() || UNNAMED;

export const handler = createHandler(operation, async ({ query, body, caller }) => {
  const { title, content, remarks } =
    'file' in body ? await fromFile(body.file, body.language) : fromJson(body);
  const report = importReport(content, remarks);
  const name = body.name ?? nameOf(title);
  if (query.dry_run) return new Existing({ family: null, template: null, name, content, report });
  const replyOf = (family: FormImported['family'], template: FormImported['template']): FormImported => ({
    family,
    template,
    name,
    content: null,
    report,
  });
  return body.family_id
    ? templates.create(caller, { family_id: body.family_id, content }, replyOf)
    : families.create(caller, { ...NewFamily.parse({ name }), content }, replyOf);
});
