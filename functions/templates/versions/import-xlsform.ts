import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { formOrJson, multipart } from '../../../shared/http/operation/forms.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { Existing } from '../../../shared/http/reply/reply.ts';
import { importedTemplate } from '../../../shared/http/request/xlsform.ts';
import { refusedBeyond } from '../../../shared/schemas/slots.ts';
import { NewFamily } from '../../../shared/schemas/templates/family.ts';
import { MAX_CSV_BYTES, MAX_CSV_FILES } from '../../../shared/schemas/templates/xlsform-limits.ts';
import { FormImport, FormImported, FormUpload } from '../../../shared/schemas/templates/xlsform.ts';
import { inSlot } from '../../../shared/table/slots.ts';
import * as families from '../../../shared/templates/families.ts';
import * as templates from '../../../shared/templates/versions.ts';

export const operation = defineOperation({
  id: 'importXlsform',
  method: 'POST',
  path: '/templates/import',
  summary: 'Import an XLSForm',
  description: `
Makes a template from a form of ODK, KoboToolbox or another tool that follows the
[XLSForm standard](https://xlsform.org). Send the form as an \`.xlsx\` file or as JSON. Its content becomes the first
draft of a new family, or with \`family_id\` a new draft of that family. A family that already has a draft is a \`409\`.

Groups become sections and repeats become repeat sections. Lists of choices become response sets, \`relevant\` becomes
a condition, \`constraint\` becomes limits and patterns, \`calculation\` becomes a formula, and labels and hints in
other languages become translations. The report lists each cell that could not be imported, and each column and sheet
that could not be imported at all. With \`dry_run\` the reply has the report and the content, and nothing is changed.

The questions \`select_one_from_file sites.csv\` and \`select_multiple_from_file sites.csv\` have their options in a file.
Send it with the form, as a part named \`media\` of the \`multipart/form-data\`. Its columns \`name\` and \`label\`, or those
that the parameters \`value=\` and \`label=\` name, become the options of a response set. The columns that a
\`choice_filter\` asks for become attributes of the options. Without the file, or with more than 1,000 options, the
question becomes a text field, and the report says so. Files of other kinds, such as GeoJSON and XML, are not read. An
export writes these options as ordinary choices.

A form with mistakes is a \`422\` that lists all of them, for example at \`["body", "file", "survey", "12", "type"]\`.

Ids are made of the form's \`form_id\` and the names in it. A later version of the form, imported into the same family,
therefore keeps its fields. The content keeps the names and the \`form_id\`, and an export writes them again. A form from \`GET /templates/{template_id}/xlsform\` gives the same content again.

${refusedBeyond('IMPORT')}`.trim(),
  access: 'write',
  query: z.strictObject({
    dry_run: z
      .boolean()
      .default(false)
      .meta({ description: 'Return the result of the import without saving it.' }),
  }),
  body: formOrJson(
    multipart(FormUpload, {
      file: {
        required: true,
        maxBytes: 4 * 1024 * 1024,
        mediaTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
        description: 'The `.xlsx` file, without a password and without macros.',
      },
      media: {
        required: false,
        maxBytes: MAX_CSV_BYTES,
        maxFiles: MAX_CSV_FILES,
        mediaTypes: ['text/csv'],
        description:
          'The CSV files that the form takes lists of options from, in UTF-8, one part for each. The name of the file is the one in the form, such as `sites.csv`.',
      },
    }),
    FormImport,
  ),
  success: 201,
  existing: 200,
  existingMeans: 'A dry run: nothing was changed.',
  response: FormImported,
  heavy: true,
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

/** How long a form is read at most, in seconds. API Gateway has given the request up by then. */
const SLOT_SECONDS = 30;

export const handler = createHandler(operation, async ({ query, body, caller }) => {
  const { name, content, report } = await inSlot(caller, 'IMPORT', SLOT_SECONDS, () =>
    importedTemplate(body),
  );
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
