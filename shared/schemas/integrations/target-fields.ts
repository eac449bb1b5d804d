import * as z from 'zod';
import { NewClientAccount } from '../client-account.ts';
import { Name } from '../common.ts';
import { Email } from '../contact.ts';
import { NewLocation } from '../location.ts';
import { ResponseOption } from '../templates/content.ts';
import type { ReferenceField, TargetRef } from './source.ts';
import type { FieldType } from './vendor.ts';

/** A field of a target that a column can fill. */
export interface TargetField extends ReferenceField {
  /** Checks and normalizes a value that is not empty. */
  schema: z.ZodType;
}

const field = (
  key: string,
  label: string,
  type: FieldType,
  schema: z.ZodType,
  { required = false, is_identity = false, also = [] as FieldType[] } = {},
): TargetField => ({
  key,
  label,
  type,
  required,
  is_identity,
  accepts_column_types: [type, ...also],
  schema,
});

const shortText = z.string().max(200);
const name = (label: string) => field('name', label, 'text', Name, { required: true, is_identity: true });
const option = ResponseOption.shape;
const contact = NewClientAccount.shape.contact.unwrap().shape;

/** The fields of each target, in the order in which people expect them. */
export const TARGET_FIELDS: Readonly<Record<TargetRef, readonly TargetField[]>> = {
  locations: [
    name('Name'),
    field('kind', 'Kind', 'text', NewLocation.shape.kind.unwrap()),
    field('client_account', 'Client account (its external_ref or name)', 'reference', shortText, {
      also: ['text'],
    }),
    field('address', 'Address', 'address', NewLocation.shape.address.unwrap(), { also: ['text'] }),
    field('lat', 'Latitude', 'latitude', NewLocation.shape.lat.unwrap(), { also: ['number'] }),
    field('lng', 'Longitude', 'longitude', NewLocation.shape.lng.unwrap(), { also: ['number'] }),
    field('timezone', 'Time zone', 'timezone', NewLocation.shape.timezone.unwrap(), { also: ['text'] }),
  ],
  client_accounts: [
    name('Name'),
    field('contact.name', 'Name of the contact', 'text', contact.name.unwrap()),
    field('contact.email', 'Email of the contact', 'email', contact.email.unwrap(), { also: ['text'] }),
    field('contact.phone', 'Phone of the contact', 'phone', contact.phone.unwrap(), { also: ['text'] }),
    field('notes', 'Notes', 'text', NewClientAccount.shape.notes.unwrap()),
    field('external_ref', 'External reference', 'text', NewClientAccount.shape.external_ref.unwrap()),
  ],
  response_sets: [
    field('label', 'Label', 'text', option.label, { required: true, is_identity: true }),
    field('value', 'Value', 'text', option.value),
    field('color', 'Color, such as #00c875', 'color', option.color.unwrap().unwrap(), { also: ['text'] }),
    field('score', 'Score', 'number', option.score.unwrap().unwrap()),
    field('is_failed', 'Counts as failed', 'boolean', option.is_failed.unwrap()),
  ],
  members: [
    name('Name'),
    field('email', 'Email', 'email', Email, { required: true, is_identity: true, also: ['text'] }),
    field('position', 'Position', 'text', shortText),
  ],
};

/** The field of a target with this key. */
export const targetField = (target: TargetRef, key: string): TargetField | undefined =>
  TARGET_FIELDS[target].find((each) => each.key === key);

/** The fields as the API lists them. */
export const referenceFields = (target: TargetRef): ReferenceField[] =>
  TARGET_FIELDS[target].map(({ schema: _schema, ...shown }) => shown);

/** The type as which a column's value is read for a field; undefined when the column cannot fill the field. */
export const typeFor = (
  { accepts_column_types }: Pick<ReferenceField, 'accepts_column_types'>,
  column: { target_field_types: readonly FieldType[] },
): FieldType | undefined => accepts_column_types.find((type) => column.target_field_types.includes(type));
