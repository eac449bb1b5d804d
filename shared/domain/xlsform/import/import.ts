import type { Content } from '../../../schemas/templates/content.ts';
import type { Sheet } from '../form/sheets.ts';
import { buildContent, type BuiltForm } from './build/content.ts';
import { convertForm } from './convert/convert.ts';
import { linkForm } from './convert/references.ts';
import type { Remark } from './diagnostics.ts';
import { outdatedCells } from './outdated.ts';
import { type ImportOptions, readForm } from './read/form.ts';
import { remarksOf } from './report/remarks.ts';

/** The content that a form becomes. */
export interface Imported {
  /** The title of the form. */
  title: string;
  content: Content;
  remarks: Remark[];
}

/** @param outdated the cells of this service's own columns that do not count, as `row:attribute` */
const converted = (
  sheets: readonly Sheet[],
  others: readonly string[],
  options: ImportOptions,
  outdated: ReadonlySet<string>,
): BuiltForm => buildContent(convertForm(linkForm(readForm(sheets, others, options, outdated))));

/**
 * Converts the sheets of a form to a content. Ids are made of the form's id and the names in it, so a later version of
 * the form keeps them; a form that this service exported has the original ids.
 *
 * The form is read, references are linked, each row is converted, the content is built from the parts and the remarks
 * are collected. An exported form that has been edited is converted again without the cells that became outdated.
 * @param others the names of sheets that are not part of the XLSForm standard
 * @throws FormError with everything that is wrong with the form
 */
export const importForm = (
  sheets: readonly Sheet[],
  others: readonly string[],
  options: ImportOptions,
): Imported => {
  const first = converted(sheets, others, options, new Set());
  const outdated = outdatedCells(first);
  const form = outdated.size === 0 ? first : converted(sheets, others, options, outdated);
  return { title: form.title, content: form.content, remarks: remarksOf(form, others) };
};
