import * as z from 'zod';
import { Name, Uuid, VisibleText } from '../common.ts';
import { Content } from './content.ts';
import { Family } from './family.ts';
import { TemplateVersion } from './template.ts';
import { MAX_CELL_LENGTH, MAX_HEADER_LENGTH, MAX_LANGUAGE_LENGTH, MAX_ROWS } from './xlsform-limits.ts';

const target = {
  name: Name.optional().meta({
    description: "The name of the template. Without it, the form's own title is used.",
  }),
  language: VisibleText.min(1)
    .max(MAX_LANGUAGE_LENGTH)
    .optional()
    .meta({
      description:
        "For a form in several languages: the language of the content's own texts, by its name or its code. The other languages become translations. Without it, the form's default language is used.",
      examples: ['English (en)', 'en'],
    }),
  family_id: Uuid.optional().meta({
    description: 'The family that gets the draft. Without it, a new family is created.',
  }),
};

export const FormUpload = z.strictObject(target).meta({ id: 'FormUpload' });
export type FormUpload = z.output<typeof FormUpload>;

const Cell = z.union([
  z.string().max(MAX_CELL_LENGTH),
  z.number(),
  z.boolean(),
  z.null(),
  z.record(z.string().min(1).max(MAX_LANGUAGE_LENGTH), z.string().max(MAX_CELL_LENGTH)),
]);

const FormRow = z.record(z.string().min(1).max(MAX_HEADER_LENGTH), Cell).meta({
  id: 'FormRow',
  description:
    'A row of a sheet: its cells by the headers of their columns in an XLSForm. A text in several languages is an object: its properties `English` and `French` stand for the columns `label::English` and `label::French`.',
  examples: [{ type: 'integer', name: 'age', label: 'Age', required: true }],
});
export type FormRow = z.output<typeof FormRow>;

const sheet = z.array(FormRow).max(MAX_ROWS);

/** The sheets of a form besides the survey and the settings. */
const sheets = { choices: sheet, external_choices: sheet, entities: sheet, osm: sheet };

export const FormImport = z
  .strictObject({
    ...target,
    survey: sheet.optional().meta({ description: 'The sheet with the questions.' }),
    ...z.strictObject(sheets).partial().shape,
    settings: FormRow.optional(),
    content: Content.optional().meta({
      description: 'A content, in place of a form. It is imported as it is.',
    }),
  })
  .check(({ value: { survey, content }, issues }) => {
    if ((survey === undefined) === (content === undefined))
      issues.push({
        code: 'custom',
        message: 'Value error, send either survey or content, and not both',
        input: undefined,
        path: ['survey'],
      });
  })
  .meta({ id: 'FormImport', description: 'An XLSForm with its sheets as lists of rows, or a content.' });
export type FormImport = z.output<typeof FormImport>;

export const ImportReport = z
  .strictObject({
    rows: z.array(
      z.strictObject({
        sheet: z.string(),
        row: z.int().nullable().meta({
          description:
            'The number of the row. In a file rows count from 1, and the header is row 1; in JSON they count from 0. Null for a remark on a whole column or sheet.',
        }),
        column: z
          .string()
          .nullable()
          .meta({ description: 'The header of the column. Null for a remark on a whole sheet.' }),
        name: z.string().nullable().meta({ description: 'The name of the row in the form.' }),
        severity: z.enum(['note', 'lost']).meta({
          description: '`note`: the content has it in another way. `lost`: the content does not have it.',
        }),
        message: z.string(),
      }),
    ),
    counts: z.strictObject({
      sections: z.int(),
      fields: z.int(),
      start_fields: z.int(),
      response_sets: z.int(),
      notes: z.int(),
      lost: z.int(),
    }),
  })
  .meta({
    id: 'ImportReport',
    description:
      'The result of an import. Every cell of the form that is not empty is in the content or has a remark here.',
  });
export type ImportReport = z.output<typeof ImportReport>;

export const FormImported = z
  .strictObject({
    family: Family.nullable(),
    template: TemplateVersion.nullable().meta({ description: 'The new draft.' }),
    name: Name,
    content: Content.nullable().meta({ description: 'The content of a dry run, else null.' }),
    report: ImportReport,
  })
  .meta({
    id: 'FormImported',
    description: 'The imported form. In a dry run `family` and `template` are null.',
  });
export type FormImported = z.output<typeof FormImported>;
