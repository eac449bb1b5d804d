import * as z from 'zod';
import { Name, Uuid } from '../common.ts';
import { Content } from './content.ts';
import { Family } from './family.ts';
import { TemplateVersion } from './template.ts';

const target = {
  name: Name.optional().meta({ description: "The template's; without it, the form's own title." }),
  language: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .meta({
      description:
        "Of a form in several languages, the one that the content itself is in, the others being its translations: its name or its code. Without it, the form's default.",
      examples: ['English (en)', 'en'],
    }),
  family_id: Uuid.optional().meta({
    description: 'The family whose draft it becomes. Without it, there is a new one.',
  }),
};

export const FormUpload = z.strictObject(target).meta({ id: 'FormUpload' });

const Cell = z.union([
  z.string().max(32_767),
  z.number(),
  z.boolean(),
  z.null(),
  z.record(z.string().min(1).max(100), z.string().max(32_767)),
]);

const FormRow = z.record(z.string().min(1).max(200), Cell).meta({
  id: 'FormRow',
  description:
    'A row of a sheet by the names of its columns, as they stand in an XLSForm. An object is a text by language, for `label::English` and `label::French`.',
  examples: [{ type: 'integer', name: 'age', label: 'Age', required: true }],
});
export type FormRow = z.output<typeof FormRow>;

const sheet = z.array(FormRow).max(60_000);

/** The sheets of a form that may be given as lists of rows. */
const sheets = { choices: sheet, external_choices: sheet, entities: sheet, osm: sheet };

export const FormImport = z
  .strictObject({
    ...target,
    survey: sheet.optional().meta({ description: 'The sheet of the questions.' }),
    ...z.strictObject(sheets).partial().shape,
    settings: FormRow.optional(),
    content: Content.optional().meta({ description: 'A content as it is, instead of a form.' }),
  })
  .check(({ value: { survey, content }, issues }) => {
    if ((survey === undefined) === (content === undefined))
      issues.push({
        code: 'custom',
        message: 'Value error, give either survey or content',
        input: undefined,
        path: ['survey'],
      });
  })
  .meta({ id: 'FormImport', description: 'An XLSForm as lists of rows, or a content.' });
export type FormImport = z.output<typeof FormImport>;

export const ImportReport = z
  .strictObject({
    rows: z.array(
      z.strictObject({
        sheet: z.string(),
        row: z.int().nullable().meta({
          description:
            'As a spreadsheet counts them, the header being row 1; in JSON its position in the list. Null for a whole column or sheet.',
        }),
        column: z.string().nullable().meta({ description: 'Its header.' }),
        name: z.string().nullable().meta({ description: 'What the row is named in the form.' }),
        severity: z.enum(['note', 'lost']).meta({
          description: '`note`: it is in the content, in another way. `lost`: it is not in the content.',
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
      'What became of the form: every cell with something in it is in the content, or is told of here.',
  });
export type ImportReport = z.output<typeof ImportReport>;

export const FormImported = z
  .strictObject({
    family: Family.nullable(),
    template: TemplateVersion.nullable().meta({ description: 'The draft.' }),
    name: Name,
    content: Content.nullable().meta({ description: 'What would be imported; null when it has been.' }),
    report: ImportReport,
  })
  .meta({ id: 'FormImported', description: 'Of a dry run, `family` and `template` are null.' });
export type FormImported = z.output<typeof FormImported>;
