import type { Field, FieldType } from '../../schemas/templates/content.ts';

type Kind = ReadonlySet<FieldType>;

export const numeric: Kind = new Set<FieldType>(['number', 'slider', 'rating', 'temperature']);
export const textual: Kind = new Set<FieldType>(['text', 'long_text', 'barcode']);
export const boolean: Kind = new Set<FieldType>(['yes_no', 'checkbox']);
export const dated: Kind = new Set<FieldType>(['date', 'time', 'datetime']);
export const choice: Kind = new Set<FieldType>([
  'yes_no_na',
  'pass_fail_na',
  'single_select',
  'multi_select',
]);

/** The limits of a field that XLSForm writes as a constraint. */
export type Limits = Pick<Field, 'min' | 'max' | 'pattern' | 'max_length'>;
