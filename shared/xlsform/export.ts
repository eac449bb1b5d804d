import { isDeepStrictEqual } from 'node:util';
import { type Content, Scoring } from '../schemas/templates/content.ts';
import { moreAdditions, NO_ADDITIONS } from './export/additions.ts';
import { type Cells, sheetsOf } from './export/sheets.ts';
import { ownCells } from './form/own-columns.ts';
import type { Sheet } from './form/sheets.ts';
import { importForm } from './import.ts';
import { shownText } from './standard/references.ts';
import { standardForm } from './standard/standard-form.ts';

/** The settings of a form. */
export interface FormTitle {
  title: string;
  /** Identifies the form if its content does not; all its versions have the same. */
  id: string;
  version: string;
}

/**
 * The most imports of a form until it restores its content. Some attributes are only read once others have a column,
 * and no chain of such attributes is longer.
 */
const MAX_ROUNDS = 4;

/**
 * A content as the sheets of an XLSForm. What ODK and KoboToolbox know stands in their columns, everything else in
 * `inspection__…` columns, which they ignore. Importing the sheets gives the same content.
 */
export const exportForm = (content: Content, { title, id, version }: FormTitle): Sheet[] => {
  const form = standardForm(content);
  const { language, scoring, form_id } = content;
  const settings: Cells = [
    ['form_title', shownText(title, () => undefined)],
    ['form_id', form_id ?? id],
    ['version', version],
    ...(language === null ? [] : [['default_language', language] as [string, string]]),
    ...(form_id === undefined ? ownCells('made_id', id) : []),
    ...(isDeepStrictEqual(scoring, Scoring.parse({})) ? [] : ownCells('scoring', scoring)),
  ];
  let additions = NO_ADDITIONS;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const sheets = sheetsOf(form, content, settings, additions);
    const more = moreAdditions(additions, form, content, importForm(sheets, [], { name: title }).content);
    if (!more) return sheets;
    additions = more;
  }
  throw new Error('importing the exported form does not give the same content');
};
