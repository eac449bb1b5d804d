import * as z from 'zod';
import type { FieldType, ItemValue } from '../../schemas/integrations/vendor.ts';
import type { FieldValue } from '../vendor.ts';
import { fieldTypesOf } from './columns.ts';
import type { ValueReply } from './replies.ts';

type Json = ItemValue['value'];

/** The raw value: JSON, as text or as it is. */
const rawValue = (value: unknown): Json => {
  if (typeof value !== 'string') return value ?? null;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
};

/** The values, by the type of their column, whose raw form lacks something or is only text. */
const STRUCTURED: Readonly<Record<string, (value: ValueReply) => Json>> = {
  status: ({ label, index, label_style: style }) =>
    label === null ? null : { label, index: index ?? null, color: style?.color ?? null },
  checkbox: ({ checked }) => checked ?? false,
  location: ({ lat, lng, address, country }) =>
    lat === undefined && lng === undefined && address === null
      ? null
      : { lat: lat ?? null, lng: lng ?? null, address, country },
  people: ({ persons_and_teams: people }) => (people?.length ? { persons_and_teams: people } : null),
  board_relation: ({ linked_item_ids: ids }) => (ids?.length ? { linked_item_ids: ids } : null),
  dependency: ({ linked_item_ids: ids }) => (ids?.length ? { linked_item_ids: ids } : null),
  world_clock: ({ timezone }) => timezone && { timezone },
  color_picker: ({ color }) => color && { color },
  email: ({ email }) => email && { email },
  phone: ({ phone }) => phone && { phone },
};

/** A value as people see it: computed and structured ones have no `text`. */
const textOf = (value: ValueReply): string | null =>
  value.text ??
  value.display_value ??
  value.label ??
  value.address ??
  value.email ??
  value.phone ??
  value.timezone ??
  value.color;

export const itemValueOf = (reply: ValueReply): ItemValue => ({
  column_id: reply.id,
  type: reply.type,
  text: textOf(reply),
  value: (STRUCTURED[reply.type] ?? (({ value }) => rawValue(value)))(reply),
});

const NUMBER = /^[+-]?(\d+(\.\d+)?|\.\d+)$/;
const WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  '1': true,
  false: false,
  no: false,
  '0': false,
};
/** This does not check an address, it only tells one from other text. Fields check addresses themselves. */
const EMAIL = /^[^\s@]+@[^\s@]+$/;

const LocationValue = z.object({
  lat: z.number().nullable(),
  lng: z.number().nullable(),
  address: z.string().nullable(),
});

const numberOf = (text: string | null): number | null => {
  const plain = text?.trim() ?? '';
  return NUMBER.test(plain) ? Number(plain) : null;
};

const coordinate = (value: ItemValue, name: 'lat' | 'lng', max: number): number | null => {
  const { data: place } = LocationValue.safeParse(value.value);
  const degrees = place ? place[name] : numberOf(value.text);
  return degrees !== null && Math.abs(degrees) <= max ? degrees : null;
};

/** How a value is read as a field's type; null when it is empty or cannot be read so. */
const READERS: Readonly<Partial<Record<FieldType, (value: ItemValue) => FieldValue>>> = {
  number: ({ text }) => numberOf(text),
  boolean: ({ type, text, value }) =>
    type === 'checkbox' ? value === true : (WORDS[text?.trim().toLowerCase() ?? ''] ?? null),
  email: ({ value, text }) => {
    const { data: email = text } = z
      .object({ email: z.string() })
      .transform(({ email }) => email)
      .safeParse(value);
    return email && EMAIL.test(email.trim()) ? email.trim() : null;
  },
  phone: ({ value, text }) =>
    z
      .object({ phone: z.string() })
      .transform(({ phone }) => phone)
      .safeParse(value).data ?? text,
  address: ({ value, text }) => LocationValue.safeParse(value).data?.address ?? text,
  latitude: (value) => coordinate(value, 'lat', 90),
  longitude: (value) => coordinate(value, 'lng', 180),
  timezone: ({ value, text }) =>
    z
      .object({ timezone: z.string() })
      .transform(({ timezone }) => timezone)
      .safeParse(value).data ?? text,
  color: ({ value, text }) =>
    z
      .object({ color: z.string() })
      .transform(({ color }) => color)
      .safeParse(value).data ?? text,
};

/** @see Vendor.fieldValue */
export const fieldValue = (value: ItemValue, type: FieldType): FieldValue => {
  if (!fieldTypesOf(value.type).includes(type)) return null;
  return (READERS[type] ?? (({ text }) => text))(value);
};
