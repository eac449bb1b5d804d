import type { FieldType } from '../../../schemas/templates/content.ts';
import { MEDIA, MOMENTS, NUMERIC, TEXTUAL } from '../field-types.ts';

/** Types whose answers are objects or lists of objects, which never equal the value of a comparison. */
export const STRUCTURED: ReadonlySet<FieldType> = new Set<FieldType>([
  ...MEDIA,
  'signature',
  'geo_point',
  'address',
  'reference',
]);

/** Types whose answers have an order. */
export const ORDERED: ReadonlySet<FieldType> = new Set<FieldType>([...NUMERIC, ...MOMENTS, 'calculated']);

/** Types whose answers can contain a value: a part of a text, or one of the options. */
export const CONTAINING: ReadonlySet<FieldType> = new Set<FieldType>([
  ...TEXTUAL,
  'multi_select',
  'calculated',
]);

/** Types whose answers a formula can use. */
export const operands: ReadonlySet<FieldType> = new Set<FieldType>([
  ...ORDERED,
  ...CONTAINING,
  'yes_no',
  'checkbox',
  'yes_no_na',
  'pass_fail_na',
  'single_select',
]);
