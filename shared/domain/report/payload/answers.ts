import type { ReportAddress, ReportAnswer } from '../../../schemas/reports/report-answer.ts';
import type { ReportActing } from '../../../schemas/reports/report-payload.ts';
import type { FieldType } from '../../../schemas/templates/content.ts';
import { isChoice, isMedia, limitsOf, type Question } from '../../content/content-index.ts';
import { isEmpty, type MediaItem } from '../../content/values/answer.ts';
import { chosenOptions } from '../../content/values/choices.ts';
import type { ReportMaterial } from '../material.ts';

type Typed = (material: ReportMaterial, value: never) => ReportAnswer;

interface StoredAddress {
  line1: string;
  line2: string;
  city: string;
  region: string;
  postal_code: string;
  country: string;
}

const addressOf = (value: Partial<StoredAddress>): ReportAddress => ({
  lines: [value.line1 ?? '', value.line2 ?? ''].filter((line) => line.trim() !== ''),
  city: value.city ?? '',
  region: value.region ?? '',
  postal_code: value.postal_code ?? '',
  country: value.country ?? '',
});

/** The member for whom a key acted, and the key; undefined where somebody acted directly. */
export const actingOf = (
  { names }: ReportMaterial,
  userId: string | null | undefined,
  keyId: string | null | undefined,
): ReportActing | undefined =>
  keyId ? { name: names.get(userId ?? '') ?? null, key_name: names.get(keyId) ?? null } : undefined;

const nameOf = ({ names }: ReportMaterial, id: string) => ({ id, name: names.get(id) ?? null });

const text: Typed = (_material, value: unknown) => ({ kind: 'text', text: String(value) });

/** The types whose answers are not reported as a plain text. */
const KINDS: Partial<Record<FieldType, Typed>> = {
  date: (_material, date: string) => ({ kind: 'date', date }),
  time: (_material, time: string) => ({ kind: 'time', time }),
  datetime: (_material, at: string) => ({ kind: 'datetime', at }),
  signature: (
    _material,
    {
      signed_name,
      signed_at,
      document_id = null,
      typed = null,
    }: {
      signed_name: string;
      signed_at?: string | null;
      document_id?: string | null;
      typed?: string | null;
    },
  ) => ({
    kind: 'signature',
    signed_name,
    signed_at: signed_at ? new Date(signed_at).toISOString() : null,
    document_id,
    typed,
  }),
  geo_point: (_material, value: { lat: number; lng: number; accuracy_m?: number | null }) => ({
    kind: 'position',
    position: { lat: value.lat, lng: value.lng, accuracy_m: value.accuracy_m ?? null },
  }),
  address: (_material, value: Partial<StoredAddress>) => ({
    kind: 'address',
    address: addressOf(value),
  }),
  member: (material, id: string) => ({ kind: 'member', ...nameOf(material, id) }),
  client_account: (material, id: string) => ({ kind: 'client_account', ...nameOf(material, id) }),
  location: (material, id: string) => ({
    kind: 'location',
    ...nameOf(material, id),
    ...(material.places.get(id) ?? { address: null, position: null }),
  }),
  reference: (
    _material,
    { label, source_id, external_id }: { label: string; source_id: string; external_id: string },
  ) => ({ kind: 'reference', label, source_id, external_id }),
};

/** A value as a typed one, for a type whose values can be read without the field. @param value not empty */
export const ofType = (material: ReportMaterial, type: FieldType, value: unknown): ReportAnswer =>
  (KINDS[type] ?? text)(material, value as never);

/**
 * The stored value of a checked answer whose typed one does not tell all of it: choices with options that are gone,
 * signatures with the offset of their time, and the parts of addresses. The others are not kept twice.
 */
export const keptValue = (field: Question, value: unknown): { value?: unknown } =>
  !isEmpty(value) && (isChoice(field) || field.type === 'signature' || field.type === 'address')
    ? { value }
    : {};

/** A checked answer as a typed value; null when there is no answer. */
export const typedAnswer = (
  material: ReportMaterial,
  field: Question,
  value: unknown,
): ReportAnswer | null => {
  if (isEmpty(value)) return null;
  if (isMedia(field))
    return { kind: 'media', document_ids: (value as MediaItem[]).map(({ document_id }) => document_id) };
  if (isChoice(field)) {
    const options = chosenOptions(field, material.index, value).map((option) => ({
      value: option.value,
      label: option.label,
      color: option.color,
      is_failed: option.is_failed,
      is_na: option.is_na,
    }));
    return options.length > 0 ? { kind: 'options', options } : null;
  }
  if (typeof value === 'boolean') return { kind: 'yes_no', yes: value };
  if (typeof value === 'number') {
    const of = field.type === 'rating' ? limitsOf(field).max : null;
    return { kind: 'number', number: value, unit: field.unit || null, of };
  }
  return ofType(material, field.type, value);
};
