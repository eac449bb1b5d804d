import type { FieldType } from '../../schemas/templates/content.ts';

export const NUMERIC: readonly FieldType[] = ['number', 'slider', 'rating', 'temperature'];
export const TEXTUAL: readonly FieldType[] = ['text', 'long_text', 'barcode'];
export const MOMENTS: readonly FieldType[] = ['date', 'time', 'datetime'];
export const MEDIA: readonly FieldType[] = ['photo', 'video', 'audio', 'file', 'drawing'];

/** Types whose answers have the same form, so that a field may change from one to another and keep its id. */
const INTERCHANGEABLE: readonly (readonly FieldType[])[] = [
  TEXTUAL,
  NUMERIC,
  ['yes_no', 'checkbox'],
  ['yes_no_na', 'pass_fail_na', 'single_select'],
  MEDIA,
];

/** Whether answers to a field of the one type are valid in form for the other. */
export const isCompatible = (was: FieldType, is: FieldType): boolean =>
  was === is || INTERCHANGEABLE.some((group) => group.includes(was) && group.includes(is));
