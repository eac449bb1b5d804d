import type { FieldType } from '../../../schemas/templates/content.ts';
import { refuse, type TypeRules, uuid } from './checks.ts';
import { BOOLEAN, MULTIPLE_CHOICE, SINGLE_CHOICE } from './choices.ts';
import { MEDIA_LIST } from './media.ts';
import { NUMBER } from './numbers.ts';
import { ADDRESS, GEO_POINT, REFERENCE, SIGNATURE } from './structures.ts';
import { TEXT } from './texts.ts';
import { DATE, DATETIME, TIME } from './times.ts';

/** A type that people do not answer. */
const unanswerable = (fault: string): TypeRules => ({
  check: () => (_, loc) => refuse(loc, 'value_error', `Value error, ${fault}`),
});

/** The rules of each type of field for its answers. */
export const TYPES: Record<FieldType, TypeRules> = {
  text: TEXT,
  long_text: TEXT,
  barcode: TEXT,
  number: NUMBER,
  slider: NUMBER,
  rating: NUMBER,
  temperature: NUMBER,
  yes_no: BOOLEAN,
  checkbox: BOOLEAN,
  yes_no_na: SINGLE_CHOICE,
  pass_fail_na: SINGLE_CHOICE,
  single_select: SINGLE_CHOICE,
  multi_select: MULTIPLE_CHOICE,
  date: DATE,
  time: TIME,
  datetime: DATETIME,
  photo: MEDIA_LIST,
  video: MEDIA_LIST,
  audio: MEDIA_LIST,
  file: MEDIA_LIST,
  drawing: MEDIA_LIST,
  signature: SIGNATURE,
  geo_point: GEO_POINT,
  address: ADDRESS,
  member: { check: () => uuid, references: (id: string) => ({ user_ids: [id] }) },
  client_account: { check: () => uuid, references: (id: string) => ({ client_account_ids: [id] }) },
  location: { check: () => uuid, references: (id: string) => ({ location_ids: [id] }) },
  reference: REFERENCE,
  calculated: unanswerable('a calculated field is read-only'),
  instruction: unanswerable('an instruction takes no answer'),
};
