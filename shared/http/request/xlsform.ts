import * as errors from '../../base/errors.ts';
import type { Problem } from '../../base/problem.ts';
import { cutTo, isText, trimmed } from '../../base/text.ts';
import { isFormSheet, sheetName } from '../../domain/xlsform/form/columns.ts';
import { sheetOfRows, lettersOf, type Sheet } from '../../domain/xlsform/form/sheets.ts';
import { FormError, type FormProblem } from '../../domain/xlsform/import/diagnostics.ts';
import { type Imported, importForm } from '../../domain/xlsform/import/import.ts';
import { importReport } from '../../domain/xlsform/import/report/report.ts';
import { type CsvFile, readCsv, readWorkbook } from '../../domain/xlsform/workbook/read.ts';
import { WorkbookError } from '../../domain/xlsform/workbook/zip.ts';
import type { UploadedFile } from '../../files/uploads.ts';
import type { Content } from '../../schemas/templates/content.ts';
import type { FormImport, FormUpload, ImportReport } from '../../schemas/templates/xlsform.ts';
import { unstorable } from './storable.ts';

/** An imported form as a template. */
export interface ImportedTemplate {
  name: string;
  content: Content;
  report: ImportReport;
}

/** A form as a file, with the files that hold its lists. */
type Upload = FormUpload & { file: UploadedFile; media: UploadedFile[] };

/** Problems that a reply lists. A form may have one in each cell. */
const MAX_PROBLEMS = 1_000;

/** The longest name of a template, in characters (`Name`). */
const MAX_NAME_LENGTH = 200;

/** The name of a form that has none. */
const UNNAMED = 'Imported form';

const IN_FILE = ['body', 'file'];
const IN_BODY = ['body'];

// oxlint-disable-next-line no-control-regex -- a name must not have these
const CONTROLS = /[\u0000-\u001f\u007f]+/g;

/** A form's title as the name of a template. */
const nameOf = (title: string): string =>
  trimmed(cutTo(title.replaceAll(CONTROLS, ' ').trim(), MAX_NAME_LENGTH)) || UNNAMED;

/** @param sheets the location of the form's sheets in the request */
const problemOf = ({ sheet, row, column, message, type }: FormProblem, sheets: readonly string[]) => ({
  loc: [
    ...(sheet ? sheets : IN_BODY),
    ...[sheet, row, column].flatMap((step) => (step === null || step === '' ? [] : [String(step)])),
  ],
  msg: type === 'value_error' ? `Value error, ${message}` : message,
  type,
});

/** @throws ApiError 422 with the problems of the form */
const imported = (sheets: readonly string[], ...form: Parameters<typeof importForm>): Imported => {
  try {
    return importForm(...form);
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
    const shown = error.problems.slice(0, MAX_PROBLEMS);
    throw errors.formInvalid(shown.map((problem) => problemOf(problem, sheets)));
  }
};

/** @throws ApiError 422 for a file that is not an accepted workbook */
const sheetsIn = async (bytes: Uint8Array) => {
  try {
    const found = await readWorkbook(bytes, isFormSheet);
    if (found.sheets.length > 0 || found.others.length !== 1) return found;
    // A single sheet is the survey, whatever its name, as pyxform reads it.
    const { sheets } = await readWorkbook(bytes, () => true);
    return { sheets: sheets.map((sheet) => ({ ...sheet, name: 'survey' })), others: [] };
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error;
    throw errors.formInvalid([{ loc: IN_FILE, msg: `Value error, ${error.message}`, type: 'value_error' }]);
  }
};

/** The cells with texts that cannot be stored. */
const unstorableCells = (sheets: readonly Sheet[]) =>
  sheets
    .flatMap(({ name: sheet, header, rows }) =>
      rows.flatMap(({ number: row, cells }) =>
        [...cells].flatMap(([at, text]) => {
          if (isText(text)) return [];
          const column = header.get(at) ?? lettersOf(at);
          const message =
            'the cell contains a control character or is not valid Unicode: type its text again';
          return [problemOf({ sheet: sheetName(sheet), row, column, message, type: 'value_error' }, IN_FILE)];
        }),
      ),
    )
    .slice(0, MAX_PROBLEMS);

/** @throws ApiError 422 with every file that is not an accepted CSV file. Files of other kinds are not read */
const csvFilesIn = (media: readonly UploadedFile[]): Map<string, CsvFile> => {
  const files = new Map<string, CsvFile>();
  const problems = media.flatMap(({ name, bytes }, i): Problem[] => {
    const refused = (why: string): Problem[] => [
      { loc: ['body', 'media', String(i)], msg: `Value error, ${why}`, type: 'value_error' },
    ];
    if (!/\.csv$/i.test(name)) return refused('file is not a CSV file: its name must end with .csv');
    if (files.has(name)) return refused('another file has the same name');
    try {
      files.set(name, readCsv(bytes));
      return [];
    } catch (error) {
      if (!(error instanceof WorkbookError)) throw error;
      return refused(error.message);
    }
  });
  if (problems.length > 0) throw errors.formInvalid(problems);
  return files;
};

const fromFile = async ({ file: { name, bytes }, media, language }: Upload): Promise<Imported> => {
  const files = csvFilesIn(media);
  const { sheets, others } = await sheetsIn(bytes);
  const found = imported(IN_FILE, sheets, others, {
    language,
    files,
    name: name.replace(/\.\w+$/, '') || UNNAMED,
  });
  // The request's parser has not seen what is in the file.
  const problems = unstorable([found.title, found.content]);
  if (problems.length > 0) {
    const cells = unstorableCells(sheets);
    throw errors.validationFailed(
      cells.length > 0 ? cells : problems.map((problem) => ({ ...problem, loc: IN_FILE })),
    );
  }
  return found;
};

const fromJson = ({ content, survey, settings, language, name = UNNAMED, ...rest }: FormImport): Imported => {
  if (content) return { title: name, content, remarks: [] };
  const { choices, external_choices, entities, osm } = rest;
  const sheets = { survey, choices, external_choices, ...(settings && { settings: [settings] }) };
  return imported(
    IN_BODY,
    Object.entries(sheets).flatMap(([sheet, rows]) => (rows ? [sheetOfRows(sheet, rows)] : [])),
    [...(entities ? ['entities'] : []), ...(osm ? ['osm'] : [])],
    { language, name },
  );
};

/**
 * Imports the form of a request: a workbook, sheets as JSON, or a content as it is.
 * @throws ApiError 422 with everything that is wrong with the form
 */
export const importedTemplate = async (body: Upload | FormImport): Promise<ImportedTemplate> => {
  const { title, content, remarks } = 'file' in body ? await fromFile(body) : fromJson(body);
  return { name: body.name ?? nameOf(title), content, report: importReport(content, remarks) };
};
