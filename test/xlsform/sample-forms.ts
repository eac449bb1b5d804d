import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../infra/catalogue.ts';

/** The forms in `forms/`. See `forms/SOURCE.md` for their origin. */
export const SAMPLES = [
  'UCL_Biomass_Plot_Form.xlsx',
  'choice_filter_test.xlsx',
  'duplicate_columns.xlsx',
  'extra_columns.xlsx',
  'group.xlsx',
  'specify_other.xlsx',
  'xl_date_ambiguous.xlsx',
  'yes_or_no_question.xlsx',
] as const;
export type Sample = (typeof SAMPLES)[number];

export const sampleBytes = (name: Sample): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(join(ROOT, 'test/xlsform/forms', name)));

/** The upload of a form's bytes. */
export const formUpload = (
  bytes: Uint8Array<ArrayBuffer> | string,
  fields: Record<string, string> = {},
  fileName = 'form.xlsx',
): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([bytes]), fileName);
  return form;
};

export const sampleForm = (name: Sample, fields: Record<string, string> = {}): FormData =>
  formUpload(sampleBytes(name), fields, name);
