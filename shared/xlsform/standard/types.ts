import type { FieldType, ResponseOption } from '../../schemas/templates/content.ts';

const option = (value: string, label: string): ResponseOption => ({
  value,
  label,
  color: null,
  score: null,
  is_failed: false,
  is_na: false,
});

/** The options of the types whose answers are fixed. ODK needs them as a list. */
export const typeOptions: Partial<Record<FieldType, ResponseOption[]>> = {
  yes_no: [option('yes', 'Yes'), option('no', 'No')],
  yes_no_na: [option('yes', 'Yes'), option('no', 'No'), option('na', 'N/A')],
  pass_fail_na: [option('pass', 'Pass'), option('fail', 'Fail'), option('na', 'N/A')],
};

/** The type of ODK for each field type, with the appearance that distinguishes types of the same kind. */
export const types: Record<FieldType, [type: string, appearance?: string]> = {
  text: ['text'],
  long_text: ['text', 'multiline'],
  barcode: ['barcode'],
  number: ['decimal'],
  slider: ['range'],
  rating: ['range', 'rating'],
  temperature: ['decimal'],
  yes_no: ['select_one'],
  checkbox: ['acknowledge'],
  yes_no_na: ['select_one'],
  pass_fail_na: ['select_one'],
  single_select: ['select_one'],
  multi_select: ['select_multiple'],
  date: ['date'],
  time: ['time'],
  datetime: ['dateTime'],
  photo: ['image'],
  video: ['video'],
  audio: ['audio'],
  file: ['file'],
  drawing: ['image', 'draw'],
  signature: ['image', 'signature'],
  geo_point: ['geopoint'],
  address: ['text', 'multiline'],
  member: ['text'],
  client_account: ['text'],
  location: ['text'],
  reference: ['text'],
  calculated: ['calculate'],
  instruction: ['note'],
};

/** The field types that ODK answers with an option of a list. */
export const listed: ReadonlySet<FieldType> = new Set<FieldType>([
  'yes_no',
  'yes_no_na',
  'pass_fail_na',
  'single_select',
  'multi_select',
]);
